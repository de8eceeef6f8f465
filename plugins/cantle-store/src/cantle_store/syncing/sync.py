"""Sync: embeds and writes what changed of one document, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..database.database import Database
from ..embedders import Embedder
from ..tenants import find_dataset_row, locked_dataset
from ..terms import Indexed, indexed
from .difference import Difference, difference, vectors_there
from .embedding import check_dimension, check_embedder, made_vectors
from .wanted import WantedDocument
from .writing import write

__all__ = ["Outcome", "first_vectors", "sync_document"]


@dataclass(frozen=True)
class Outcome:
    """Counts of chunks, whether anything was written, and whether something is left to be wiped."""

    new: int
    changed: int
    kept: int
    gone: int
    embedded: int
    wrote: bool
    leaves: bool
    chunk_ids: tuple[str, ...]


def first_vectors(document: WantedDocument, maker: Embedder | None) -> dict[str, bytes]:
    """The vectors of the first document of a dataset that is still to be made, by the hashes of its texts."""
    if maker is None:
        return {}
    return made_vectors(maker, {chunk.embed_hash: chunk.text for chunk in document.chunks})


def sync_document(
    database: Database,
    host: str,
    dataset_id: str,
    document: WantedDocument,
    maker: Embedder | None,
    origin: str,
    made: Mapping[str, bytes] | None = None,
) -> Outcome:
    """Bring a document up to date. Vectors are made before the transaction, which is then short; `made` are already.

    Meanwhile another one may have written: so what differs is looked for again in the transaction, behind the lock of
    the dataset, and if that needs vectors or words that were not made it is left and they are made.
    """
    with database.read() as connection:
        dataset = find_dataset_row(connection, host, dataset_id)
        check_embedder(dataset, maker)
        found = difference(connection, dataset_id, document, origin, with_vectors=maker is not None)
        missing = found.vectorless if maker is not None else {}
        vectors = {name: vector for name, vector in (made or {}).items() if name in missing}
        for known in vectors.keys() | vectors_there(connection, dataset_id, missing, only_hashes=True).keys():
            del missing[known]
    if found.is_none:
        return _outcome(found, 0)
    words: dict[str, Indexed] = {}
    dialect = database.engine.dialect.name
    while True:
        words |= {chunk.embed_hash: indexed(chunk.text, dialect) for chunk in found.new_texts(words)}
        if maker is not None and missing:
            more = made_vectors(maker, missing)
            check_dimension(dataset, maker, len(next(iter(more.values()))) // 4)
            vectors |= more
        with database.write() as connection:
            row = locked_dataset(connection, host, dataset_id)
            check_embedder(row, maker)
            found = difference(connection, dataset_id, document, origin, with_vectors=maker is not None)
            needed = found.vectorless if maker is not None else {}
            taken = vectors_there(connection, dataset_id, (name for name in needed if name not in vectors))
            missing = {name: text for name, text in needed.items() if name not in vectors and name not in taken}
            if not missing and not found.new_texts(words):
                if maker is not None and needed:
                    check_dimension(row, maker, len(next(iter({**taken, **vectors}.values()))) // 4)
                write(connection, row, document, origin, found, vectors | taken, words, maker)
                return _outcome(found, len(vectors))


def _outcome(found: Difference, embedded: int) -> Outcome:
    return Outcome(
        len(found.new), found.changed, found.kept, len(found.gone), embedded, not found.is_none, found.leaves,
        found.chunk_ids,
    )  # fmt: skip
