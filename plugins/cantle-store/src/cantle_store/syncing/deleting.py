"""Deleting: documents and datasets with every trace of them."""

from __future__ import annotations

from sqlalchemy import Connection, delete, select

from ..database.batches import batches
from ..database.database import Database
from ..database.wiping import mark
from ..records import Deleted
from ..tables import ChunkRow, DatasetRow, DocumentLabelRow, DocumentRow, made_id
from ..tenants import locked_dataset
from .writing import delete_chunks

__all__ = ["delete_dataset", "delete_source"]


def delete_source(database: Database, host: str, source: str, dataset_id: str | None) -> Deleted:
    """Delete the documents of this source, in one dataset or in all of the host."""
    with database.read() as connection:
        where = _where(connection, host, source, dataset_id)
    if not where:
        return Deleted(0, 0)
    documents = chunks = 0
    with database.write() as connection:
        for one in sorted(where):
            locked_dataset(connection, host, one, missing_ok=True)
            deleted = _delete_document(connection, host, made_id("document", one, source))
            documents, chunks = documents + deleted.documents, chunks + deleted.chunks
    return Deleted(documents, chunks)


def _where(connection: Connection, host: str, source: str, dataset_id: str | None) -> list[str]:
    """The datasets that have a document of this source."""
    ids = [dataset_id]
    if dataset_id is None:
        ids = list(connection.execute(select(DatasetRow.id).where(DatasetRow.host_id == host)).scalars())
    by_document = {made_id("document", one, source): one for one in ids if one is not None}
    found: list[str] = []
    for some in batches(by_document):
        mine = DocumentRow.id.in_(some), DocumentRow.host_id == host
        found += (by_document[one] for one in connection.execute(select(DocumentRow.id).where(*mine)).scalars())
    return found


def _delete_document(connection: Connection, host: str, document_id: str) -> Deleted:
    pks = list(connection.execute(select(ChunkRow.pk).where(ChunkRow.document_id == document_id)).scalars())
    delete_chunks(connection, pks)
    connection.execute(delete(DocumentLabelRow).where(DocumentLabelRow.document_id == document_id))
    mine = DocumentRow.id == document_id, DocumentRow.host_id == host
    count = connection.execute(delete(DocumentRow).where(*mine)).rowcount
    if count:
        mark(connection)
    return Deleted(count, len(pks))


def delete_dataset(database: Database, host: str, dataset_id: str) -> Deleted:
    """Delete a dataset with all that is in it. Raises `NotFoundError`."""
    with database.write() as connection:
        locked_dataset(connection, host, dataset_id)
        pks = list(connection.execute(select(ChunkRow.pk).where(ChunkRow.dataset_id == dataset_id)).scalars())
        delete_chunks(connection, pks)
        count = connection.execute(delete(DocumentRow).where(DocumentRow.dataset_id == dataset_id)).rowcount
        connection.execute(delete(DatasetRow).where(DatasetRow.id == dataset_id))
        mark(connection)
    return Deleted(count, len(pks))
