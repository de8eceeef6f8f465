"""Lengths on a window of a text of which the rest is not there: the same answers as on the whole of it.

What a measure says of a stretch is a matter of the stretch alone. But `fit` of tokens goes by an encoding of the whole
text, which a window has only from a border of pieces on and up to one, and `fit` of somebody's function by where it
looks.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import Any

from ..tokenizers.encoding import SAFE, blocks
from .base import Length, Measure
from .calls import HEAD, CallLength, CallMeasure
from .tokens import SpecialTokens, TokenLength, TokenMeasure

__all__ = ["Ruler", "Unsettled"]

_NEAR = 256
Span = tuple[int, int]


class Unsettled(Exception):
    """Raised where an answer depends on text that is not in the window."""


class Ruler:
    """Measures the windows of one text, which come in order."""

    def __init__(self, length: Length) -> None:
        self._length = length
        self._tokens = _Blocks(length.special) if isinstance(length, TokenLength) else None
        self._rate: float | None = None

    def anchor(self, text: str, offset: int, position: int) -> int:
        """The last place before a position from which on a window measures as the whole text does; 0 at the start.

        Both are positions in the window's text, which begins at `offset`.
        """
        if self._tokens is None:
            return position
        return self._tokens.border(text, offset, position)

    def sure(self, text: str, offset: int, start: int, position: int) -> int:
        """The last place after `start` and before a position from which on tokens count the same whatever is before.

        `start` where there is none. Only for tokens.
        """
        assert self._tokens is not None
        return self._tokens.safe(text, offset, start, position)

    def measure(self, text: str, offset: int, ended: bool) -> tuple[Measure, int]:
        """The measure of a window that begins at `offset`, and up to where what it says is settled."""
        length = self._length
        if isinstance(length, TokenLength):
            assert self._tokens is not None
            hard, special = self._tokens.read(text, offset, ended)
            end = len(text) if ended else self._tokens.border(text, offset, len(text))
            return _TokenWindow(length, text, hard, special), end
        if isinstance(length, CallLength):
            if self._rate is None:
                if len(text) < HEAD and not ended:
                    raise Unsettled
                self._rate = CallMeasure(length, text).rate
            window = _CallWindow(length, text, ended)
            window.rate = self._rate
            return window, len(text)
        return length.measure(text), len(text)


class _Blocks:
    """Where the tokens of a text end in any case: at special tokens, and at ends of blocks that are no safe place."""

    def __init__(self, special: SpecialTokens) -> None:
        self._special = special
        self._start = 0
        self._text = ""  # from the start of the block that has no end yet
        self._scanned = 0  # of it, for special tokens
        self._hard: list[int] = []
        self._spans: list[Span] = []

    def read(self, text: str, offset: int, ended: bool) -> tuple[list[int], list[Span]]:
        """Go on with a window, and give the hard ends and the special tokens in it, by their positions there."""
        seen = self._start + len(self._text)
        self._text += text[max(0, seen - offset) :]
        known = len(self._text)
        if self._special.allowed:
            longest = max(map(len, self._special.allowed))
            for match in self._special.found(self._text, self._scanned):
                if not ended and match.start() + longest > len(self._text):
                    break
                self._scanned = match.end()
                self._spans.append((self._start + match.start(), self._start + match.end()))
            known = len(self._text) if ended else len(self._text) - longest + 1
            self._scanned = max(self._scanned, known)
        begin = 0
        for start, end in self._spans:
            if start - self._start >= begin:
                self._part(self._text[begin : start - self._start], begin)
                begin = end - self._start
        # The last block is left open: it ends where the text does, or is longer.
        begin += self._part(self._text[begin : max(begin, known)], begin)
        self._start, self._text, self._scanned = self._start + begin, self._text[begin:], self._scanned - begin
        self._hard = [end for end in self._hard if end > offset]
        self._spans = [span for span in self._spans if span[1] > offset]
        hard = [end - offset for end in self._hard if end < offset + len(text)]
        return hard, [(max(0, start - offset), end - offset) for start, end in self._spans]

    def _part(self, text: str, begin: int) -> int:
        """Note the hard ends of blocks in a part; tells where the last block begins."""
        found = blocks(text)
        self._hard += [self._start + begin + end for _, end, hard in found[:-1] if hard]
        return found[-1][0]

    def border(self, text: str, offset: int, position: int) -> int:
        """The last border of pieces at or before a position, whatever is around; 0 when there is none."""
        if self._special.allowed:
            position = min(position, self._start + self._scanned - offset)
        ends = [end - offset for end in self._hard] + [end - offset for _, end in self._spans]
        return self.safe(text, offset, max([end for end in ends if end <= position], default=0), position)

    def safe(self, text: str, offset: int, least: int, position: int) -> int:
        """The last border of pieces after `least`, up to a position, that is in no special token; or `least`."""
        width, high = _NEAR, position
        while high > least:
            low = max(least, high - width)
            found = -1
            for match in SAFE.finditer(text, low, min(high + 1, len(text))):
                if match.end() <= position and not self._inside(match.end() + offset):
                    found = match.end()
            if found > least:
                return found
            high, width = low + 1 if low > least else least, 2 * width
        return least

    def _inside(self, position: int) -> bool:
        i = bisect_left(self._spans, (position, 0)) - 1
        return i >= 0 and position < self._spans[i][1]


class _TokenWindow(TokenMeasure):
    """Tokens of a window. `hard` are the ends of blocks at which the whole text's tokens end."""

    def __init__(self, length: TokenLength, text: str, hard: list[int], special: list[Span]) -> None:
        super().__init__(length, text)
        self._borders, self._spans = hard, special
        self._encode()

    def _encode(self) -> None:
        import numpy

        text, enc = self._text, self._whole.encoding
        places = sorted({0, len(text), *self._borders, *(place for span in self._spans for place in span)})
        tokens = set(self._spans)
        parts: list[Any] = [
            [b - a] if (a, b) in tokens else enc.character_lengths.take(enc.ids(text[a:b])) for a, b in pairwise(places)
        ]
        ends: Any = numpy.concatenate([numpy.zeros(0, numpy.int64), *parts]).astype(numpy.int64)
        numpy.cumsum(ends, out=ends)
        self._ends = ends
        self._view = memoryview(ends)
        self._search = ends.searchsorted
        self._hard = self._borders


class _CallWindow(CallMeasure):
    """Asks a function about stretches of a window; what would look beyond it is not settled."""

    def __init__(self, length: CallLength, text: str, ended: bool) -> None:
        super().__init__(length, text)
        self._most = len(text) + ended

    def length(self, start: int, end: int) -> float:
        if end >= self._most:
            raise Unsettled
        return super().length(start, end)
