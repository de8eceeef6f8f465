"""The spans that the engine finds, trimmed: columns for `Chunks.from_spans`."""

from __future__ import annotations

from ..chunk import Cut
from ..graphemes import trim
from ..lengths import Measure
from ..whitespace import STRIP, is_blank

__all__ = ["Spans"]


class Spans:
    """The spans found so far, and why each ends where it does when `explain` is on."""

    def __init__(self, text: str, strip: bool, explain: bool = False) -> None:
        self.text, self.strip = text, strip
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.cuts: list[Cut] | None = [] if explain else None

    def add(self, start: int, end: int, cut: Cut | None = None) -> None:
        """Add a chunk; when trimming leaves nothing of it, it is left out.

        One that ends in white space only and so repeats nothing but the overlap stays: the mirrored
        splitters have it too.
        """
        text = self.text
        if start >= end:
            return
        if self.strip:
            if text[start] in STRIP or text[end - 1] in STRIP:
                start, end = trim(text, start, end)
                if start >= end:
                    return
            first = text[start]
            if (first <= " " or first == "\x85") and is_blank(text[start:end]):  # by Python's reckoning
                return
        if self.ends and end <= self.ends[-1] and (not self.strip or start <= self.starts[-1]):
            return
        self.starts.append(start)
        self.ends.append(end)
        if self.cuts is not None and cut is not None:
            self.cuts.append(cut)

    def join_small(self, measure: Measure, least: float, limit: float) -> None:
        """Join a chunk shorter than `least` with a neighbour where the result is within the limit."""
        starts: list[int] = []
        ends: list[int] = []
        cuts: list[Cut] = []
        before = 0.0  # the length of the last one
        for i, (start, end) in enumerate(zip(self.starts, self.ends, strict=True)):
            size = measure.length(start, end)
            if starts and (size < least or before < least):
                joined = measure.length(starts[-1], end)
                if joined <= limit:
                    ends[-1], before = end, joined
                    if self.cuts is not None:
                        cuts[-1] = self.cuts[i]
                    continue
            starts.append(start)
            ends.append(end)
            before = size
            if self.cuts is not None:
                cuts.append(self.cuts[i])
        self.starts, self.ends = starts, ends
        self.cuts = cuts if self.cuts is not None else None
