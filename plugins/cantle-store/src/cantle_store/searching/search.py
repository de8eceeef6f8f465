"""Search: the filter is part of the query, so that what may not be seen is never ranked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Float, bindparam, column, func, literal_column, select, table

from ..tables import ChunkRow, Vector
from ..terms import terms

__all__ = ["by_vector", "by_words", "fused"]

_TERMS = table("chunk_terms", column("chunk_pk"), column("rowid"), column("terms"))

RRF = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke, Buettcher 2009)."""


def by_vector(
    connection: Connection, vector: Sequence[float], allowed: Sequence[ColumnElement[bool]], k: int
) -> list[tuple[int, float]]:
    """Primary keys of the nearest chunks with the cosine of their vectors."""
    given = bindparam("vector", list(vector), type_=Vector())
    if connection.dialect.name == "postgresql":
        distance: Any = ChunkRow.embedding.op("<=>", return_type=Float())(given)
    else:
        distance = func.vec_distance_cosine(ChunkRow.embedding, given)
    query = (
        select(ChunkRow.pk, distance.label("distance"))
        .where(ChunkRow.embedding.is_not(None), *allowed)
        .order_by(literal_column("distance"), ChunkRow.id)
        .limit(k)
    )
    return [(row.pk, 1.0 - row.distance) for row in connection.execute(query)]


def by_words(
    connection: Connection, query: str, allowed: Sequence[ColumnElement[bool]], k: int
) -> list[tuple[int, float]]:
    """Primary keys of the chunks that have words of the query, the best first."""
    found = list(dict.fromkeys(terms(query)))
    if not found:
        return []
    if connection.dialect.name == "postgresql":
        wanted = " | ".join("'" + word.replace("\\", "\\\\").replace("'", "''") + "'" for word in found)
        query_of = func.to_tsquery(literal_column("'simple'"), wanted)
        score: Any = func.ts_rank_cd(_TERMS.c.terms, query_of)
        match: Any = _TERMS.c.terms.op("@@")(query_of)
        on = _TERMS.c.chunk_pk
    else:
        wanted = " OR ".join('"' + word.replace('"', '""') + '"' for word in found)
        score = -func.bm25(literal_column("chunk_terms"))
        match = literal_column("chunk_terms").op("MATCH")(wanted)
        on = _TERMS.c.rowid
    rows = connection.execute(
        select(ChunkRow.pk, score.label("score"))
        .select_from(ChunkRow)
        .join(_TERMS, on == ChunkRow.pk)
        .where(match, *allowed)
        .order_by(literal_column("score").desc(), ChunkRow.id)
        .limit(k)
    )
    return [(row.pk, row.score) for row in rows]


def fused(lists: dict[str, list[tuple[int, float]]]) -> list[tuple[int, float, dict[str, int]]]:
    """Several rankings as one: each gives 1 / (60 + rank)."""
    ranks: dict[int, dict[str, int]] = {}
    for name, ranking in lists.items():
        for rank, (pk, _) in enumerate(ranking, 1):
            ranks.setdefault(pk, {})[name] = rank
    scored = [(pk, sum(1 / (RRF + rank) for rank in of.values()), of) for pk, of in ranks.items()]
    return sorted(scored, key=lambda item: -item[1])
