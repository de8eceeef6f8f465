"""How far a segmentation is from the true one: Pk and WindowDiff, in plain Python.

A segmentation of `n` lines is the sorted numbers of the lines that begin a segment, without line 0.
Both measures slide a window of `k` lines over the text, `k` being half the mean length of a true segment; 0 is equal
to the truth, and lower is better.

- Pk (Beeferman, Berger and Lafferty 1999): the share of windows whose two ends are wrongly held to be in one segment or
  in two.
- WindowDiff (Pevzner and Hearst 2002): the share of windows in which the number of borders is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

__all__ = ["pk", "window", "window_diff"]


def window(lines: int, borders: Sequence[int]) -> int:
    """Half the mean length of a segment, at least 2."""
    return max(2, round(lines / (2 * (len(borders) + 1))))


def _sums(lines: int, borders: Sequence[int]) -> list[int]:
    """How many borders there are in lines 0 to i, inclusive."""
    marks = [0] * lines
    for border in borders:
        marks[border] = 1
    return list(accumulate(marks))


def pk(lines: int, true: Sequence[int], found: Sequence[int]) -> float:
    """The share of pairs of lines `k` apart on which the segmentations differ as to "one segment or two"."""
    k = window(lines, true)
    a, b = _sums(lines, true), _sums(lines, found)
    pairs = range(lines - k)
    return sum((a[i + k] == a[i]) != (b[i + k] == b[i]) for i in pairs) / max(1, len(pairs))


def window_diff(lines: int, true: Sequence[int], found: Sequence[int]) -> float:
    """The share of pairs of lines `k` apart between which the segmentations have different numbers of borders."""
    k = window(lines, true)
    a, b = _sums(lines, true), _sums(lines, found)
    pairs = range(lines - k)
    return sum(a[i + k] - a[i] != b[i + k] - b[i] for i in pairs) / max(1, len(pairs))
