"""`token`: windows of so many tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ..chunk import Cut
from ..chunks import Chunks
from ..encoded import Encoded
from ..graphemes import next_boundary, previous_boundary, trim
from ..hookspecs import hookimpl
from ..lengths import TokenLength
from ..lengths.tokens import TokenMeasure
from ..packing import Spans
from ..source import Source
from ..strategy import Strategy

__all__ = ["Token"]


@dataclass(frozen=True, kw_only=True)
class Token(Encoded):
    """Windows of `max_size` tokens, each beginning `overlap` tokens before the last one's end.

    Windows begin and end between tokens, moved to the next border of a grapheme cluster where a
    token ends inside one. A window whose text, counted alone, has more tokens than `max_size` is
    made shorter.
    """

    name: ClassVar[str] = "token"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("length_function", "separator_position")

    @property
    def length(self) -> TokenLength:
        """Tokens, special tokens as the options say."""
        return self.tokens

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices. Raises `DocumentError` for a disallowed special token."""
        length = self.length
        length.special.check(source.text)
        text, start, end = source.text, 0, len(source.text)
        if self.strip_whitespace:
            start, end = trim(text, start, end)
        shift = 0
        if 0 < start < end and not (text[start - 1] == "\n" and text[start] != "/"):
            # The first token would take the blank before it along: encode what is left alone.
            text, shift, start, end = text[start:end], start, 0, end - start
        spans = Spans(text, self.strip_whitespace, self.explain)
        if start < end:
            measure = TokenMeasure(length, text)
            measure.ends  # noqa: B018  # one encoding for all windows
            self._windows(text, measure, spans, start, end)
            if self.least:
                spans.join_small(measure, self.least, self.limit)
        starts = [shift + at for at in spans.starts] if shift else spans.starts
        ends = [shift + at for at in spans.ends] if shift else spans.ends
        return Chunks.from_spans(source, starts, ends, cuts=spans.cuts)

    def _windows(self, text: str, measure: TokenMeasure, spans: Spans, at: int, total: int) -> None:
        limit, overlap, strip = self.limit, self.repeat, self.strip_whitespace
        add, starts, explain = spans.add, spans.starts, self.explain
        end, a, b = _window(text, measure, at, total, limit, strip)
        while True:
            add(a, b, Cut("tokens" if end < total else "end", 0) if explain else None)
            if end >= total:
                return
            last = end
            if overlap < 1:
                at = end
            else:
                first = starts[-1] if starts else 0
                at = _back(text, measure, at if at > first else first, end, overlap, strip)
            end, a, b = _window(text, measure, at, total, limit, strip)
            # A window that repeats so much that it does not get further is of no use.
            while end <= last:
                at = _back(text, measure, at, last, overlap, strip)
                end, a, b = _window(text, measure, at, total, limit, strip)


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


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Token]
