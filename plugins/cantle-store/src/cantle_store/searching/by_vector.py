"""Search by vector: the cosine, exact."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Float, bindparam, func, literal_column, select

from ..tables import ChunkRow, Vector
from .cosines import cosines
from .filters import Scope, by_place, conditions

__all__ = ["by_vector"]

_SPARE, _MORE = 16, 2_000
_NEAR = 1e-5
"""Distances that differ by less may be in another order: float32, over some thousand numbers."""


def by_vector(connection: Connection, vector: Sequence[float], scope: Scope, k: int) -> list[tuple[int, float]]:
    """Primary keys of the `k` nearest chunks with the cosine of their vectors (from -1 to 1).

    A vector of zeros has a cosine of 0 with any other. All vectors of the datasets must have the same length. The
    databases compute in float32, each in its own way: the best of theirs, and what is as near as the last of them (some
    thousand at most), are computed once more, so that both give the same. Chunks that are alike are in the order of
    source and index.
    """
    given = bindparam("vector", list(vector), type_=Vector())
    if connection.dialect.name == "postgresql":
        distance: Any = func.coalesce(
            func.nullif(ChunkRow.embedding.op("<=>", return_type=Float())(given), literal_column("'NaN'::float8")), 1.0
        )
    else:
        distance = func.coalesce(func.vec_distance_cosine(ChunkRow.embedding, given), 1.0)
    query = (
        select(
            ChunkRow.pk, ChunkRow.embedding, ChunkRow.source, ChunkRow.index, ChunkRow.id, distance.label("distance")
        )
        .where(ChunkRow.embedding.is_not(None), *conditions(scope, connection.dialect.name))
        .order_by(distance, *by_place(connection.dialect.name))
    )
    rows = connection.execute(query.limit(k + _SPARE)).all()
    if len(rows) == k + _SPARE and rows[-1].distance - rows[k - 1].distance < _NEAR:
        rows = connection.execute(query.limit(k + _MORE)).all()
    scored = zip(rows, cosines(vector, [row.embedding for row in rows]), strict=True)
    best = sorted(scored, key=lambda one: (-one[1], one[0].source, one[0].index, one[0].id))
    return [(row.pk, score) for row, score in best[:k]]
