"""The outline of a Markdown text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from ..blocks.lines import line_gaps, view
from ..blocks.markdown import nested_fences, outline, title
from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..lengths import Measure, within
from ..packing import Frame, Level, encloses
from ..whitespace import STRIP
from .ladder import Items, ladder
from .outline import Block, Heading, fitting
from .references import Definition, definitions

__all__ = ["MarkdownOutline"]

_KINDS = {"fence": "code"}
_CLOSING = re.compile(r"[ ]{0,3}(`{3,}|~{3,})[ \t]*\Z")
_OPENING = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_ITEM = re.compile(r"^([ \t>]*)(?:[-+*]|[0-9]{1,9}[.)])(?=[ \t]|$)", re.MULTILINE)
_APART = ("code", "html", "comment", "front-matter", "maths")
"""Blocks in which nothing is a definition."""
_ORDINARY = ("rule", "heading")
"""Blocks that are no stretch to keep."""


class MarkdownOutline:
    """Headings, and code, tables, lists, quotes, formulas, HTML, comments and front matter as blocks."""

    def __init__(self, text: str, segmenter: Segmenter) -> None:
        self.text, self.shown, self.segmenter = text, text, segmenter
        self._all = outline(text)
        self._headings = [block for block in self._all if block.kind == "heading"]
        self.headings = [Heading(b.start, self._line_end(b.end), b.level) for b in self._headings]
        self._solid = [block for block in self._all if block.kind not in _ORDINARY]
        self.blocks = [Block(_KINDS.get(b.kind, b.kind), b.start, self._line_end(b.end)) for b in self._solid]
        self._starts = [block.start for block in self.blocks]
        self._fences: dict[int, list[Span]] = {}

    @cached_property
    def _view(self) -> str:
        return view(self.text)

    @cached_property
    def definitions(self) -> list[Definition]:
        """Link and footnote definitions, those in code left out."""
        apart = [(b.start, b.end) for b in self.blocks if b.kind in _APART]
        return list(definitions(self.text, apart))

    def title(self, number: int) -> str:
        """The title of a heading, on one line."""
        return title(self.text, self._headings[number])

    def line(self, number: int) -> str:
        """A heading as it stands in front of a chunk."""
        name = self.title(number)
        return f"{'#' * self.headings[number].level} {name}" if name else ""

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        """What of a stretch fits and so is not cut."""
        found: list[Span] = []
        for block in self._blocks(start, end):
            if within(measure, block.start, block.end, limit):
                found.append((block.start, block.end))
            elif block.kind in ("list", "quote"):
                found += fitting(self._nested(block), measure, limit)
        return found

    def frames(self, start: int, end: int, measure: Measure, limit: float) -> Iterator[Frame]:
        """The long tables and code blocks of a stretch."""
        for i, block in enumerate(self._blocks(start, end), bisect_left(self._starts, start)):
            if block.kind in ("table", "code") and not within(measure, block.start, block.end, limit):
                yield from self._table(block, self._solid[i].head) if block.kind == "table" else self._code(block)

    def levels(self, start: int, end: int, keep: Sequence[Span]) -> list[Level]:
        """Where to cut a stretch below its headings."""
        long = [b for b in self._blocks(start, end) if b.kind in ("list", "quote") and not encloses(keep, b.start + 1)]
        items = self._items(long) if long else None
        return ladder(self.text, start, end, keep, self.segmenter, items, self._is_item)

    def _blocks(self, start: int, end: int) -> Sequence[Block]:
        return self.blocks[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def _items(self, blocks: Sequence[Block]) -> Items:
        """What parts the items of long lists."""
        found = Items([], [], [], [])
        for block in blocks:
            fences = self._nested(block)
            items = [
                (len(match[1].expandtabs(4)), match.start())
                for match in _ITEM.finditer(self._view, block.start, block.end)
                if not encloses(fences, match.start())
            ]
            if items:
                least = items[0][0] + 1
                gaps = [(self._text_end(block.start, at), at) for _, at in items]
                found.outer.extend(gap for gap, (indent, _) in zip(gaps, items, strict=True) if indent <= least)
                found.every.extend(gaps)
                found.lists.append((block.start, block.end))
                found.code.extend(fences)
        return found

    def _is_item(self, position: int) -> bool:
        """Whether an item of a list begins at a position, its indent left out."""
        i = bisect_left(self._starts, position + 1) - 1
        if i < 0 or position >= self.blocks[i].end or self.blocks[i].kind not in ("list", "quote"):
            return False
        line = position
        while line and self.text[line - 1] in " \t>":
            line -= 1
        match = _ITEM.match(self._view, line)
        if match is None or match.end(1) != position:
            return False
        if i not in self._fences:
            self._fences[i] = self._nested(self.blocks[i])
        return not encloses(self._fences[i], line)

    def _nested(self, block: Block) -> list[Span]:
        found = nested_fences(self._view, self._solid[bisect_left(self._starts, block.start)])
        return [(a, self._line_end(b)) for a, b in found]

    def _table(self, block: Block, head: Span) -> Iterator[Frame]:
        lead = (head[0], self._line_end(head[1]))
        rows = self._rows(head[1], block.end)
        if rows:
            yield Frame(block.start, block.end, lead, rows, None)

    def _code(self, block: Block) -> Iterator[Frame]:
        text = self.text
        gaps = line_gaps(text, 1, block.start, block.end)
        if not gaps:
            return
        opening = _OPENING.match(text, block.start, gaps[0][0])
        if opening is None:
            return
        lead = (block.start, gaps[0][0])
        last = gaps[-1][1]
        closing = _CLOSING.match(text, last, block.end) if len(gaps) > 1 else None
        closed = closing is not None and closing[1].startswith(opening[1])
        # What closes a part of a fence that is never closed is the mark that opened it.
        tail = (last, block.end) if closed else opening.span(1)
        rows = self._rows(gaps[0][1], last if closed else block.end)
        if rows:
            yield Frame(block.start, block.end, lead, rows, tail)

    def _rows(self, start: int, end: int) -> list[int]:
        """The starts of the lines of a stretch, those that are not blank."""
        text = self.text
        starts = [start, *(b for _, b in line_gaps(text, 1, start, end))]
        stops = [*starts[1:], end]
        return [a for a, b in zip(starts, stops, strict=True) if a < b and not text[a:b].isspace()]

    def _text_end(self, start: int, end: int) -> int:
        """The end of a stretch without the white space there."""
        while end > start and self.text[end - 1] in STRIP:
            end -= 1
        return end

    def _line_end(self, end: int) -> int:
        """A block's end without its last line end."""
        text = self.text
        if end == 0 or text[end - 1] not in "\r\n":
            return end
        return end - 1 - (text[end - 2 : end] == "\r\n")
