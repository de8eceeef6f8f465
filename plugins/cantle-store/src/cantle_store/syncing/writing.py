"""What differs of a document, written: rows, words and labels, many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, bindparam, delete, insert, select, update

from ..database.batches import batches
from ..database.wiping import mark
from ..embedders import Embedder
from ..tables import ChunkLabelRow, ChunkRow, DatasetRow, DocumentLabelRow, DocumentRow
from ..terms import Indexed, delete_terms, write_terms
from .difference import PLACE, Difference
from .wanted import WantedChunk, WantedDocument

__all__ = ["delete_chunks", "write"]


def write(
    connection: Connection,
    dataset: Any,
    document: WantedDocument,
    origin: str,
    found: Difference,
    vectors: Mapping[str, bytes],
    words: Mapping[str, Indexed],
    maker: Embedder | None,
) -> None:
    """Write what differs. `dataset` is its locked row; `vectors` has one for each text that needs one, `words` each."""
    if found.is_none:
        return
    if found.leaves:
        mark(connection)
    if dataset.dimension is None and maker is not None and vectors:
        size = len(next(iter(vectors.values()))) // 4
        values = {"dimension": size, "embedder": maker.name}
        connection.execute(update(DatasetRow).where(DatasetRow.id == dataset.id).values(**values))
    _write_document(connection, dataset, document, origin, found)
    delete_chunks(connection, found.gone)
    pks = _insert(connection, dataset, document.source, found, vectors, words)
    _move(connection, found.moved)
    _fill(connection, found.bare, vectors)
    if found.is_relabelled:  # whether a value is the chunk's own may be another answer now, for each chunk
        relabelled = [
            (pks.get(one) or found.there[one], chunk)
            for one, chunk in zip(found.chunk_ids, document.chunks, strict=True)
        ]
    else:
        relabelled = [*found.moved, *((pks[chunk_id], chunk) for chunk_id, chunk in found.new)]
    _label(connection, relabelled, {*found.there.values()})


def _write_document(
    connection: Connection, dataset: Any, document: WantedDocument, origin: str, found: Difference
) -> None:
    values: dict[str, Any] = {
        "origin": origin,
        "config_hash": document.config_hash,
        "metadata": document.metadata,
        "chunks": len(document.chunks),
    }
    table: Any = DocumentRow.__table__
    if found.is_new:
        names = {"id": found.document_id, "host_id": dataset.host_id, "dataset_id": dataset.id}
        connection.execute(insert(table).values(source=document.source, **names, **values))
    else:  # also when only chunks differ: `updated` says so
        connection.execute(update(table).where(table.c.id == found.document_id).values(**values))
    if not (found.is_new or found.is_relabelled):
        return
    if found.is_relabelled:
        connection.execute(delete(DocumentLabelRow).where(DocumentLabelRow.document_id == found.document_id))
    _many(
        connection,
        insert(DocumentLabelRow),
        ({"document_id": found.document_id, "key": key, "value": value} for key, value in document.labels),
    )


def delete_chunks(connection: Connection, pks: Sequence[int]) -> None:
    """Delete chunks with all that belongs to them."""
    for some in batches(pks):
        delete_terms(connection, some)
        connection.execute(delete(ChunkLabelRow).where(ChunkLabelRow.chunk_pk.in_(some)))
        connection.execute(delete(ChunkRow).where(ChunkRow.pk.in_(some)))


def _insert(
    connection: Connection,
    dataset: Any,
    source: str,
    found: Difference,
    vectors: Mapping[str, bytes],
    words: Mapping[str, Indexed],
) -> dict[str, int]:
    """Insert the new chunks with their words; their primary keys by their ids."""
    pks: dict[str, int] = {}
    same = {"host_id": dataset.host_id, "dataset_id": dataset.id, "document_id": found.document_id, "source": source}
    for some in batches(found.new):
        rows = [
            {
                **same,
                **chunk.place,
                "id": chunk_id,
                "key": chunk.key,
                "text": chunk.text,
                "words": words[chunk.embed_hash].words,
                "embed_hash": chunk.embed_hash,
                "embedding": vectors.get(chunk.embed_hash),
            }
            for chunk_id, chunk in some
        ]
        connection.execute(insert(ChunkRow.__table__), rows)  # type: ignore[arg-type]
        made = select(ChunkRow.id, ChunkRow.pk).where(ChunkRow.id.in_([chunk_id for chunk_id, _ in some]))
        pks |= {row.id: row.pk for row in connection.execute(made)}
        write_terms(connection, [(pks[chunk_id], words[chunk.embed_hash]) for chunk_id, chunk in some])
    return pks


def _move(connection: Connection, moved: Sequence[tuple[int, WantedChunk]]) -> None:
    table: Any = ChunkRow.__table__
    new = (
        update(table).where(table.c.pk == bindparam("of_pk")).values({name: bindparam(f"new_{name}") for name in PLACE})
    )
    _many(
        connection,
        new,
        ({"of_pk": pk, **{f"new_{name}": chunk.place[name] for name in PLACE}} for pk, chunk in moved),
    )


def _fill(connection: Connection, bare: Sequence[tuple[int, WantedChunk]], vectors: Mapping[str, bytes]) -> None:
    table: Any = ChunkRow.__table__
    new = update(table).where(table.c.pk == bindparam("of_pk")).values(embedding=bindparam("new"))
    _many(connection, new, ({"of_pk": pk, "new": vectors[chunk.embed_hash]} for pk, chunk in bare))


def _label(connection: Connection, chunks: Sequence[tuple[int, WantedChunk]], old: set[int]) -> None:
    """Write the labels of chunks; those in `old` may have others."""
    for some in batches(pk for pk, _ in chunks if pk in old):
        connection.execute(delete(ChunkLabelRow).where(ChunkLabelRow.chunk_pk.in_(some)))
    _many(
        connection,
        insert(ChunkLabelRow),
        ({"chunk_pk": pk, "key": key, "value": value} for pk, chunk in chunks for key, value in chunk.labels),
    )


def _many(connection: Connection, statement: Any, rows: Iterable[dict[str, Any]]) -> None:
    for some in batches(rows):
        connection.execute(statement, some)
