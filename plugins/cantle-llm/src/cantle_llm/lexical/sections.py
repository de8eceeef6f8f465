"""Which headings begin a topic: all of the level at which a document divides, and below it those with much text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..lines import Line
from .cleaning import LONGEST_LABEL, shortened
from .headings import Heading

__all__ = ["Section", "sections"]

_SMALL = 1500
"""A heading with all that is below it stays one topic up to so many characters, if its own level is not the dividing
one."""
_TINY = 300
"""Neighbours that are shorter are put together where a document has many of them."""
_MANY = 12


class Section(NamedTuple):
    """Lines `first` to `last`, under a heading of that text; None before the first heading."""

    first: int
    last: int
    label: str | None


class _Part(NamedTuple):
    first: int
    last: int
    level: int
    label: str
    bare: bool
    """Whether it is a heading without text of its own."""


def sections(lines: Sequence[Line], headings: Sequence[Heading]) -> list[Section]:
    """The sections that tile all lines, in order; `headings` are not empty.

    The dividing level is the highest that has more than one heading. Headings of it and above begin a section; one
    below does if what is under its parent is longer than 1,500 characters. A heading without text of its own goes with
    the one below it. Where there are more than twelve sections, neighbours of one level and less than 300 characters go
    together up to 1,500 characters, under the first and the last one's heading.
    """
    parts = _parts(lines, headings)
    dividing = _dividing(headings)
    kept: list[_Part] = []
    i = 0
    while i < len(parts):
        part = parts[i]
        end = i + 1
        if part.level >= dividing:
            start, below = lines[part.first].start, end
            # Looks ahead no further than the size allows, so that the whole is linear.
            while below < len(parts) and parts[below].level > part.level:
                if lines[parts[below].last].end - start > _SMALL:
                    break
                below += 1
            if below == len(parts) or parts[below].level <= part.level:
                end = below
        kept.append(part._replace(last=parts[end - 1].last, bare=part.bare and end == i + 1))
        i = end
    kept = _named(_with_text(kept))
    if len(kept) > _MANY:
        kept = _gathered(lines, kept)
    found = [Section(part.first, part.last, part.label) for part in kept]
    first = headings[0].first
    if first > 0:
        found.insert(0, Section(0, first - 1, None))
    return found


def _parts(lines: Sequence[Line], headings: Sequence[Heading]) -> list[_Part]:
    parts = []
    for number, heading in enumerate(headings):
        last = headings[number + 1].first - 1 if number + 1 < len(headings) else len(lines) - 1
        parts.append(_Part(heading.first, last, heading.level, heading.label, last == heading.last))
    return parts


def _dividing(headings: Sequence[Heading]) -> int:
    """The highest level that has more than one heading; the lowest if none has."""
    counts: dict[int, int] = {}
    for heading in headings:
        counts[heading.level] = counts.get(heading.level, 0) + 1
    return min((level for level, count in counts.items() if count > 1), default=max(counts))


def _with_text(parts: Sequence[_Part]) -> list[_Part]:
    """Headings without text of their own, put together with what follows below them, else with what goes before."""
    kept: list[_Part] = []
    for part in parts:
        if kept and kept[-1].bare and part.level > kept[-1].level:
            above = kept.pop()
            label = shortened(f"{above.label} – {part.label}", LONGEST_LABEL)
            part = part._replace(first=above.first, label=label, level=above.level)
        kept.append(part)
    return kept


def _named(parts: Sequence[_Part]) -> list[_Part]:
    """The parts, where one whose words head several has those of the section that it is in before its own."""
    counts = Counter(part.label for part in parts)
    above: list[_Part] = []
    kept = []
    for part in parts:
        while above and above[-1].level >= part.level:
            above.pop()
        if above and counts[part.label] > 1:
            kept.append(part._replace(label=shortened(f"{above[-1].label} – {part.label}", LONGEST_LABEL)))
        else:
            kept.append(part)
        above.append(part)
    return kept


def _gathered(lines: Sequence[Line], parts: Sequence[_Part]) -> list[_Part]:
    kept: list[_Part] = []
    heads: list[str] = []
    open_ = False  # whether the last of `kept` is of tiny ones
    for part in parts:
        tiny = lines[part.last].end - lines[part.first].start < _TINY
        if tiny and open_ and part.level == kept[-1].level:
            whole = kept[-1]
            if lines[part.last].end - lines[whole.first].start <= _SMALL:
                label = shortened(f"{heads[-1]} … {part.label}", LONGEST_LABEL)
                kept[-1] = whole._replace(last=part.last, label=label)
                continue
        kept.append(part)
        heads.append(part.label)
        open_ = tiny
    return kept
