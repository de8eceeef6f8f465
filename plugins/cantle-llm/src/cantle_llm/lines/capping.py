"""Stretches that are too long for one line, divided."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["capped"]

# Scripts that put no blanks between words: two characters count as one word.
_DENSE = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
_WORD = re.compile(rf"[{_DENSE}]{{1,2}}|[^\s{_DENSE}]{{1,32}}")
_CLAUSE = ",;:.!?)–—…，、；：。！？）」。"


def capped(text: str, start: int, end: int, most: int) -> Iterator[tuple[int, int]]:
    """`[start, end)` in as few stretches of at most `most` words as it takes, of about the same size."""
    if end - start <= most:  # fewer characters than words are allowed
        yield start, end
        return
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    first, at, n = 0, start, len(words)
    parts = -(-n // most)
    while parts > 1 and first < n:
        target = -(-(n - first) // parts)
        low = max(first + max(1, target * 2 // 3), n - (parts - 1) * most)
        high = min(first + most, n - 1)
        best = max(range(low, high + 1), key=lambda i: (_rank(text, words, i), -abs(i - first - target), -i))
        cut = _whole(text, words[best][0])
        first = best
        while first < n and words[first][0] < cut:  # a cluster that spans words
            first += 1
        if first > best and words[first - 1][1] > cut:  # what is left of a word counts as one
            first -= 1
            words[first] = cut, words[first][1]
        if cut >= end or first >= n:
            break
        yield at, cut
        at, parts = cut, -(-(n - first) // most)
    yield at, end


def _rank(text: str, words: list[tuple[int, int]], i: int) -> int:
    """How good a place it is to cut before word `i`."""
    before, after = words[i - 1][1], words[i][0]
    if text[after] >= "\u0300" and not _is_boundary(text, after):
        return -1
    if before == after:
        return 2 if text[before - 1] in _CLAUSE and text[before - 1] > "\u2e7f" else 0
    if "\n" in text[before:after] or "\r" in text[before:after]:
        return 3
    return 2 if text[before - 1] in _CLAUSE else 1


def _is_boundary(text: str, position: int) -> bool:
    from cantle.text import is_boundary

    return is_boundary(text, position)


def _whole(text: str, position: int) -> int:
    from cantle.text import next_boundary

    return next_boundary(text, position)
