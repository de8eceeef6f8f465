"""The text of a notebook: how its cells are divided, and what they are. For its reader and for the strategy."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from cantle.text import is_blank

__all__ = ["Cell", "Heading", "Notebook", "guarded", "marker"]

_MARKER = re.compile(r"^<!-- cell (\d{1,9}): (markdown|code|raw) -->[ \t]*(?:\r?\n|\Z)", re.M)
_LIKE = re.compile(r"^(?=<!-- cell \d{1,9}: )", re.M)
_FENCE = re.compile(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*)|$)")
_UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:[>|]|[-+*][ \t]|\d{1,9}[.)][ \t]|<!--)| {4}|\t")
_LONGEST_TITLE = 1024


def marker(number: int, kind: str) -> str:
    """The line before a cell, without its line end; `kind` is markdown, code or raw."""
    return f"<!-- cell {number}: {kind} -->"


def guarded(text: str) -> str:
    """The text of a cell, with a blank before each line that would be taken for a marker."""
    return _LIKE.sub(" ", text)


class Heading(NamedTuple):
    """A heading at a place of `Notebook.text`."""

    at: int
    level: int
    title: str


class Cell(NamedTuple):
    """A cell: `[start, end)` of `Notebook.text`. `level` is that of the heading it begins with, else 0."""

    number: int
    kind: str
    start: int
    end: int
    level: int
    bare: bool
    """Whether it has nothing but headings."""


class Notebook:
    """The text of a notebook without its markers, `text`, and where each stretch of it stands in the source.

    A text without markers is one Markdown cell with the number 0, and so is what stands before the first.
    """

    def __init__(self, source: str) -> None:
        self.markers = [match.span() for match in _MARKER.finditer(source)]
        self.cells: list[Cell] = []
        self.headings: list[Heading] = []
        parts: list[str] = []
        self._news: list[int] = []
        self._olds: list[int] = []
        size = 0
        for number, kind, start, end in _regions(source):
            part = source[start:end]
            if is_blank(part):
                continue
            headings = list(_headings(part, size)) if kind == "markdown" else []
            first = next((i for i, c in enumerate(part) if not is_blank(c)), 0)
            begins = bool(headings) and part.rfind("\n", 0, first) + 1 >= headings[0].at - size
            bare = begins and all(_is_heading(line) for line in part.split("\n"))
            self.cells.append(Cell(number, kind, size, size + len(part), headings[0].level if begins else 0, bare))
            self.headings += headings
            self._news.append(size)
            self._olds.append(start)
            parts.append(part)
            size += len(part)
        self.text = "".join(parts)

    def spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """The stretches of the source that `[start, end)` of the text was taken from."""
        found = []
        i = max(0, bisect_right(self._news, start) - 1)
        while i < len(self.cells) and self.cells[i].start < end:
            low, high = max(start, self.cells[i].start), min(end, self.cells[i].end)
            if low < high:
                shift = self._olds[i] - self._news[i]
                found.append((low + shift, high + shift))
            i += 1
        return found

    def within(self, start: int, end: int) -> list[Cell]:
        """The cells that `[start, end)` of the text has something of."""
        low = max(0, bisect_right(self._news, start) - 1)
        high = low
        while high < len(self.cells) and self.cells[high].start < end:
            high += 1
        return self.cells[low:high]


def _regions(source: str) -> Iterator[tuple[int, str, int, int]]:
    number, kind, at = 0, "markdown", 0
    for match in _MARKER.finditer(source):
        if match.start() > at:
            yield number, kind, at, match.start()
        number, kind, at = int(match[1]), match[2], match.end()
    if at < len(source):
        yield number, kind, at, len(source)


def _is_heading(line: str) -> bool:
    return is_blank(line) or _ATX.match(line) is not None


def _headings(part: str, shift: int) -> Iterator[Heading]:
    """The headings of a Markdown cell, with `#` or underlined, outside of fenced code."""
    fence, paragraph = "", -1
    at = 0
    for ended in part.split("\n"):
        line = ended.removesuffix("\r")
        opened = _FENCE.match(line)
        if fence:
            if opened and opened[1][0] == fence[0] and len(opened[1]) >= len(fence) and is_blank(line[opened.end() :]):
                fence = ""
        elif opened:
            fence, paragraph = opened[1], -1
        elif match := _ATX.match(line):
            paragraph = -1
            if title := _closed(match[2] or ""):
                yield Heading(shift + at, len(match[1]), title)
        elif paragraph >= 0 and (match := _UNDERLINE.match(line)):
            title = " ".join(part[paragraph:at].split())[:_LONGEST_TITLE]
            yield Heading(shift + paragraph, 1 if match[1][0] == "=" else 2, title)
            paragraph = -1
        elif is_blank(line) or (paragraph < 0 and _NO_PARAGRAPH.match(line)):
            paragraph = -1
        elif paragraph < 0:
            paragraph = at
        at += len(ended) + 1


def _closed(title: str) -> str:
    """A title without the `#` that may close it."""
    title = title[:_LONGEST_TITLE].strip()
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title
