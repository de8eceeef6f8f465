"""Another embedder for a dataset: all vectors made anew, then put in the place of the old ones at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, bindparam, select, update

from ..database.batches import batches
from ..database.database import Database
from ..database.wiping import mark
from ..embedders import Embedder
from ..tables import ChunkRow, DatasetRow
from ..tenants import locked_dataset
from .embedding import made_vectors

__all__ = ["reembed"]


def reembed(
    database: Database,
    host: str,
    dataset_id: str,
    maker: Embedder,
    then: Callable[[int, int], Any] | None = None,
) -> None:
    """Make all vectors of a dataset anew. Until the last is there the old ones are searched; a failure changes nothing.

    `then(done, total)` is called after each batch of texts. Texts that others write meanwhile are looked for again
    behind the lock, and their vectors made too.
    """
    vectors: dict[str, bytes] = {}
    with database.read() as connection:
        missing = _hashes(connection, dataset_id)
    while True:
        total = len(vectors) + len(missing)
        for some in batches(sorted(missing)):
            with database.read() as connection:
                texts = _texts(connection, dataset_id, some)
            vectors |= made_vectors(maker, texts)
            if then is not None:
                then(len(vectors), total)
        with database.write() as connection:
            locked_dataset(connection, host, dataset_id)
            there = _hashes(connection, dataset_id)
            missing = there - vectors.keys()
            if not missing:
                _put(connection, dataset_id, {name: vectors[name] for name in there}, maker)
                return


def _hashes(connection: Connection, dataset_id: str) -> set[str]:
    query = select(ChunkRow.embed_hash).where(ChunkRow.dataset_id == dataset_id).distinct()
    return set(connection.execute(query).scalars())


def _texts(connection: Connection, dataset_id: str, hashes: list[str]) -> dict[str, str]:
    query = select(ChunkRow.embed_hash, ChunkRow.text).where(
        ChunkRow.dataset_id == dataset_id, ChunkRow.embed_hash.in_(hashes)
    )
    return {row.embed_hash: row.text for row in connection.execute(query)}


def _put(connection: Connection, dataset_id: str, vectors: dict[str, bytes], maker: Embedder) -> None:
    sizes = {len(vector) // 4 for vector in vectors.values()}
    table: Any = ChunkRow.__table__
    mine = table.c.dataset_id == dataset_id, table.c.embed_hash == bindparam("of_hash")
    new = update(table).where(*mine).values(embedding=bindparam("new"))
    for some in batches(vectors):
        connection.execute(new, [{"of_hash": name, "new": vectors[name]} for name in some])
    values = {"embedder": maker.name if sizes else None, "dimension": sizes.pop() if sizes else None}
    connection.execute(update(DatasetRow).where(DatasetRow.id == dataset_id).values(**values))
    mark(connection)
