"""Lengths on a window of a text of which the rest is not there: the same answers as on the whole of it.

What a measure says of a stretch is a matter of the stretch alone. But `fit` of tokens goes by an encoding of the whole
text, which a window has only from a border of pieces on and up to one, and `fit` of somebody's function by where it
looks.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ..errors import OptionError
from ..tokenizers.encoding import SAFE, blocks
from .base import Length, Measure
from .calls import HEAD, CallLength, CallMeasure
from .tokens import TokenLength, TokenMeasure

__all__ = ["Ruler", "Unsettled"]

_NEAR = 256


class Unsettled(Exception):
    """Raised where an answer depends on text that is not in the window."""


class Ruler:
    """Measures the windows of one text, which come in order. `behind` is what a window needs before its first use.

    Raises `OptionError` for a length with special tokens, which count differently when there are any in the text.
    """

    def __init__(self, length: Length) -> None:
        self._length = length
        self._tokens = _Blocks() if isinstance(length, TokenLength) else None
        if isinstance(length, TokenLength) and length.special.allowed:
            raise OptionError(
                "a length function with special tokens that are allowed cannot be used on a stream: how they count "
                "depends on whether there are any in the whole text. Name the encoding alone, such as "
                f"length_function={length.name!r}, or read the text into memory and use chunk()."
            )
        self._rate: float | None = None

    def anchor(self, text: str, offset: int, position: int) -> int:
        """The last place before a position from which on a window measures as the whole text does; 0 at the start.

        Both are positions in the window's text, which begins at `offset`.
        """
        if self._tokens is None:
            return position
        return self._tokens.border(text, offset, position)

    def measure(self, text: str, offset: int, ended: bool) -> tuple[Measure, int]:
        """The measure of a window that begins at `offset`, and up to where what it says is settled."""
        length = self._length
        if isinstance(length, TokenLength):
            assert self._tokens is not None
            hard = self._tokens.read(text, offset)
            end = len(text) if ended else max(0, self._tokens.border(text, offset, len(text)))
            return _TokenWindow(length, text, hard), end
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
    """Where the blocks of a text end that are encoded by themselves, as far as tokens depend on it."""

    def __init__(self) -> None:
        self._start = 0
        self._text = ""  # from the start of the block that has no end yet
        self._hard: list[int] = []

    def read(self, text: str, offset: int) -> list[int]:
        """Go on with a window, and give the hard ends in it, by their positions there."""
        seen = self._start + len(self._text)
        new = text[max(0, seen - offset) :]
        if new:
            self._text += new
            # The last block is left open: it ends where the text does, or is longer.
            found = blocks(self._text)
            for _, end, hard in found[:-1]:
                if hard:
                    self._hard.append(self._start + end)
            last = found[-1][0]
            self._start, self._text = self._start + last, self._text[last:]
        self._hard = [end for end in self._hard if end > offset]
        return [end - offset for end in self._hard if end < offset + len(text)]

    def border(self, text: str, offset: int, position: int) -> int:
        """The last border of pieces at or before a position, whatever is around; 0 when there is none."""
        least = max([end - offset for end in self._hard if end - offset <= position], default=0)
        width, high = _NEAR, position
        while high > least:
            low = max(least, high - width)
            found = -1
            for match in SAFE.finditer(text, low, min(high + 1, len(text))):
                if match.end() <= position:
                    found = match.end()
            if found > least:
                return found
            high, width = low + 1 if low > least else least, 2 * width
        return least


class _TokenWindow(TokenMeasure):
    """Tokens of a window. `hard` are the ends of blocks at which the whole text's tokens end."""

    def __init__(self, length: TokenLength, text: str, hard: list[int]) -> None:
        super().__init__(length, text)
        self._borders = hard
        self._encode()

    def _encode(self) -> None:
        import numpy

        text, enc = self._text, self._whole.encoding
        places = [0, *self._borders, len(text)]
        parts = [enc.character_lengths.take(enc.ids(text[a:b])) for a, b in pairwise(places)]
        ends: Any = numpy.concatenate(parts).astype(numpy.int64)
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
