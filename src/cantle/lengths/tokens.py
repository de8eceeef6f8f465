"""Lengths in tokens: one encoding of the whole text answers for all its stretches.

A stretch counted alone can have another number of tokens than inside the text, but only by what
happens at its two edges: BPE never crosses the pieces that an encoding's pattern cuts a text into.
So the tokens between the first and the last certain piece border inside a stretch are taken from
the one encoding, and only the few characters outside them are counted anew.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

from ..errors import DocumentError
from ..tokenizers.encoding import AFTER, BLOCK, SAFE, Encoding, blocks, encoding
from .base import Measure

__all__ = ["SpecialTokens", "TokenLength"]

_TAIL = AFTER + "'-\u2019"
_CLOSE, _NEAR = 24, 256


class SpecialTokens(NamedTuple):
    """Which special tokens a text may hold: `allowed` count as one token, `disallowed` are refused.

    What is in neither is plain text.
    """

    allowed: frozenset[str] = frozenset()
    disallowed: frozenset[str] = frozenset()

    def found(self, text: str, start: int = 0) -> Iterator[re.Match[str]]:
        """Those in a text, from `start` on, that count as one token."""
        return _pattern(self.allowed).finditer(text, start) if self.allowed else iter(())

    def check(self, text: str, before: int = 0, most: int | None = None) -> None:
        """Raise `DocumentError` when the text holds a special token that is not allowed, beginning before `most`.

        `before` is how much of the document stands before the text.
        """
        found = _pattern(self.disallowed).search(text) if self.disallowed else None
        if found and (most is None or found.start() < most):
            raise DocumentError(
                f"the text contains a special token that is not allowed: {found[0]} (at {before + found.start()}). "
                "Put it into allowed_special to take it as one token, or take it out of disallowed_special "
                "to take it as plain text."
            )


class TokenLength:
    """Tokens of an encoding. `special` says what special-token text counts; by default plain text.

    The vocabulary is loaded at the first use.
    """

    def __init__(self, name: str, special: SpecialTokens | None = None) -> None:
        self.name = name
        self.special = special or SpecialTokens()

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding, loaded."""
        return encoding(self.name)

    def __call__(self, text: str, /) -> int:
        if self.special.allowed and (pattern := _pattern(self.special.allowed)).search(text):
            pieces = pattern.split(text)
            return sum(map(self.encoding.count, pieces)) + len(pieces) - 1
        return self.encoding.count(text)

    def measure(self, text: str) -> Measure:
        return TokenMeasure(self, text)

    def starts(self, text: str) -> Any:
        """The character in which each token of a text begins: a numpy array of int64 that does not descend.

        Several tokens may begin in one character. With it, `searchsorted` counts the tokens that begin in a stretch.
        """
        import numpy

        enc = self.encoding
        found: list[Any] = [numpy.zeros(0, numpy.int64)]
        at = 0
        allowed = self.special.allowed
        for match in [*(_pattern(allowed).finditer(text) if allowed else ()), None]:
            ids = enc.ids(text[at : match.start() if match else len(text)])
            sizes = enc.character_lengths.take(ids).astype(numpy.int64)
            found.append(at + numpy.cumsum(sizes) - sizes - enc.begins_inside.take(ids))
            if match:
                found.append([match.start()])
                at = match.end()
        return numpy.concatenate(found)

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "special": self.special}


