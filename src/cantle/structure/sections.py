"""Which sections of a document go together into one chunk, and which are longer than one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ..graphemes import trim
from ..lengths import Measure
from .headers import Headers
from .outline import Outline

__all__ = ["Unit", "units"]


class Unit(NamedTuple):
    """A stretch of whole sections, `first` to `last` by their headings' numbers; -1 is the text before the first.

    `fits` says that it is one chunk.
    """

    start: int
    end: int
    first: int
    last: int
    fits: bool


def units(outline: Outline, measure: Measure, headers: Headers, room: float, least: float) -> list[Unit]:
    """The sections of a document, the small ones joined with what follows them, else with what is before.

    A section shorter than `least` is joined with its own subsections and with its later siblings, never with the
    section of another parent. Its heading counts as a part of it. A small one before a section that is cut anyway makes
    one stretch with it, which is cut below its headings; so does a heading without any text before any section. Nothing
    is joined over a border that is no heading.
    """
    text, headings = outline.text, outline.headings
    starts = [heading.start for heading in headings]
    size = _sizer(text, measure)
    first = -1 if not starts or not _is_blank(text, 0, starts[0]) else 0
    found: list[Unit] = []
    i = first
    while i < len(starts) or i < 0:
        start = starts[i] if i > first else 0
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
        if fits and measured < least and found and _goes_back(outline, found[-1], level):
            joined = size(found[-1].start, end)
            if not found[-1].fits or joined <= room - headers.size_above(found[-1].first):
                before = found.pop()
                unit = Unit(before.start, end, before.first, last, before.fits)
        found.append(unit)
        i = last + 1
    return found


def _goes_back(outline: Outline, before: Unit, level: int) -> bool:
    """Whether a section of a level may join the unit before it: it is under the same heading, or under that one."""
    return before.first >= 0 and outline.headings[before.first].level <= level


def _is_bare(outline: Outline, number: int, end: int) -> bool:
    """Whether a section that ends at `end` is nothing but its heading."""
    return number >= 0 and _is_blank(outline.text, outline.headings[number].end, end)


def _sizer(text: str, measure: Measure) -> Callable[[int, int], float]:
    def size(start: int, end: int) -> float:
        return measure.length(*trim(text, start, end))

    return size


def _is_blank(text: str, start: int, end: int) -> bool:
    low, high = trim(text, start, end)
    return low >= high
