"""Markdown and plain text as the blocks that are kept together while they fit."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable

from ...blocks.text import text_blocks
from ...whitespace import BLANKS

__all__ = ["FENCE", "ITEM", "Block", "Lines", "is_markdown", "markdown_blocks", "numbered_blocks", "tables_in"]

FENCE = re.compile(r" {0,3}(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$", re.M)
ITEM = re.compile(r" {0,3}(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]|$)", re.M)

_LINE = re.compile(r"[^\n]+")
_HASHES = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)", re.M)
_SETEXT = re.compile(r" {0,3}(?:(=+)|-+)[ \t]*$", re.M)
_DELIMITER = re.compile(r"[|:\- \t]+")
_KEY = re.compile(r"""(?:"[^"\n]*"|'[^'\n]*'|[^\s#:,\[\]{}"'-][^:\n]*?)[ \t]*:(?:[ \t]|$)""")
_YAML = re.compile(r"[ \t#\]}]|-(?:[ \t]|$)")
_LIST_FENCE = re.compile(r"(?:[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+|[ \t]{2,})(?:(`{3,})[^`\n]*|(~{3,})[^\n]*)$", re.M)
_LIST_CLOSE = re.compile(r"^(?: {2}|\t)[ \t]*(`{3,}|~{3,})[ \t]*$", re.M)

_BREAK = re.compile("\n")
_SIGN = re.compile(r"^[ \t]*[|:#`~*+\-0-9]", re.M)
_SIGNS = "#`~-*_"
"""What the lines begin with that also end a paragraph: headings, fences, rules; or with blanks."""

Path = tuple[str, ...]


class Block:
    """What is kept together while it fits. Positions are code points of the text, ends exclusive.

    `start` is where the first line begins and `at` where what counts of it does: they differ for indented headings and
    rules. `path` holds the headings in force, as `## Title`, outermost first. `closed`: a fence has its closing line.
    """

    __slots__ = ("at", "closed", "end", "label", "path", "start")

    def __init__(self, label: str, start: int, end: int, path: Path, at: int = -1, closed: bool = False) -> None:
        self.label, self.start, self.end, self.path, self.closed = label, start, end, path, closed
        self.at = start if at < 0 else at


class Outline:
    """The headings in force."""

    def __init__(self) -> None:
        self._levels: list[tuple[int, str]] = []
        self.path: Path = ()

    def add(self, level: int, entry: str) -> None:
        """A heading takes the place of its level and ends the deeper ones."""
        levels = self._levels
        while levels and levels[-1][0] >= level:
            levels.pop()
        levels.append((level, entry))
        self.path = tuple([entry for _, entry in levels])


def is_markdown(text: str) -> bool:
    """Whether a line is a heading, a fence or a table's delimiter row, or three are list items."""
    items = 0
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    for match in _SIGN.finditer(text):
        line = _LINE.match(text, match.start())
        if line is None:
            continue
        low, high = line.span()
        if heading_at(text, low, high) or FENCE.match(text, low) or _is_delimiter(text, low, high):
            return True
        items += ITEM.match(text, low) is not None
        if items == 3:
            return True
    return False


def numbered_blocks(text: str) -> list[Block]:
    """Plain text: numbered headings and paragraphs."""
    outline, found = Outline(), []
    for start, end, level, title in text_blocks(text):
        if level:
            outline.add(level, f"{'#' * level} {title}")
            at = end - len(text[start:end].lstrip(BLANKS))
            found.append(Block("heading", start, end - _blank_tail(text, start, end), outline.path, at))
        else:
            found.append(Block("paragraph", start, end, outline.path))
    return found


def heading_at(text: str, start: int, end: int) -> tuple[int, str] | None:
    """The level and the title of the heading with one to six `#` that a line is.

    A run of `#` at the end is no part of the title if a blank stands before it.
    """
    match = _HASHES.match(text, start, end)
    if match is None:
        return None
    if match.end() >= end:
        return len(match[1]), ""
    title = text[match.end() : end].strip(BLANKS)
    if title.endswith("#"):
        bare = title.rstrip("#")
        if not bare or bare[-1] in BLANKS:
            title = bare.rstrip(BLANKS)
    return len(match[1]), title


def _blank_tail(text: str, start: int, end: int) -> int:
    return end - start - len(text[start:end].rstrip(BLANKS)) if text[end - 1] in BLANKS else 0


