"""Documents and chunks as they are kept, handed out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, select

from .database.batches import batches
from .database.database import Database
from .records import Document, StoredChunk
from .tables import ChunkRow, DocumentRow, made_id

__all__ = ["chunks", "documents", "stored_chunk"]


def documents(connection: Connection, dataset_id: str) -> list[Document]:
    """The documents of a dataset, by source."""
    rows = connection.execute(select(DocumentRow.__table__).where(DocumentRow.dataset_id == dataset_id))
    return sorted(map(_document, rows), key=lambda document: document.source)


def chunks(
    database: Database, dataset_id: str, source: str | None, after: tuple[str, int] | None = None
) -> Iterator[StoredChunk]:
    """The chunks of a dataset, or of one document, by source and index; only those that follow `after`.

    Rows are read in batches, each in a transaction of its own: nothing is held while the caller works, and chunks that
    are deleted meanwhile are left out.
    """
    with database.read() as connection:
        found = list(_in_order(connection, dataset_id, source, after))
    for some in batches(found):
        with database.read() as connection:
            rows = connection.execute(select(ChunkRow.__table__).where(ChunkRow.pk.in_(some)))
            by_pk = {row.pk: stored_chunk(row) for row in rows}
        yield from (by_pk[pk] for pk in some if pk in by_pk)


def _in_order(
    connection: Connection, dataset_id: str, source: str | None, after: tuple[str, int] | None
) -> Iterator[int]:
    query = select(DocumentRow.id, DocumentRow.source).where(DocumentRow.dataset_id == dataset_id)
    if source is not None:
        query = query.where(DocumentRow.id == made_id("document", dataset_id, source))
    # Sorted here: databases sort in the order of their language.
    for document in sorted(connection.execute(query), key=lambda row: row.source):
        of_document = select(ChunkRow.pk).where(ChunkRow.document_id == document.id).order_by(ChunkRow.index)
        if after is not None and document.source <= after[0]:
            if document.source < after[0]:
                continue
            of_document = of_document.where(ChunkRow.index > after[1])
        yield from connection.execute(of_document).scalars()


def _document(row: Any) -> Document:
    return Document(
        row.id, row.dataset_id, row.source, row.metadata, row.origin, row.config_hash, row.chunks, row.created,
        row.updated,
    )  # fmt: skip


def stored_chunk(row: Any) -> StoredChunk:
    """A row of the table of chunks as a chunk."""
    spans = None if row.spans is None else tuple((start, end) for start, end in row.spans)
    return StoredChunk(
        row.id, row.key, row.dataset_id, row.document_id, row.source, row.index, row.text, row.content, row.prefix,
        row.start, row.end, spans, row.overlap, tuple(row.path), row.hash, row.embed_hash, row.config_hash,
        row.metadata, row.embedding, row.created, row.updated,
    )  # fmt: skip