class TokenMeasure:
    """Tokens of stretches of a text. `fit` is a close guess, `length` is right."""

    exact = False

    def __init__(self, length: TokenLength, text: str) -> None:
        self._text, self._total = text, len(text)
        self._whole = length
        self._count = length.encoding.count
        allowed = length.special.allowed
        self._special = _pattern(allowed) if allowed and _pattern(allowed).search(text) else None
        self._quick = length.encoding.quick if self._special is None else 0
        self._ends: Any = None
        self._last = 0

    def _encode(self) -> None:
        """The position (in code points) by which each token is complete, ascending."""
        import numpy

        text, enc = self._text, self._whole.encoding
        if self._special is None:
            ends = enc.character_lengths.take(enc.ids(text)).astype(numpy.int64)
        else:
            parts, at = [], 0
            for match in self._special.finditer(text):
                parts += [enc.character_lengths[enc.ids(text[at : match.start()])], [len(match[0])]]
                at = match.end()
            parts.append(enc.character_lengths[enc.ids(text[at:])])
            ends = numpy.concatenate(parts).astype(numpy.int64)
        numpy.cumsum(ends, out=ends)
        self._ends = ends
        self._view = memoryview(ends)  # a single element costs less this way
        self._search = ends.searchsorted
        self._hard = [end for _, end, hard in blocks(text) if hard] if self._total > BLOCK else []

    @property
    def ends(self) -> Any:
        """The position by which each token is complete: a numpy array of int64, ascending."""
        if self._ends is None:
            self._encode()
        return self._ends

    def index(self, position: int) -> int:
        """How many tokens are complete at a position."""
        if self._ends is None:
            self._encode()
        return int(self._search(position, "right"))

    def length(self, start: int, end: int) -> int:
        text = self._text
        if end - start <= self._quick:
            return self._count(text[start:end])
        if self._special is not None or (self._ends is None and self._total < 2 * (end - start)):
            return self._whole(text[start:end])
        head, tail, count = start, end, 0
        if start and not self._safe(start):
            match = SAFE.search(text, start, min(end, start + _NEAR))
            if match is None:
                return self._count(text[start:end])
            head = match.end()
            count = self._count(text[start:head])
        if end < self._total and not (text[end] in AFTER and text[end - 1].isalnum()):
            tail = self._last_safe(head, end)
            # One ASCII character is one token in every encoding.
            count += 1 if end - tail == 1 and text[tail] < "\x80" else self._count(text[tail:end])
            if tail == head:
                return count
        if self._ends is None:
            self._encode()
        if self._hard and any(head < hard < tail for hard in self._hard):
            return self._count(text[start:end])
        return count + int(self._search(tail, "right")) - int(self._search(head, "right"))

    def within(self, start: int, end: int, limit: float) -> bool:
        """Whether a stretch measures at most `limit`; a short one does without being counted.

        A token is a byte at least, and a character has four at most.
        """
        size = end - start
        if 4 * size <= limit or (size <= limit and self._text[start:end].isascii()):
            return True
        return self.length(start, end) <= limit

    def adds_up(self, start: int) -> bool:
        """Whether what begins here counts the same behind any line end as alone."""
        first = self._text[start]
        return self._special is None and not first.isspace() and first != "/"

    def _safe(self, at: int) -> bool:
        """Whether a piece begins here however the text before is cut."""
        before, after = self._text[at - 1], self._text[at]
        if before == "\n":
            return not after.isspace() and after != "/"  # o200k takes slashes along with line ends
        return after in AFTER and before.isalnum()

    def _last_safe(self, head: int, end: int) -> int:
        """The last certain piece border after `head` and before `end`, or `head`."""
        text = self._text
        if text[end - 1] in AFTER and text[end - 2].isalnum():
            return max(head, end - 1)
        low = max(head, end - _CLOSE)
        at = low + len(text[low:end].rstrip(_TAIL))
        if low < at < end and text[at] in AFTER and text[at - 1].isalnum():
            return at
        found = head
        for width in (_CLOSE, _NEAR):
            for match in SAFE.finditer(text, max(head, end - width), end):
                found = match.end()
            if found > head or width > end - head:
                break
        return found

    def fit(self, start: int, limit: float) -> int:
        total = self._total
        if self._ends is None:
            if (total - start) * 4 <= limit or (start == 0 and total <= 8 * limit and self._whole(self._text) <= limit):
                return total
            self._encode()
        view = self._view
        target = int(self._search(start, "right")) + int(limit)
        if target >= len(view):
            return total
        if limit < 1:
            return start
        end = view[target - 1]
        if end == view[target]:  # the last token ends inside a character
            end -= 1
        return end if end > start else start

    def window(self, start: int, limit: float, strip: bool) -> tuple[int, int, int] | None:
        """Where a window of `limit` tokens from `start` ends, and its trimmed bounds; None where that takes care.

        The ordinary case at half the cost: it begins at a word and ends behind one, in ASCII.
        """
        first = self._near(start)
        last = first + int(limit)
        if not strip or last >= len(self._view):
            return None
        end = self._view[last - 1]
        if end == self._view[last] or not self._fits_quickly(first, start, last, end, limit):
            return None
        return end, start + (self._text[start] == " "), end

    def window_back(self, start: int, end: int, overlap: float, strip: bool) -> int | None:
        """Where `overlap` tokens before `end` begin, after `start`; None where that takes care, as above."""
        last = self._near(end)
        first = last - int(overlap)
        if not strip or first <= 0:
            return None
        at: int = self._view[first - 1]
        if at <= start or self._text[at] != " " or self._text[at - 1] >= "\u0300":
            return None
        return at if self._fits_quickly(first, at, last, end, overlap) else None

    def _fits_quickly(self, first: int, start: int, last: int, end: int, limit: float) -> bool:
        """Whether the tokens `[first, last)`, that is `text[start:end]`, surely fit when trimmed and counted alone."""
        text, view = self._text, self._view
        if self._special is not None or self._hard or end >= self._total:
            return False
        if not (text[end] in AFTER and "0" <= text[end - 1] <= "z" and text[end - 1].isalnum()):
            return False
        begin = start + (text[start] == " ")
        safe = SAFE.search(text, begin, min(end, begin + _CLOSE)) if "!" <= text[begin] <= "~" else None
        if safe is None:
            return False
        head, at = safe.end(), first
        while view[at] <= head:
            at += 1
        return self._count(text[begin:head]) + last - at <= limit

    def _near(self, position: int) -> int:
        """`index(position)`, found close to the last answer: windows follow one another."""
        view, low = self._view, self._last
        if low and view[low - 1] > position:
            low = 0
        high = low + 2048
        if high >= len(view) or view[high] <= position:
            high = len(view)
        self._last = bisect_right(view, position, low, high)
        return self._last

    def fit_back(self, end: int, limit: float) -> int:
        if self._ends is None:
            self._encode()
        target = int(self._search(end, "right")) - int(limit)
        return min(end, self._view[target - 1]) if target > 0 else 0


_patterns: dict[frozenset[str], re.Pattern[str]] = {}


def _pattern(tokens: frozenset[str]) -> re.Pattern[str]:
    found = _patterns.get(tokens)
    if found is None:
        longest_first = sorted(tokens, key=lambda token: (-len(token), token))
        found = _patterns[tokens] = re.compile("|".join(map(re.escape, longest_first)))
    return found