def _is_delimiter(text: str, start: int, end: int) -> bool:
    if not _DELIMITER.match(text, start, end):
        return False
    line = text[start:end].strip(BLANKS)
    return "-" in line and "|" in line and _DELIMITER.fullmatch(line) is not None


def _is_rule(text: str, start: int, end: int) -> bool:
    line = text[start:end].strip(BLANKS)
    return len(line) >= 3 and line[0] in "-*_" and not line.strip(line[0] + " ") and _only(line)


def _only(line: str) -> bool:
    marks = line.count(line[0])
    return marks >= 3 and marks + line.count(" ") == len(line)


class Lines:
    """The lines of a stretch of a text."""

    def __init__(self, text: str, start: int = 0, end: int | None = None) -> None:
        self.text = text
        end = len(text) if end is None else end
        breaks = [match.start() for match in _BREAK.finditer(text, start, end)]
        self.starts = [start, *[at + 1 for at in breaks]]
        self.ends = [*breaks, end]

    def __getitem__(self, i: int) -> str:
        return self.text[self.starts[i] : self.ends[i]]

    def blank(self, i: int) -> bool:
        """Whether a line holds nothing."""
        low, high = self.starts[i], self.ends[i]
        return low == high or (self.text[low] in BLANKS and not self.text[low:high].strip(BLANKS))

    def has_bar(self, i: int) -> bool:
        """Whether a line holds `|`."""
        return self.text.find("|", self.starts[i], self.ends[i]) >= 0

    def is_delimiter(self, i: int) -> bool:
        """Whether a line is a table's delimiter row."""
        return _is_delimiter(self.text, self.starts[i], self.ends[i])


