"""HTML comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ..graphemes import is_boundary

__all__ = ["comments"]

_IN_LINE = re.compile(r"[^\r\n]+")


def comments(text: str, code: Sequence[tuple[int, int]] = ()) -> list[tuple[int, int]]:
    """The stretches of HTML comments in a text, line ends left out, and what is in `code`, where none begins or ends.

    A comment that is never closed is text: losing what is left of a document is worse than keeping four characters.
    """
    ends = [end for _, end in code]
    found: list[tuple[int, int]] = []
    start = _outside(text, "<!--", 0, code, ends)
    while start >= 0:
        close = _outside(text, "-->", start + 4, code, ends)
        if close < 0:
            break
        if is_boundary(text, close + 3):  # nothing that it is a part of goes on behind it
            at = start
            i = bisect_right(ends, start)
            while i < len(code) and code[i][0] < close:
                found += [m.span() for m in _IN_LINE.finditer(text, at, code[i][0])]
                at = code[i][1]
                i += 1
            found += [m.span() for m in _IN_LINE.finditer(text, at, close + 3)]
        start = _outside(text, "<!--", close + 3, code, ends)
    return found


def _outside(text: str, mark: str, at: int, code: Sequence[tuple[int, int]], ends: Sequence[int]) -> int:
    """Where a mark stands next that is not in code, or -1."""
    at = text.find(mark, at)
    while at >= 0:
        i = bisect_right(ends, at)
        if i == len(code) or at < code[i][0]:
            break
        at = text.find(mark, ends[i])
    return at
