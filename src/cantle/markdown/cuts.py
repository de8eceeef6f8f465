"""Where Markdown is cut, and how strongly; what of it is not cut while it fits."""

from __future__ import annotations

import re

from ..blocks.lines import view
from ..blocks.markdown import Block, nested_fences, outline, title
from ..chunk import Span
from ..lengths import Measure
from ..packing import Borders, Breaks, Clusters, Level, Literal, Outside, encloses, held, level
from ..places import Paths
from ..separators import DEFAULT

__all__ = ["Layout"]

_SOLID = re.compile(r"\S")
_WHOLE = ("fence", "maths", "comment", "front-matter")
"""Blocks that are not cut while they fit."""


class Layout:
    """The blocks of a text, and what follows from them for cutting it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = outline(text)
        self.headings = [block for block in self.blocks if block.kind == "heading"]

    def paths(self) -> Paths:
        """The titles of the headings around a position."""
        text, headings = self.text, self.headings
        return Paths(((block.start, block.level) for block in headings), lambda i: title(text, headings[i]))

    def levels(self, measure: Measure, limit: float) -> list[Level]:
        """Where to cut, strongest first: headings, then paragraphs, lines and words, first outside of what is whole.

        A heading goes with the beginning of what follows it.
        """
        text, keep = self.text, held(self.whole(), self._ties(), measure, limit)
        borders = [block.start for block in self.headings if not encloses(keep, block.start)]
        if borders and borders[0] == 1 and text[0] == "\ufeff":
            del borders[0]  # a BOM is no piece of its own
        headings: list[Level] = [Borders(borders, "heading")] if borders else []
        if "\r" in text:
            outside: list[Level] = [Breaks(2, keep), Breaks(1, keep), Outside(Literal(" "), keep)] if keep else []
            return [*headings, *outside, Breaks(2), Breaks(1), Literal(" "), Clusters()]
        outside = [Outside(Literal(separator), keep) for separator in DEFAULT if separator] if keep else []
        return [*headings, *outside, *map(level, DEFAULT)]

    def _ties(self) -> list[Span]:
        """From each heading to the first character behind it, but for one at the start of the text, as in Mastra."""
        found = []
        for block in self.headings:
            follows = _SOLID.search(self.text, block.end)
            if block.start and follows is not None:
                found.append((block.start, follows.end()))
        return found

    def whole(self) -> list[Span]:
        """The stretches that are not cut while they fit, ascending and disjoint; their last line end is left out."""
        found: list[Span] = []
        seen = view(self.text)
        for block in self.blocks:
            if block.kind in _WHOLE:
                found.append((block.start, block.end))
            elif block.kind in ("list", "quote"):
                found += nested_fences(seen, block)
        return [(start, self._without_line_end(end)) for start, end in found]

    def _without_line_end(self, end: int) -> int:
        text = self.text
        if text[end - 1] not in "\r\n":
            return end
        return end - 1 - (text[end - 2 : end] == "\r\n")
