"""The sections of a Markdown text by the headings that a caller lists, and the metadata of each."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

from ..blocks.lines import view
from ..blocks.markdown import is_atx, title
from ..chunk import Span
from ..places import Path
from ..whitespace import STRIP, is_blank
from .cuts import Layout

__all__ = ["Part", "sections"]

_BLANKS = f"[{re.escape(STRIP.replace(chr(10), ''))}]"
_LINE = re.compile(r"[^\r\n]+(?:\r\n|\n|\r|\Z)")
_NO_HEADINGS = ("fence", "maths", "html", "comment", "front-matter")
"""Blocks in whose lines no heading with a mark of the caller's own is looked for."""


class Part(NamedTuple):
    """A stretch that is a chunk, or several where it is too long."""

    start: int
    end: int
    metadata: Mapping[str, str]
    path: Path


class Sections(NamedTuple):
    """What the listed headings make of a text: the parts, in order, and the headings that are in none."""

    parts: list[Part]
    dropped: list[Span]


class _Heading(NamedTuple):
    start: int
    end: int
    level: int
    key: str
    value: str
    name: str


@dataclass(slots=True)
class _Open:
    """A heading whose section is open. `metadata` and `path` are those of its section."""

    heading: _Heading
    metadata: dict[str, str]
    path: Path
    named: bool = False


def sections(
    layout: Layout, headers: Sequence[tuple[str, str]], *, strip: bool, lines: bool, underlined: bool
) -> Sections:
    """Cut a text into sections.

    With `strip`, heading lines are left out, but for those whose title would then be nowhere. With `lines`, every
    line is a part. `underlined` headings count when asked for.
    """
    return _Cutter(layout.text, _headings(layout, headers, underlined), headers, strip, lines).cut()


def _headings(layout: Layout, headers: Sequence[tuple[str, str]], underlined: bool) -> list[_Heading]:
    """The listed headings, in order."""
    text = layout.text
    keys: dict[str, str] = {}
    for mark, key in headers:
        keys.setdefault(mark, key)  # the first of two equal marks counts
    words = sorted((mark for mark in keys if mark.strip("#") or len(mark) > 6), key=len, reverse=True)
    levels = {len(mark): key for mark, key in keys.items() if mark not in words}
    worded = list(_worded(layout, words, keys)) if words else []
    taken = {heading.start for heading in worded}
    found: list[_Heading] = []
    for block in layout.headings:
        level = block.level
        if level not in levels or block.start in taken:
            continue
        if is_atx(text, block):
            low, high = block.head
            if text[low : low + 1] == "\t":
                continue
            value = text[low:high].strip(STRIP)
            name = title(text, block) if value.endswith("#") else value
            found.append(_Heading(block.start, block.end, level, levels[level], value, name))
        elif underlined:
            name = title(text, block)
            found.append(_Heading(block.start, block.end, level, levels[level], name, name))
    return sorted([*found, *worded]) if worded else found


def _worded(layout: Layout, marks: Sequence[str], keys: Mapping[str, str]) -> Iterator[_Heading]:
    """Lines that begin with one of the marks, a blank or nothing behind it.

    The level of a mark is how many # are in it, as in Mastra: words are above `#`, and all of one level.
    """
    pattern = "|".join(map(re.escape, marks))
    line = re.compile(rf"^{_BLANKS}*+({pattern})(?= |{_BLANKS}*+$)([^\n]*)(?:\n|\Z)", re.MULTILINE)
    tables = [(b.start, b.end) for b in layout.blocks if b.kind == "table"]
    code = {(b.start, b.end) for b in layout.blocks if b.kind in _NO_HEADINGS}
    closed = sorted(code.union(layout.whole()))
    for match in line.finditer(view(layout.text)):
        start, end = match.span()
        if _inside(closed, start) or ("|" in match[0] and _inside(tables, start)):
            continue
        value = layout.text[slice(*match.span(2))].strip(STRIP)
        yield _Heading(start, end, match[1].count("#"), keys[match[1]], value, value)


def _inside(stretches: Sequence[Span], position: int) -> bool:
    """Whether a position is in one of some ascending stretches."""
    i = bisect_right(stretches, position, key=itemgetter(0)) - 1
    return i >= 0 and position < stretches[i][1]


class _Cutter:
    def __init__(
        self, text: str, headings: list[_Heading], headers: Sequence[tuple[str, str]], strip: bool, lines: bool
    ) -> None:
        self.text, self.headings, self.strip, self.lines = text, headings, strip, lines
        self.marks = tuple(mark for mark, _ in headers)
        self.live: dict[str, str] = {}
        self.owner: dict[str, _Open] = {}
        self.stack: list[_Open] = []
        self.parts: list[Part] = []
        self.dropped: list[Span] = []

    def cut(self) -> Sections:
        at = 0
        for heading in self.headings:
            self._body(at, heading.start)
            self._close(heading.level)
            self._open(heading)
            at = heading.end
        self._body(at, len(self.text))
        self._close(0)
        self.parts.sort(key=lambda part: part.start)
        return Sections(self.parts, sorted(self.dropped))

    def _open(self, heading: _Heading) -> None:
        self.live[heading.key] = heading.value
        path = self.stack[-1].path if self.stack else ()
        opened = _Open(heading, dict(self.live), (*path, heading.name) if heading.name else path)
        self.owner[heading.key] = opened
        self.stack.append(opened)
        if not self.strip:
            self._add(heading.start, heading.end)

    def _close(self, level: int) -> None:
        """Close the sections that a heading of a level ends. One whose title is nowhere becomes a part."""
        while self.stack and self.stack[-1].heading.level >= level:
            closed = self.stack.pop()
            heading = closed.heading
            if self.strip:
                if closed.named:
                    self.dropped.append(_line(self.text, heading))
                else:
                    self._name_all(closed.metadata)
                    self.parts.append(Part(heading.start, heading.end, closed.metadata, closed.path))
            self.live.pop(heading.key, None)

    def _name_all(self, metadata: Mapping[str, str]) -> None:
        for opened in self.stack:
            key = opened.heading.key
            if key in metadata and self.owner.get(key) is opened:
                opened.named = True

    def _body(self, start: int, end: int) -> None:
        if start < end and not is_blank(self.text[start:end]):
            self._add(start, end)
            self._name_all(self.live)

    def _add(self, start: int, end: int) -> None:
        """Add a stretch in the section that is open, joined to the one before where they are of one kind."""
        metadata, path = (self.stack[-1].metadata, self.stack[-1].path) if self.stack else ({}, ())
        if self.lines:
            for match in _LINE.finditer(self.text, start, end):
                if not is_blank(match[0]):
                    self.parts.append(Part(*match.span(), metadata, path))
            return
        if not self.strip and self.parts:
            last = self.parts[-1]
            if list(last.metadata.items()) == list(metadata.items()):
                self.parts[-1] = last._replace(end=end)
                return
            if len(last.metadata) < len(metadata) and self._ends_in_mark(last):
                self.parts[-1] = Part(last.start, end, metadata, path)
                return
        self.parts.append(Part(start, end, metadata, path))

    def _ends_in_mark(self, part: Part) -> bool:
        """Whether a part's last line begins like a heading."""
        text = self.text[part.start : part.end].rstrip(STRIP)
        return text[text.rfind("\n") + 1 :].lstrip(STRIP).startswith(self.marks)


def _line(text: str, heading: _Heading) -> Span:
    return heading.start, heading.start + len(text[heading.start : heading.end].rstrip())
