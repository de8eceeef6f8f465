"""HTML comments."""

from __future__ import annotations

import re

from ..graphemes import is_boundary

__all__ = ["comments"]

_IN_LINE = re.compile(r"[^\r\n]+")


def comments(text: str) -> list[tuple[int, int]]:
    """The stretches of HTML comments in a text, line ends left out.

    A comment that is never closed is text: losing what is left of a document is worse than keeping four characters.
    """
    found: list[tuple[int, int]] = []
    start = text.find("<!--")
    while start >= 0:
        close = text.find("-->", start + 4)
        if close < 0:
            break
        if is_boundary(text, close + 3):  # nothing that it is a part of goes on behind it
            found += [m.span() for m in _IN_LINE.finditer(text, start, close + 3)]
        start = text.find("<!--", close + 3)
    return found
