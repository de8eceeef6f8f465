"""Windows of tokens over a text."""

from __future__ import annotations

from ..chunk import Cut
from ..graphemes import next_boundary, previous_boundary, trim
from ..lengths.tokens import TokenMeasure
from .spans import Spans

__all__ = ["TokenPacker", "begins_anew"]


class TokenPacker:
    """Windows of at most `limit` tokens, each beginning `overlap` tokens before the last one's end.

    They begin and end between tokens, moved to a border of grapheme clusters. `at` is where the next one begins, `last`
    where the one before ends, and `count` how many spans there are before it.
    """

    def __init__(
        self,
        text: str,
        measure: TokenMeasure,
        *,
        limit: float,
        overlap: float,
        strip: bool,
        explain: bool,
    ) -> None:
        self.text, self.measure, self.limit, self.overlap, self.strip = text, measure, limit, overlap, strip
        self.spans = Spans(text, strip, explain)
        self._explain = explain
        self.at, self.last, self.count = 0, -1, 0

    def pack(self, total: int) -> None:
        """Add the windows from `at` to the end of the text."""
        text, measure, limit, overlap, strip = self.text, self.measure, self.limit, self.overlap, self.strip
        add, starts, explain, at, last = self.spans.add, self.spans.starts, self._explain, self.at, self.last
        while True:
            end, a, b = _window(text, measure, at, total, limit, strip)
            # A window that repeats so much that it does not get further is of no use.
            while end <= last:
                at = _back(text, measure, at, last, overlap, strip)
                end, a, b = _window(text, measure, at, total, limit, strip)
            self.reached(end)
            add(a, b, Cut("tokens" if end < total else "end", 0) if explain else None)
            if end >= total:
                return
            if overlap >= 1:
                first = starts[-1] if starts else 0
                at = _back(text, measure, at if at > first else first, end, overlap, strip)
            else:
                at = end
            self.at, self.last, self.count = at, end, len(starts)
            last = end

    def reached(self, end: int) -> None:
        """Called where a window ends, before it is added."""


def begins_anew(text: str, start: int) -> bool:
    """Whether what begins at `start`, behind white space, is encoded alone: that would go with its first token."""
    return start > 0 and not (text[start - 1] == "\n" and text[start] != "/")


def _window(
    text: str, measure: TokenMeasure, start: int, total: int, limit: float, strip: bool
) -> tuple[int, int, int]:
    """Where the window that begins at `start` ends, at least a cluster further; and its trimmed bounds."""
    quickly = measure.window(start, limit, strip)
    if quickly is not None and quickly[0] < total:
        return quickly
    end = min(total, measure.fit(start, limit))
    while True:
        if end < total and not (start < end and text[end - 1] < "\u0300" and "\n" != text[end] < "\u0300"):
            end = previous_boundary(text, max(end, start), start)
        a, b = trim(text, start, end) if strip else (start, end)
        count = measure.length(a, b)
        if count <= limit or next_boundary(text, start + 1) >= end:
            return end, a, b
        end = min(end - 1, measure.fit(start, limit - (count - limit)))
        if end <= start:
            end = next_boundary(text, start + 1)


def _back(text: str, measure: TokenMeasure, start: int, end: int, overlap: float, strip: bool) -> int:
    """Where the window after `[start, end)` begins, so that it repeats at most `overlap` tokens."""
    quickly = measure.window_back(start, end, overlap, strip)
    if quickly is not None:
        return quickly
    at = measure.fit_back(end, overlap)
    at = next_boundary(text, at if at > start else start + 1)
    while at < end:
        a, b = trim(text, at, end) if strip else (at, end)
        if measure.length(a, b) <= overlap:
            return at
        at = next_boundary(text, at + 1)
    return end
