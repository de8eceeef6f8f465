"""Sync: embeds and writes what changed of one document, in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from ..database.database import Database
from ..labels import labels
from ..tables import ChunkLabelRow, ChunkRow, DatasetRow, DocumentLabelRow, DocumentRow, made_id
from ..terms import delete_terms, write_terms
from .wanted import WantedDocument

__all__ = ["Outcome", "sync_document"]

Embed = Callable[[Sequence[str]], Sequence[Sequence[float]]]


@dataclass
class Outcome:
    """Counts of chunks."""

    new: int = 0
    changed: int = 0
    kept: int = 0
    gone: int = 0
    embedded: int = 0
    chunk_ids: tuple[str, ...] = ()


def sync_document(
    database: Database, host: str, dataset_id: str, document: WantedDocument, embed: Embed | None, origin: str
) -> Outcome:
    """Bring a document up to date. Vectors are made before the transaction, which is then short."""
    vectors: dict[str, Sequence[float]] = {}
    asked = 0
    while True:
        with database.write() as connection:
            missing = _missing(connection, dataset_id, document, vectors) if embed else {}
            if not missing:
                outcome = _write(connection, host, dataset_id, document, vectors, origin)
                outcome.embedded = asked
                return outcome
        assert embed is not None
        vectors |= zip(missing, embed(list(missing.values())), strict=True)
        asked += len(missing)


def _missing(
    connection: Connection, dataset_id: str, document: WantedDocument, vectors: dict[str, Sequence[float]]
) -> dict[str, str]:
    """The texts without a vector, by their hashes; those of other documents of the dataset are taken over."""
    hashes = {chunk.embed_hash: chunk.text for chunk in document.chunks if chunk.embed_hash not in vectors}
    rows = connection.execute(
        select(ChunkRow.embed_hash, ChunkRow.embedding).where(
            ChunkRow.dataset_id == dataset_id,
            ChunkRow.embed_hash.in_(hashes),
            ChunkRow.embedding.is_not(None),
        )
    )
    vectors |= {row.embed_hash: row.embedding for row in rows}
    return {name: text for name, text in hashes.items() if name not in vectors}


def _write(
    connection: Connection,
    host: str,
    dataset_id: str,
    document: WantedDocument,
    vectors: dict[str, Sequence[float]],
    origin: str,
) -> Outcome:
    document_id = made_id("document", dataset_id, document.source)
    connection.execute(select(DatasetRow.id).where(DatasetRow.id == dataset_id).with_for_update())
    old = connection.execute(select(DocumentRow.__table__).where(DocumentRow.id == document_id)).first()
    values = {"origin": origin, "config_hash": document.config_hash, "metadata": dict(document.metadata)}
    if old is None:
        connection.execute(
            insert(DocumentRow.__table__).values(
                id=document_id, host_id=host, dataset_id=dataset_id, source=document.source, **values
            )
        )
    elif {name: getattr(old, name) for name in values} != values:
        connection.execute(update(DocumentRow.__table__).where(DocumentRow.id == document_id).values(**values))
    if old is None or old.metadata != values["metadata"]:
        connection.execute(delete(DocumentLabelRow).where(DocumentLabelRow.document_id == document_id))
        for key, value in labels(document.metadata):
            connection.execute(insert(DocumentLabelRow).values(document_id=document_id, key=key, value=value))
    rows = {
        row.key: row
        for row in connection.execute(select(ChunkRow.__table__).where(ChunkRow.document_id == document_id))
    }
    outcome, ids = Outcome(), []
    for chunk in document.chunks:
        row = rows.pop(chunk.key, None)
        place: dict[str, Any] = dict(chunk.place) | {"config_hash": document.config_hash}
        place["path"], place["spans"] = list(place["path"]), place["spans"] and [list(span) for span in place["spans"]]
        vector = vectors.get(chunk.embed_hash)
        if row is None:
            chunk_id = made_id("chunk", dataset_id, chunk.key)
            pk = connection.execute(
                insert(ChunkRow.__table__).values(
                    id=chunk_id,
                    host_id=host,
                    dataset_id=dataset_id,
                    document_id=document_id,
                    key=chunk.key,
                    source=document.source,
                    text=chunk.text,
                    embed_hash=chunk.embed_hash,
                    embedding=vector,
                    **place,
                )
            ).inserted_primary_key[0]
            write_terms(connection, pk, chunk.text)
            outcome.new += 1
            _write_labels(connection, pk, chunk.own_metadata)
        else:
            chunk_id = row.id
            if {name: getattr(row, name) for name in place} == place and (row.embedding is not None or vector is None):
                outcome.kept += 1
            else:
                outcome.changed += 1
                if vector is not None and row.embedding is None:
                    place["embedding"] = vector
                connection.execute(update(ChunkRow.__table__).where(ChunkRow.pk == row.pk).values(**place))
                connection.execute(delete(ChunkLabelRow).where(ChunkLabelRow.chunk_pk == row.pk))
                _write_labels(connection, row.pk, chunk.own_metadata)
        ids.append(chunk_id)
    for row in rows.values():
        outcome.gone += 1
        delete_terms(connection, [row.pk])
        connection.execute(delete(ChunkRow).where(ChunkRow.pk == row.pk))
    outcome.chunk_ids = tuple(ids)
    return outcome


def _write_labels(connection: Connection, pk: int, metadata: Any) -> None:
    for key, value in labels(metadata):
        connection.execute(insert(ChunkLabelRow).values(chunk_pk=pk, key=key, value=value))
