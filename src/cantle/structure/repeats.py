"""Overlap: the last sentences of a chunk, repeated at the start of the next; words where a sentence was cut."""

from __future__ import annotations

import re
from bisect import bisect_left

from ..blocks.sentences import Segmenter
from ..graphemes import is_boundary
from ..lengths import Measure, fit_back
from ..whitespace import STRIP
from .outline import Outline, Piece

__all__ = ["Repeats"]

_BEFORE = 200
"""So much text before a place is enough to tell whether a sentence begins there, in code points."""
_ENDS = ".!?\u2026\u3002\uff01\uff1f:;\"'\u201d\u2019\u00bb)]"
_BLANK_LINE = re.compile(r"[\r\n][ \t]*[\r\n]")
_WORD = re.compile(r"(?<=\s)\S")
_SOLID = ("code", "table", "heading", "front-matter", "html", "maths", "environment")
"""What is not repeated, nor what stands before it."""


class Repeats:
    """Finds where a chunk begins that repeats the end of the one before it."""

    def __init__(self, outline: Outline, measure: Measure, segmenter: Segmenter, most: float) -> None:
        self.text, self.measure, self.segmenter, self.most = outline.text, measure, segmenter, most
        solid = [(block.start, block.end) for block in outline.blocks if block.kind in _SOLID]
        solid = sorted([*solid, *((heading.start, heading.end) for heading in outline.headings)])
        self._starts, self._ends = [start for start, _ in solid], [end for _, end in solid]

    def start(self, before: Piece, piece: Piece, room: float) -> int:
        """Where `piece` begins with whole sentences of `before` in front that measure at most the overlap.

        With them it measures at most `room`. Where a sentence was cut and none begins near enough, whole words do. Its
        own start where there are neither.
        """
        text = self.text
        low = fit_back(self.measure, before.end, self.most, before.own)
        solid = bisect_left(self._starts, before.end) - 1
        if solid >= 0:
            low = max(low, self._ends[solid])
        while low < before.end and text[low] in STRIP:
            low += 1
        if low >= before.end:
            return piece.own
        since = max(before.own, low - _BEFORE)
        for start, _ in self.segmenter.on(text[since : before.end]):
            at = since + start
            # The first of the window is the start of a sentence only if the window begins where the chunk does.
            if at < low or (start == 0 and since > before.own):
                continue
            if at > before.start and self._fits(at, before, piece, room):
                return at
        if text[before.end - 1] in _ENDS or _BLANK_LINE.search(text, before.end, piece.own):
            return piece.own
        for word in _WORD.finditer(text, max(low, 1) - 1, before.end):
            at = word.start()
            if at > before.start and is_boundary(text, at) and self._fits(at, before, piece, room):
                return at
        return piece.own

    def _fits(self, at: int, before: Piece, piece: Piece, room: float) -> bool:
        length = self.measure.length
        return length(at, before.end) <= self.most and length(at, piece.end) <= room