def tables_in(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The tables with rows among the lines of a paragraph, as `(start, end)`."""
    lines, found, i = Lines(text, start, end), [], 0
    total = len(lines.starts)
    while i + 2 < total:
        first, i = i, i + 1
        if lines.has_bar(first) and lines.has_bar(i) and lines.is_delimiter(i):
            i += 1
            while i < total and lines.has_bar(i):
                i += 1
            if i > first + 2:
                found.append((lines.starts[first], lines.ends[i - 1]))
    return found


def markdown_blocks(text: str) -> list[Block]:
    """The blocks of a Markdown text, in order."""
    return _Markdown(text).blocks()


class _Markdown:
    def __init__(self, text: str) -> None:
        self.text, self.lines = text, Lines(text)
        self.outline = Outline()
        self.found: list[Block] = []
        self._closers: list[int] | None = None
        self._unclosed: dict[str, tuple[int, int]] = {}

    def blocks(self) -> list[Block]:
        lines, i = self.lines, self._front_matter()
        total = len(lines.starts)
        while i < total:
            i = i + 1 if lines.blank(i) else self._block(i)
        return self.found

    def _add(self, label: str, first: int, last: int, closed: bool = False) -> int:
        """A block of lines; gives the number of the line behind it."""
        lines = self.lines
        self.found.append(Block(label, lines.starts[first], lines.ends[last], self.outline.path, closed=closed))
        return last + 1

    def _add_trimmed(self, label: str, i: int) -> int:
        low, high = self.lines.starts[i], self.lines.ends[i]
        at = high - len(self.text[low:high].lstrip(BLANKS)) if self.text[low] in BLANKS else low
        end = high - _blank_tail(self.text, low, high)
        self.found.append(Block(label, low, end, self.outline.path, at))
        return i + 1

    def _front_matter(self) -> int:
        lines = self.lines
        if not self.text.startswith(("---", " ", "\t")) or lines[0].strip(BLANKS) != "---":
            return 0
        for i in range(1, len(lines.starts)):
            low = lines.starts[i]
            if self.text.startswith(("---", " ", "\t"), low) and lines[i].strip(BLANKS) == "---":
                return self._add("front_matter", 0, i) if self._is_yaml(1, i) else 0
        return 0

    def _is_yaml(self, first: int, last: int) -> bool:
        """Whether the lines `[first, last)` are keys and values, not text between two rules."""
        lines = self.lines
        inner = [lines[i] for i in range(first, last)]
        if not inner:
            return True
        if not inner[0].strip(BLANKS):
            return False
        start = next((line for line in inner if not line.startswith("#")), "")
        if not start.strip(BLANKS) or not any(_KEY.match(line) for line in inner):
            return False
        gaps = any(not line.strip(BLANKS) for line in inner)
        return not gaps or all(not line or _YAML.match(line) or _KEY.match(line) for line in inner)

    def _block(self, i: int) -> int:
        text, lines = self.text, self.lines
        low, high = lines.starts[i], lines.ends[i]
        char = text[low]
        if char in _SIGNS or char in BLANKS:
            fence = FENCE.match(text, low)
            if fence:
                return self._code(i, fence[1] or fence[2])
            heading = heading_at(text, low, high)
            if heading:
                level, title = heading
                self.outline.add(level, f"{'#' * level} {title}" if title else "#" * level)
                return self._add_trimmed("heading", i)
            if _is_rule(text, low, high):
                return self._add_trimmed("rule", i)
        if lines.has_bar(i) and i + 1 < len(lines.starts) and lines.is_delimiter(i + 1):
            return self._while("table", i, i + 2, lambda line: "|" in line)
        if ITEM.match(text, low):
            return self._list(i)
        if _quoted(lines[i]):
            return self._while("quote", i, i + 1, _quoted)
        return self._paragraph(i)

    def _while(self, label: str, first: int, i: int, goes_on: Callable[[str], bool]) -> int:
        lines = self.lines
        while i < len(lines.starts) and not lines.blank(i) and goes_on(lines[i]):
            i += 1
        return self._add(label, first, i - 1)

    def _code(self, i: int, marks: str) -> int:
        lines = self.lines
        close = re.compile(rf"^ {{0,3}}{re.escape(marks[0])}{{{len(marks)},}}[{BLANKS}]*$".replace("\n", ""), re.M)
        found = close.search(self.text, lines.ends[i])
        last = bisect_left(lines.ends, found.end()) if found else len(lines.starts) - 1
        return self._add("code", i, last, closed=found is not None)

    def _paragraph(self, i: int) -> int:
        text, lines = self.text, self.lines
        total = len(lines.starts)
        if i + 1 < total:
            under = _SETEXT.match(text, lines.starts[i + 1])
            if under:
                level = 1 if under[1] else 2
                self.outline.add(level, f"{'#' * level} {lines[i].strip(BLANKS)}")
                return self._add("heading", i, i + 1)
        j = i + 1
        while j < total and not lines.blank(j) and not self._ends_paragraph(j):
            j += 1
        return self._add("paragraph", i, j - 1)

    def _ends_paragraph(self, i: int) -> bool:
        text = self.text
        low, high = self.lines.starts[i], self.lines.ends[i]
        if text[low] not in _SIGNS and text[low] not in BLANKS:
            return False
        return bool(heading_at(text, low, high) or FENCE.match(text, low) or _is_rule(text, low, high))

    def _list(self, i: int) -> int:
        lines = self.lines
        first, total = i, len(lines.starts)
        closed = self._list_fence(i)
        i = closed if closed else i + 1
        while i < total:
            if lines.blank(i):
                if i + 1 < total and not lines.blank(i + 1) and self._in_list(i + 1):
                    i += 1
                    continue
                break
            if not self._in_list(i):
                break
            closed = self._list_fence(i)
            i = closed if closed else i + 1
        return self._add("list", first, i - 1)

    def _in_list(self, i: int) -> bool:
        low = self.lines.starts[i]
        return self.text.startswith(("  ", "\t"), low) or ITEM.match(self.text, low) is not None

    def _list_fence(self, i: int) -> int:
        """The line behind the fence that an item's line opens; 0 when it opens none, or one that is not closed."""
        lines = self.lines
        match = _LIST_FENCE.match(self.text, lines.starts[i])
        if match is None:
            return 0
        marks = match[1] or match[2]
        failed, fewest = self._unclosed.get(marks[0], (len(lines.starts), 0))
        if i >= failed and len(marks) >= fewest:
            return 0
        if self._closers is None:
            starts = lines.starts
            self._closers = [bisect_left(starts, close.start()) for close in _LIST_CLOSE.finditer(self.text)]
        for k in range(bisect_left(self._closers, i + 1), len(self._closers)):
            line = lines[self._closers[k]].strip(BLANKS)
            if line[0] == marks[0] and len(line) >= len(marks):
                return self._closers[k] + 1
        self._unclosed[marks[0]] = (i, len(marks))
        return 0


def _quoted(line: str) -> bool:
    return line.lstrip(BLANKS).startswith(">")
