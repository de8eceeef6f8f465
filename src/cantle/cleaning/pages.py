"""The pages of a text, and the lines at their edges, where headers, footers and page numbers stand."""

from __future__ import annotations

import re
from typing import NamedTuple

from .blanks import BLANK

__all__ = ["Line", "Page", "split"]

_BLANKS = re.compile(f"[{BLANK}]*")


class Line(NamedTuple):
    """A line without the blanks around it, and where it stands in the text."""

    start: int
    end: int
    text: str


class Page(NamedTuple):
    """A page that is not blank.

    `ordinal` is its place among all pages and `kept` that among the pages that are not blank, both from 1. `start` is
    where its first line begins (indentation included), `end` where its last character stands. `top` holds the first
    line and the second (if there is one), `bottom` the last line and the last but one.
    """

    ordinal: int
    kept: int
    start: int
    end: int
    top: tuple[Line, ...]
    bottom: tuple[Line, ...]


def split(text: str) -> tuple[list[Page], int]:
    """The pages of a text that are not blank, and the number of all pages. A form feed ends a page."""
    pages: list[Page] = []
    ordinal = at = 0
    for ordinal, part in enumerate(text.split("\f"), 1):
        if part and (stripped := part.strip(BLANK)):
            pages.append(_page(text, at, part, stripped, ordinal, len(pages) + 1))
        at += len(part) + 1
    return pages, ordinal


def _page(text: str, at: int, part: str, stripped: str, ordinal: int, kept: int) -> Page:
    indented = len(part) - len(part.lstrip(BLANK))
    begin = at + indented
    end = begin + len(stripped)
    start = at + part.rfind("\n", 0, indented) + 1
    first = text.find("\n", begin, end)
    if first < 0:
        line = (Line(begin, end, stripped),)
        return Page(ordinal, kept, start, end, line, line)
    top = [_line(text, begin, first)]
    following = _after(text, first, end)
    second = text.find("\n", following, end)
    top.append(_line(text, following, end if second < 0 else second))
    last = text.rfind("\n", begin, end) + 1
    before = begin + len(text[begin:last].rstrip(BLANK))
    bottom = (_line(text, last, end), _line(text, max(begin, text.rfind("\n", begin, before) + 1), before))
    return Page(ordinal, kept, start, end, tuple(top), bottom)


def _line(text: str, start: int, end: int) -> Line:
    line = text[start:end]
    stripped = line.lstrip(BLANK)
    start += len(line) - len(stripped)
    stripped = stripped.rstrip(BLANK)
    return Line(start, start + len(stripped), stripped)


def _after(text: str, start: int, end: int) -> int:
    match = _BLANKS.match(text, start, end)
    return match.end() if match else start
