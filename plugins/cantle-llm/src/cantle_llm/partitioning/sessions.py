"""Which lines are shown to the model at once: sub-texts, and windows that overlap inside of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from ..lines import Line

__all__ = ["Window", "short_lines", "sub_texts", "windows"]


class Window(NamedTuple):
    """The lines `[first, end)` of one session with the model, in the sub-text `part`."""

    number: int
    part: int
    first: int
    end: int


def short_lines(text: str, lines: Sequence[Line], most: int) -> list[Line]:
    """The lines, those above `most` characters divided at words, or else between grapheme clusters."""
    from cantle.lengths import resolve
    from cantle.text import cut

    measure = None
    found: list[Line] = []
    for line in lines:
        if line.end - line.start <= most:
            found.append(line)
            continue
        measure = measure or resolve("characters").measure(text)
        pieces = cut(text, measure, most, start=line.start, end=line.end, separators=("\n", " "))
        found += [line._replace(start=a, end=b, opens=line.opens and not i) for i, (a, b) in enumerate(pieces)]
    return found


def sub_texts(text: str, lines: Sequence[Line], most: int) -> list[tuple[int, int]]:
    """Stretches `[first, end)` of lines that span at most `most` characters each, as few as borders allow.

    A sub-text ends at the last paragraph in its second half, else at a line break there, else at a sentence. Lines are
    no longer than `most`, but where one grapheme cluster is.
    """
    ends = [line.end for line in lines]
    found: list[tuple[int, int]] = []
    first = 0
    while first < len(lines):
        begins = lines[first].start
        reach = max(first + 1, bisect_right(ends, begins + most))
        if reach < len(lines):
            reach = _border(text, lines, first, reach, begins + most // 2)
        found.append((first, reach))
        first = reach
    return found


def _border(text: str, lines: Sequence[Line], first: int, reach: int, least: int) -> int:
    broken = 0
    for at in range(reach, first, -1):
        if lines[at].start < least:
            break
        if lines[at].opens:
            return at
        if not broken and any(mark in text[lines[at - 1].end : lines[at].start] for mark in "\n\r"):
            broken = at
    return broken or reach


def windows(parts: Sequence[tuple[int, int]], most: int, overlap: int) -> list[Window]:
    """Windows of at most `most` lines over each sub-text; each has the last `overlap` lines of the one before too."""
    found: list[Window] = []
    for part, (first, end) in enumerate(parts):
        at = first
        while True:
            found.append(Window(len(found), part, at, min(at + most, end)))
            if at + most >= end:
                break
            at += most - overlap
    return found
