"""The pages of a text, and the lines at their edges, where headers, footers and page numbers stand."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..whitespace import BLANKS

__all__ = ["Layout", "Line", "Page", "split"]

_BLANKS = re.compile(f"[{BLANKS}]*")
_DIGIT = re.compile("[0-9]")
_SHORT = 64


class Line(NamedTuple):
    """A line without the blanks around it, and where it stands in its page."""

    start: int
    end: int
    text: str


class Layout:
    """Where the lines of a page stand; equal short pages share one.

    `start` is where its first line that is not blank begins (indentation included), `end` where its last character
    that is not blank ends. `top` holds the first line and the second (if there is one), `bottom` the last line and the
    last but one. `digits` tells whether one of these holds a digit. `lines` tells whether there is a line end inside.
    """

    __slots__ = ("bottom", "digits", "end", "lines", "start", "top")

    def __init__(self, page: str) -> None:
        indented = len(page) - len(page.lstrip(BLANKS))
        self.start = page.rfind("\n", 0, indented) + 1
        self.end = end = len(page.rstrip(BLANKS))
        first = page.find("\n", indented, end)
        self.lines = first >= 0
        self.top: tuple[Line, ...]
        self.bottom: tuple[Line, ...]
        if first < 0:
            self.top = self.bottom = (Line(indented, end, page[indented:end]),)
        else:
            following = first + _blanks(page, first)
            second = page.find("\n", following, end)
            last = page.rfind("\n", 0, end) + 1
            before = len(page[:last].rstrip(BLANKS))
            self.top = (_line(page, indented, first), _line(page, following, end if second < 0 else second))
            self.bottom = (_line(page, last, end), _line(page, page.rfind("\n", 0, before) + 1, before))
        self.digits = any(_DIGIT.search(line.text) for line in self.top + self.bottom)


class Page(NamedTuple):
    """A page that is not blank.

    `ordinal` is its place among all pages and `kept` that among the pages that are not blank, both from 1; `at` is
    where it begins in the text.
    """

    ordinal: int
    kept: int
    at: int
    layout: Layout


def split(text: str) -> tuple[list[Page], int]:
    """The pages of a text that are not blank, and the number of all pages. A form feed ends a page."""
    pages: list[Page] = []
    layouts: dict[str, Layout | None] = {}
    ordinal = at = 0
    for ordinal, part in enumerate(text.split("\f"), 1):
        if part in layouts:
            layout = layouts[part]
        else:
            layout = Layout(part) if part.strip(BLANKS) else None
            if len(part) <= _SHORT:
                layouts[part] = layout
        if layout:
            pages.append(Page(ordinal, len(pages) + 1, at, layout))
        at += len(part) + 1
    return pages, ordinal


def _line(page: str, start: int, end: int) -> Line:
    line = page[start:end]
    stripped = line.lstrip(BLANKS)
    start += len(line) - len(stripped)
    stripped = stripped.rstrip(BLANKS)
    return Line(start, start + len(stripped), stripped)


def _blanks(text: str, start: int) -> int:
    """How many blanks there are from here."""
    match = _BLANKS.match(text, start)
    return match.end() - start if match else 0
