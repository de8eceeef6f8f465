"""Lengths that are sums over characters, and words: answered by arithmetic."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Any

from .base import Measure

__all__ = ["ByteLength", "CharacterLength", "Utf16Length", "WordLength"]


class CharacterLength:
    """Unicode code points: what `len` counts."""

    name = "characters"

    def __call__(self, text: str, /) -> int:
        return len(text)

    def measure(self, text: str) -> Measure:
        return CharacterMeasure(len(text))


class CharacterMeasure:
    """Code points of a text."""

    exact = True
    __slots__ = ("_total",)

    def __init__(self, total: int) -> None:
        self._total = total

    def length(self, start: int, end: int) -> int:
        return end - start

    def adds_up(self, start: int) -> bool:
        """Whether what begins here counts the same behind any line end as alone: always."""
        return True

    def fit(self, start: int, limit: float) -> int:
        return min(self._total, start + int(limit))

    def fit_back(self, end: int, limit: float) -> int:
        return max(0, end - int(limit))


class Utf16Length:
    """UTF-16 code units: what JavaScript and Java count; a character above U+FFFF counts two."""

    name = "utf16"

    def __call__(self, text: str, /) -> int:
        return len(text) if text.isascii() else len(text) + len(_ASTRAL.findall(text))

    def measure(self, text: str) -> Measure:
        if text.isascii() or not _ASTRAL.search(text):
            return CharacterMeasure(len(text))
        return SumMeasure(1 + (_code_points(text) > 0xFFFF))


class ByteLength:
    """Bytes in UTF-8; a lone surrogate counts three."""

    name = "bytes"

    def __call__(self, text: str, /) -> int:
        return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))

    def measure(self, text: str) -> Measure:
        if text.isascii():
            return CharacterMeasure(len(text))
        points = _code_points(text)
        return SumMeasure(1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF))


class SumMeasure:
    """A whole number for every character, summed; `sizes` is a numpy array."""

    exact = True

    def __init__(self, sizes: Any) -> None:
        import numpy

        self._sums = numpy.concatenate(([0], numpy.cumsum(sizes, dtype=numpy.int64)))
        self._search = self._sums.searchsorted
        self._most = int(self._sums[-1])

    def length(self, start: int, end: int) -> int:
        return int(self._sums[end] - self._sums[start])

    def adds_up(self, start: int) -> bool:
        """Whether what begins here counts the same behind any line end as alone: always."""
        return True

    def fit(self, start: int, limit: float) -> int:
        return int(self._search(self._sums[start] + min(int(limit), self._most), "right")) - 1

    def fit_back(self, end: int, limit: float) -> int:
        return int(self._search(self._sums[end] - min(int(limit), self._most), "left"))


class WordLength:
    """Words: runs of characters that are not white space."""

    name = "words"

    def __call__(self, text: str, /) -> int:
        return len(text.split())

    def measure(self, text: str) -> Measure:
        return WordMeasure(text)


class WordMeasure:
    """Words of a text; a stretch that begins inside a word counts the rest of it as a word."""

    exact = True

    def __init__(self, text: str) -> None:
        spans = [match.span() for match in _WORD.finditer(text)]
        self._total = len(text)
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def length(self, start: int, end: int) -> int:
        if end <= start:
            return 0
        return bisect_left(self._starts, end) - bisect_right(self._ends, start)

    def adds_up(self, start: int) -> bool:
        """Whether what begins here counts the same behind any line end as alone: always."""
        return True

    def fit(self, start: int, limit: float) -> int:
        following = bisect_right(self._ends, start) + int(limit)
        return max(start, self._starts[following]) if following < len(self._starts) else self._total

    def fit_back(self, end: int, limit: float) -> int:
        preceding = bisect_left(self._starts, end) - int(limit) - 1
        return min(end, self._ends[preceding]) if preceding >= 0 else 0


_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_WORD = re.compile(r"\S+")


def _code_points(text: str) -> Any:
    import numpy

    return numpy.frombuffer(text.encode("utf-32-le", "surrogatepass"), numpy.uint32)
