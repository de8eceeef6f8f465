"""Which texts have been seen, and how often: exact counts at some 25 bytes a text."""

from __future__ import annotations

from array import array

from .chunk import content_hash

__all__ = ["Counted"]

_FULL = 0.8
_GROWTH = 1.6


class Counted:
    """Counts texts by 96 bits of their SHA-256, in a table that texts of any number and size go into.

    A slot has 64 bits of the hash, 32 more, and how often it was seen; 0 is an empty one. The next free slot is taken
    where one is not (linear probing).
    """

    def __init__(self) -> None:
        self._used = 0
        self._make(1024)

    def _make(self, size: int) -> None:
        self._size = size
        self._high = array("Q", bytes(8 * size))
        self._low, self._seen = array("I", bytes(4 * size)), array("I", bytes(4 * size))

    def __call__(self, text: str) -> int:
        """How often the text was seen before."""
        return self.add(content_hash(text))

    def add(self, digits: str) -> int:
        """The same for its SHA-256, in hexadecimal."""
        if self._used > _FULL * self._size:
            self._grow()
        at = self._slot(high := int(digits[:16], 16), low := int(digits[16:24], 16))
        seen = self._seen[at]
        if not seen:
            self._high[at], self._low[at] = high, low
            self._used += 1
        self._seen[at] = seen + 1
        return seen

    def _slot(self, high: int, low: int) -> int:
        at, highs, lows, counts, size = high % self._size, self._high, self._low, self._seen, self._size
        while counts[at] and not (highs[at] == high and lows[at] == low):
            at += 1
            if at == size:
                at = 0
        return at

    def _grow(self) -> None:
        old = self._high, self._low, self._seen
        self._make(int(self._size * _GROWTH))
        for high, low, seen in zip(*old, strict=True):
            if seen:
                at = self._slot(high, low)
                self._high[at], self._low[at], self._seen[at] = high, low, seen
