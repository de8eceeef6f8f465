"""Which sections of a document go together into one chunk, and which are longer than one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..graphemes import trim
from ..lengths import Measure
from .headers import Headers
from .long import is_long
from .outline import Outline

__all__ = ["Unit", "is_blank_between", "units", "units_from"]


class Unit(NamedTuple):
    """A stretch of whole sections, `first` to `last` by their headings' numbers; -1 is the text before the first.

    `fits` says that it is one chunk.
    """

    start: int
    end: int
    first: int
    last: int
    fits: bool


def units(outline: Outline, measure: Measure, headers: Headers, room: float, least: float) -> Iterator[Unit]:
    """The sections of a document, the small ones joined with what follows them, else with what is before.

    A section shorter than `least` is joined with its own subsections and with its later siblings, never with the
    section of another parent. Its heading counts as a part of it. A small one before a section that is cut anyway makes
    one stretch with it, which is cut below its headings; so does a heading without any text before any section. Nothing
    is joined over a border that is no heading, nor to a stretch that is very long.
    """
    text, headings = outline.text, outline.headings
    first = -1 if not headings or not is_blank_between(text, 0, headings[0].start) else 0

    def size(start: int, end: int) -> float:
        return measure.length(*trim(text, start, end))

    return units_from(outline, headers, room, least, size, first, 0)


def units_from(
    outline: Outline,
    headers: Headers,
    room: float,
    least: float,
    size: Callable[[int, int], float],
    first: int,
    begin: int,
) -> Iterator[Unit]:
    """Those from the heading `first` on, -1 for what is before the first one, with the position where that begins.

    `size` measures a stretch without the white space at its ends.
    """
    text, headings = outline.text, outline.headings
    starts = [heading.start for heading in headings]
    before: Unit | None = None
    i = first
    while i < len(starts) or i < 0:
        start = starts[i] if i > first else begin
        level = headings[i].level if i >= 0 else 0
        last, end = i, starts[i + 1] if i + 1 < len(starts) else len(text)
        measured = size(start, end)
        limit = room - headers.size_above(i)
        fits = measured <= limit
        while fits and measured < least and last + 1 < len(starts) and headings[last + 1].level >= max(level, 1):
            following = starts[last + 2] if last + 2 < len(starts) else len(text)
            joined = size(start, following)
            if joined > limit and not _is_bare(outline, last, end):
                alone = size(starts[last + 1], following)
                if alone <= room - headers.size_above(last + 1):
                    break  # it stays whole
            last, end, measured, fits = last + 1, following, joined, joined <= limit
        unit = Unit(start, end, i, last, fits)
        if fits and measured < least and before is not None and _goes_back(outline, before, level):
            joined = size(before.start, end)
            if not before.fits or joined <= room - headers.size_above(before.first):
                unit = Unit(before.start, end, before.first, last, before.fits)
                before = None
        if before is not None:
            yield before
        before = unit
        i = last + 1
    if before is not None:
        yield before


def _goes_back(outline: Outline, before: Unit, level: int) -> bool:
    """Whether a section of a level may join the unit before it: it is under the same heading, or under that one."""
    if before.first < 0 or is_long(before.start, before.end):
        return False
    return outline.headings[before.first].level <= level


def _is_bare(outline: Outline, number: int, end: int) -> bool:
    """Whether a section that ends at `end` is nothing but its heading."""
    return number >= 0 and is_blank_between(outline.text, outline.headings[number].end, end)


def is_blank_between(text: str, start: int, end: int) -> bool:
    """Whether there is nothing but white space between two positions."""
    low, high = trim(text, start, end)
    return low >= high
