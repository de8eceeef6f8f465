"""Search: by vector, by words, or by both, among what may be seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nlargest
from typing import Any

from sqlalchemy import Connection, select

from cantle.access import Access

from ..database.batches import batches
from ..database.database import Database
from ..embedders import query_vector, read_vector
from ..errors import DimensionError, OtherEmbedderError
from ..tables import ChunkRow
from .asked import Asked, SearchedDataset, searched_datasets
from .by_vector import by_vector
from .by_words import by_words
from .filters import Scope
from .fusing import Ranked, fused
from .roles import kept_roles

__all__ = ["search"]


def search(database: Database, host: str, dataset: str | None, asked: Asked) -> list[tuple[Any, Ranked]]:
    """Rows of chunks with scores and ranks, the best first. `dataset` is an id or a name; None: all of the host.

    What may not be seen is left out by the queries themselves, before anything is ranked or counted.
    """
    mode = asked.checked_mode()
    if asked.vector is None and not (asked.query or "").strip():
        mode = "text"  # which finds nothing: a blank query is not worth a request
    with database.read() as connection:
        datasets = searched_datasets(connection, host, dataset)
    vector: list[float] | None = None
    fitting: Sequence[SearchedDataset] = ()
    if mode != "text":
        fitting = _fitting(asked, datasets, dataset is not None)
        if fitting or asked.vector is not None:
            vector = _vector(asked, fitting)
    with database.read() as connection:
        if vector is not None:  # once more: meanwhile all vectors may have been made anew
            fitting = _fitting(asked, searched_datasets(connection, host, dataset), dataset is not None)
            _check_sizes(vector, asked, fitting)
        roles = None if asked.roles is None else kept_roles(connection, host)
        access = Access.of(asked.where, names=asked.roles, roles=roles)
        everywhere = None if dataset is None else tuple(one.id for one in datasets)
        # Each ranking goes deeper than k: what is tenth in both may be first together.
        depth = asked.k if mode in ("text", "vector") else max(100, 4 * asked.k)
        rankings = {}
        if vector is not None and fitting:
            near = Scope(host, tuple(one.id for one in fitting), access)
            rankings["vector"] = by_vector(connection, vector, near, depth)
        if asked.query is not None and mode != "vector":
            rankings["text"] = by_words(connection, asked.query, Scope(host, everywhere, access), depth)
        ranked = {one.pk: one for one in fused(rankings)}
        found = _rows(connection, ranked, asked.k)
    best = sorted(found, key=lambda row: (-ranked[row.pk].score, row.source, row.index, row.id))
    return [(row, ranked[row.pk]) for row in best[: asked.k]]


def _rows(connection: Connection, ranked: Mapping[int, Ranked], k: int) -> list[Any]:
    """The rows of the `k` best chunks, and of those that are as good as the last of them."""
    least = min(nlargest(k, (one.score for one in ranked.values())), default=0.0)
    found: list[Any] = []
    for some in batches(pk for pk, one in ranked.items() if one.score >= least):
        found += connection.execute(select(ChunkRow.__table__).where(ChunkRow.pk.in_(some))).all()
    return found


def _fitting(asked: Asked, datasets: Sequence[SearchedDataset], is_named: bool) -> list[SearchedDataset]:
    """The datasets whose vectors can be compared with that of the query. Raises where there are vectors but no such."""
    known = [one for one in datasets if one.dimension is not None]
    if asked.vector is not None:
        size = len(read_vector(asked.vector))
        found = [one for one in known if one.dimension == size]
        if known and not found:
            raise DimensionError(f"The vector has {size} numbers, but {_sizes(known)}.")
        if len({one.embedder for one in found}) > 1:
            raise OtherEmbedderError(
                f"The vector could be compared with those of several embedders: {_embedders(found)}. Name the dataset."
            )
        return found
    name = asked.maker.name if asked.maker is not None else ""
    found = [one for one in known if one.embedder == name]
    if known and not found:
        which = "Give that one" if is_named or len(known) == 1 else "Give one of these"
        raise OtherEmbedderError(
            f"Vectors of {name!r} cannot be compared with those that are kept: {_embedders(known)}. {which} as the "
            "embedder, or search with mode='text'."
        )
    return found


def _vector(asked: Asked, fitting: Sequence[SearchedDataset]) -> list[float]:
    if asked.vector is not None:
        return read_vector(asked.vector)
    assert asked.maker is not None
    assert asked.query is not None
    vector = query_vector(asked.maker, asked.query)
    _check_sizes(vector, asked, fitting)
    return vector


def _check_sizes(vector: Sequence[float], asked: Asked, fitting: Sequence[SearchedDataset]) -> None:
    wrong = [one for one in fitting if one.dimension != len(vector)]
    if wrong:
        name = "The query" if asked.maker is None else asked.maker.name
        raise DimensionError(f"{name} gives vectors of {len(vector)} numbers, but {_sizes(wrong)}.")


def _sizes(datasets: Sequence[SearchedDataset]) -> str:
    return ", ".join(f"the dataset {one.name!r} has vectors of {one.dimension}" for one in datasets[:5])


def _embedders(datasets: Sequence[SearchedDataset]) -> str:
    return ", ".join(f"the dataset {one.name!r} has those of {one.embedder!r}" for one in datasets[:5])
