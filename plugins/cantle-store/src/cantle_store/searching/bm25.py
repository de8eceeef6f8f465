"""Okapi BM25 over arrays: the same numbers whatever database they come from, in whatever order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import log
from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = ["Array", "Lengths", "Places", "best", "places"]

K1, B = 1.2, 0.75  # as Lucene and SQLite have them
_UNIT = 1e9
_MOST_KEPT = 20_000_000  # places, of 5 bytes each; those beyond are read twice

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


class Lengths(NamedTuple):
    """Chunks, by their primary keys in order, and how many words each has."""

    pks: Array
    words: Array


class Places(NamedTuple):
    """Which chunks have a word, by their places in `Lengths`, and how often."""

    at: Array
    counts: Array


def places(lengths: Lengths, parts: Iterable[tuple[int, Array]]) -> Places:
    """The chunks of `lengths` that have a word, of lists of chunks that have it a number of times, which add up."""
    counts = np.zeros(len(lengths.pks), np.uint8)
    if not len(counts):
        return Places(counts.nonzero()[0], counts)
    for part, pks in parts:
        at = np.minimum(np.searchsorted(lengths.pks, pks), len(counts) - 1)
        counts[at[lengths.pks[at] == pks]] += part  # a chunk is in a list once
    at = counts.nonzero()[0].astype(np.int32)
    return Places(at, counts[at])


def best(lengths: Lengths, terms: Iterable[str], read: Callable[[str], Places], total: int, k: int) -> dict[int, float]:
    """The primary keys of the `k` best chunks, and of those that are like the last of them, with their scores.

    `total` is the number of chunks among which words are rare. Scores are whole billionths, so that sums do not depend
    on an order.
    """
    kept: dict[str, Places] = {}
    chunks: dict[str, int] = {}
    rows = words = size = 0
    for term in terms:
        found = read(term)
        chunks[term] = len(found.at)
        rows += len(found.at)
        words += int(lengths.words[found.at].sum())
        if (size := size + len(found.at)) <= _MOST_KEPT:
            kept[term] = found
    if not rows:
        return {}
    # The mean over the chunks with a word of the query, once for each word.
    by_length = K1 * B / (words / rows)
    base = K1 * (1 - B)
    norms = by_length * lengths.words
    scores = np.zeros(len(lengths.pks), np.int64)
    has_word = np.zeros(len(scores), bool)
    for term, count in chunks.items():
        if count:
            at, counts = kept.get(term) or read(term)
            weight = log(1 + (total - count + 0.5) / (count + 0.5)) * (K1 + 1) * _UNIT
            scores[at] += (weight * counts / (counts + base + norms[at])).astype(np.int64)
            has_word[at] = True
    among = scores[has_word]
    least = np.partition(among, len(among) - k)[len(among) - k] if len(among) > k else 0
    chosen = (has_word & (scores >= least)).nonzero()[0]
    return {pk: score / _UNIT for pk, score in zip(lengths.pks[chosen].tolist(), scores[chosen].tolist(), strict=True)}
