"""Full text: Okapi BM25 over the words of the chunks that may be seen, the same in both databases.

How rare a word is, and how long chunks are, is counted among these alone: what FTS5's `bm25` and `ts_rank` give depends
on the chunks of others, and so would tell of them. The indexes of the databases (FTS5, GIN) find the words.
"""

from __future__ import annotations

import json
from math import log
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Subquery,
    Text,
    bindparam,
    case,
    cast,
    column,
    exists,
    func,
    select,
    text,
)

from ..tables import ChunkRow
from ..terms import MOST_COUNTED, query_terms
from .filters import Scope, by_place, conditions

__all__ = ["by_words"]

K1, B = 1.2, 0.75  # as Lucene and SQLite have them
_UNIT = 1e9

_SQLITE = text(
    """
    SELECT v.doc AS pk, v.term AS term, min(count(*), :most) AS count, t.words AS words
    FROM json_each(:terms) q CROSS JOIN chunk_words v ON v.term = q.value CROSS JOIN chunk_terms t ON t.rowid = v.doc
    GROUP BY v.doc, v.term
    """
)
_POSTGRES = text(
    """
    SELECT t.chunk_pk AS pk, u.lexeme AS term, cardinality(u.positions) AS count, t.words AS words
    FROM chunk_terms t, unnest(t.terms) u
    WHERE t.terms @@ CAST(:query AS tsquery) AND u.lexeme IN :terms
    """
)


def by_words(connection: Connection, query: str, scope: Scope, k: int) -> list[tuple[int, float]]:
    """Primary keys of the `k` best chunks that have words of the query, with their BM25 (above 0, no upper bound).

    Any text is a query: there is no syntax. Scores are whole billionths, so that sums do not depend on the order in
    which a database adds; chunks that are alike are in the order of source and index.
    """
    found = query_terms(query)
    if not found:
        return []
    dialect = connection.dialect.name
    allowed = conditions(scope, dialect)
    places = _places(found, dialect)
    # Not a join: SQLite would begin with the chunks, of which most have none of the words.
    seen = exists().where(ChunkRow.pk == places.c.pk, *allowed)
    of_words = (
        select(places.c.term, func.count().label("chunks"), func.sum(places.c.words).label("words"))
        .where(seen)
        .group_by(places.c.term)
    )
    matched = connection.execute(of_words).all()
    if not matched:
        return []
    total = connection.execute(select(func.count()).select_from(ChunkRow).where(*allowed)).scalar_one()
    weights = {row.term: log(1 + (total - row.chunks + 0.5) / (row.chunks + 0.5)) for row in matched}
    # The mean over the chunks with a word of the query, once for each word: they are read anyway.
    mean = int(sum(row.words for row in matched)) / sum(row.chunks for row in matched)
    weight = case(weights, value=places.c.term, else_=0.0)
    part = weight * places.c.count * (K1 + 1) / (places.c.count + K1 * (1 - B) + K1 * B / mean * places.c.words)
    score = func.sum(cast(_truncated(part * _UNIT, dialect), BigInteger)).label("score")
    scored = select(places.c.pk, score).where(seen).group_by(places.c.pk).subquery("scored")
    best = (
        select(scored.c.pk, scored.c.score)
        .join(ChunkRow, ChunkRow.pk == scored.c.pk)
        .order_by(scored.c.score.desc(), *by_place(dialect))
        .limit(k)
    )
    return [(row.pk, int(row.score) / _UNIT) for row in connection.execute(best)]


def _places(found: list[str], dialect: str) -> Subquery:
    """Rows (pk, term, count, words): how often a chunk has a word of the query, and how many words it has."""
    if dialect == "postgresql":
        query = " | ".join(f"'{term}'" for term in found)  # terms have neither quotes nor backslashes
        sql = _POSTGRES.bindparams(bindparam("terms", found, expanding=True), bindparam("query", query))
    else:
        sql = _SQLITE.bindparams(bindparam("terms", json.dumps(found)), bindparam("most", MOST_COUNTED))
    return sql.columns(
        column("pk", BigInteger), column("term", Text), column("count", Integer), column("words", Integer)
    ).subquery("places")


def _truncated(number: Any, dialect: str) -> Any:
    return func.trunc(number) if dialect == "postgresql" else number  # SQLite's cast to an integer truncates
