"""Full text: Okapi BM25 over the words of the chunks that may be seen, the same in both databases.

How rare a word is, and how long chunks are, is counted among these alone: what FTS5's `bm25` and `ts_rank` give depends
on the chunks of others, and so would tell of them. The indexes of the databases (FTS5, GIN) find the words.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from heapq import nlargest
from math import log
from typing import Any

from sqlalchemy import (
    BigInteger,
    Connection,
    Integer,
    Subquery,
    Text,
    bindparam,
    cast,
    column,
    exists,
    func,
    literal,
    select,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from ..tables import ChunkRow
from ..terms import MOST_COUNTED, query_terms
from .filters import Scope, by_place, conditions, counted

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
    which a database hands out its rows; chunks that are alike are in the order of source and index.
    """
    found = query_terms(query)
    if not found:
        return []
    dialect = connection.dialect.name
    allowed = conditions(scope, dialect)
    places = _places(found, dialect)
    # Not a join: SQLite would begin with the chunks, of which most have none of the words.
    seen = exists().where(ChunkRow.pk == places.c.pk, *allowed)
    rows = connection.execute(select(places.c.pk, places.c.term, places.c.count, places.c.words).where(seen)).all()
    if not rows:
        return []
    total = int(connection.execute(counted(scope, dialect)).scalar_one())
    scores = _scores(rows, total)
    least = nlargest(k, scores.values())[-1]
    best = [pk for pk, score in scores.items() if score >= least]
    # As one value: databases limit how many are bound, and any number of chunks may be alike.
    listed = _numbers(best, dialect)
    ordered = connection.execute(select(ChunkRow.pk).where(ChunkRow.pk.in_(listed)).order_by(*by_place(dialect)))
    ranked = sorted(ordered.scalars(), key=lambda pk: -scores[pk])  # a stable sort
    return [(pk, scores[pk] / _UNIT) for pk in ranked[:k]]


def _scores(rows: Sequence[Any], total: int) -> dict[int, int]:
    """BM25 of each chunk in billionths, over rows of (pk, word, count, words of the chunk) and `total` chunks."""
    chunks = Counter(term for _, term, _, _ in rows)
    weights = {
        term: log(1 + (total - count + 0.5) / (count + 0.5)) * (K1 + 1) * _UNIT for term, count in chunks.items()
    }
    # The mean over the chunks with a word of the query, once for each word: they are read anyway.
    by_length = K1 * B / (sum(words for _, _, _, words in rows) / len(rows))
    found: dict[int, int] = {}
    for pk, term, count, words in rows:
        part = int(weights[term] * count / (count + K1 * (1 - B) + by_length * words))
        found[pk] = found.get(pk, 0) + part
    return found


def _numbers(numbers: Sequence[int], dialect: str) -> Any:
    held = json.dumps(numbers)
    if dialect == "postgresql":
        return select(cast(func.jsonb_array_elements_text(cast(literal(held, Text()), JSONB)), BigInteger))
    return select(func.json_each(held).table_valued("value").c.value)


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
