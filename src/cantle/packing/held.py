"""Stretches to keep whole, and what holds two of them together where there is room."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from ..chunk import Span
from ..lengths import Measure, within

__all__ = ["encloses", "held"]


def encloses(stretches: Sequence[Span], position: int) -> bool:
    """Whether a position is strictly inside one of some ascending disjoint stretches."""
    i = bisect_left(stretches, (position, -1)) - 1
    return i >= 0 and position < stretches[i][1]


def held(
    keep: Sequence[Span], ties: Iterable[Span], measure: Measure | None = None, limit: float = math.inf
) -> list[Span]:
    """`keep` with `ties` added: stretches that reach from one piece into the next, a heading and what follows it.

    A tie takes in the stretch to keep that it ends in, if both together are within `limit`; otherwise there is none,
    for what fits is not cut for a tie (without `keep` nothing is measured). All are ascending and disjoint; the ties
    as given may overlap.
    """
    found: list[Span] = []
    holds = False  # whether there is a stretch to keep in the last one
    for start, end, tie in sorted([*((a, b, False) for a, b in keep), *((a, b, True) for a, b in ties)]):
        into = tie and encloses(keep, end)
        if into:
            end = keep[bisect_right(keep, (end, -1)) - 1][1]
        joins = bool(found) and start < found[-1][1]
        if joins:
            if end <= found[-1][1]:
                continue
            start = found[-1][0]
        if measure is not None and (into or (joins and holds)) and not within(measure, start, end, limit):
            continue
        holds = into or not tie or (joins and holds)
        if joins:
            found[-1] = (start, end)
        else:
            found.append((start, end))
    return found
