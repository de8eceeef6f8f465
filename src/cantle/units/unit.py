"""A unit, and the sentences of prose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ..blocks.sentences import Segmenter, segmenter
from ..chunk import Span

__all__ = ["HOLDING", "Unit", "between", "nested", "rules", "sentences"]

HOLDING = ("list", "quote", "environment")
"""Kinds that may hold other units."""


class Unit(NamedTuple):
    """A stretch `[start, end)` of a document's text, in code points, and what it is: `sentence`, `table`, ..."""

    kind: str
    start: int
    end: int


@cache
def rules() -> Segmenter:
    """What finds sentences in text of any language."""
    return segmenter("rules", "any")


def between(start: int, end: int, solid: Iterable[Span], breaks: Iterable[int] = ()) -> Iterator[Span]:
    """What `solid` stretches leave of a region, parted at `breaks` too; both ascend, and stretches may nest."""
    cuts = sorted([*solid, *((at, at) for at in breaks)])
    for low, high in cuts:
        if low > start:
            yield start, min(low, end)
        start = max(start, high)
        if start >= end:
            return
    if start < end:
        yield start, end


def nested(found: Iterable[Unit]) -> Iterator[Unit]:
    """Units in order, without those in one that holds none, or across the end of one around them."""
    around: list[Unit] = []
    for unit in sorted(found, key=lambda unit: (unit.start, -unit.end, unit.kind not in HOLDING)):
        while around and around[-1].end <= unit.start:
            around.pop()
        if unit.start < unit.end and (not around or (around[-1].kind in HOLDING and unit.end <= around[-1].end)):
            around.append(unit)
            yield unit


def sentences(text: str, stretches: Iterable[Span]) -> Iterator[Unit]:
    """The sentences of some stretches of a text, each for itself."""
    for start, end in stretches:
        part = text[start:end]
        if part and not part.isspace():
            for a, b in rules().on(part):
                yield Unit("sentence", start + a, start + b)
