"""Full text: Okapi BM25 over the words of the chunks that may be seen, the same in both databases.

How rare a word is, and how long chunks are, is counted among these alone: what FTS5's `bm25` and `ts_rank` give depends
on the chunks of others, and so would tell of them. The indexes of the databases (FTS5, GIN) find the words.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, select, text

from ..tables import ChunkRow
from ..terms import query_terms
from .bm25 import Array, Lengths, Places, best, places
from .filters import Scope, by_place, conditions, counted, lengths
from .postings import either, listed, own_postings, postings, read_lengths

__all__ = ["by_words"]

_FEW_CHUNKS, _FEW_WORDS = 1_000, 200_000
"""Among so few, words are looked for in each chunk: the chunks of others are not looked at."""

_FEW_FOUND = 2_000
"""So few chunks with words of the query are looked up one by one, whether they may be seen."""


def by_words(connection: Connection, query: str, scope: Scope, k: int) -> list[tuple[int, float]]:
    """Primary keys of the `k` best chunks that have words of the query, with their BM25 (above 0, no upper bound).

    Any text is a query: there is no syntax. Chunks that are alike are in the order of source and index.
    """
    found = query_terms(query)
    if not found:
        return []
    dialect = connection.dialect.name
    if dialect == "postgresql":  # which would compile long lists of tokens, anew for each word
        connection.execute(text("SET LOCAL jit = off"))
    seen: Lengths | None = None
    if scope.access.where:  # counting them takes as long as reading them
        seen = read_lengths(connection, lengths(scope, dialect))
        total = len(seen.pks)
    else:
        total = int(connection.execute(counted(scope, dialect)).scalar_one())
    if not total:
        return []
    if seen is None and total <= _FEW_CHUNKS:
        seen = read_lengths(connection, lengths(scope, dialect))
    among, read = _reader(connection, found, scope, seen)
    scores = best(among, found, read, total, k)
    # As one value: databases limit how many are bound, and any number of chunks may be alike.
    those = ChunkRow.pk.in_(listed(list(scores), dialect))
    ordered = connection.execute(select(ChunkRow.pk).where(those).order_by(*by_place(dialect)))
    ranked = sorted(ordered.scalars(), key=lambda pk: -scores[pk])  # a stable sort
    return [(pk, scores[pk]) for pk in ranked[:k]]


def _reader(
    connection: Connection, terms: list[str], scope: Scope, seen: Lengths | None
) -> tuple[Lengths, Callable[[str], Places]]:
    """Chunks that may be seen (of rare words those that have one), and what reads where among these a word is.

    `seen` are all that may be seen, where these were read already.
    """
    dialect = connection.dialect.name
    if seen is not None:
        among = seen
        if len(seen.pks) <= _FEW_CHUNKS and int(seen.words.sum()) <= _FEW_WORDS:
            own = own_postings(connection, terms, seen.pks)
            return among, lambda term: places(among, own[term])
        return among, lambda term: places(among, postings(connection, term))
    early: dict[str, list[tuple[int, Array]]] = {}
    size = 0
    for term in terms:
        early[term] = postings(connection, term)
        size += sum(len(pks) for _, pks in early[term])
        if size > _FEW_FOUND:
            among = read_lengths(connection, lengths(scope, dialect))
            break
    else:
        those = listed(either(pks for parts in early.values() for _, pks in parts), dialect)
        query: Any = select(ChunkRow.pk, ChunkRow.words)
        among = read_lengths(connection, query.where(ChunkRow.pk.in_(those), *conditions(scope, dialect)))

    def read(term: str) -> Places:
        # Kept once: what was read early may be long.
        parts = early.pop(term, None)
        return places(among, postings(connection, term) if parts is None else parts)

    return among, read
