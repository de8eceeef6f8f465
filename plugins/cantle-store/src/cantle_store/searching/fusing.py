"""Several rankings as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

__all__ = ["CONSTANT", "Ranked", "fused"]

CONSTANT = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, SIGIR 2009)."""


class Ranked(NamedTuple):
    """A chunk by its primary key, with its score and its rank in each ranking, from 1."""

    pk: int
    score: float
    ranks: dict[str, int]


def fused(rankings: Mapping[str, Sequence[tuple[int, float]]]) -> list[Ranked]:
    """Rankings of (primary key, score), the best first, as one; it is not sorted.

    The score of a single ranking is kept. Of several it is the sum of 1 / (60 + rank).
    """
    ranks: dict[int, dict[str, int]] = {}
    for name, ranking in rankings.items():
        for rank, (pk, _) in enumerate(ranking, 1):
            ranks.setdefault(pk, {})[name] = rank
    if len(rankings) == 1:
        return [Ranked(pk, score, ranks[pk]) for ranking in rankings.values() for pk, score in ranking]
    return [Ranked(pk, sum(1 / (CONSTANT + rank) for rank in sorted(of.values())), of) for pk, of in ranks.items()]
