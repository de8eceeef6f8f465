"""Blank lines where a page has more room between two lines than between the lines of its paragraphs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

__all__ = ["spaced"]

_WIDE = 1.5
"""How many times the usual distance of lines is room between paragraphs.

Boxes of glyphs vary: of two lines one may have tall letters, the other descenders. So the smaller one of the distances
of their tops and of their bottoms counts.
"""

_LEAST = 0.7
"""The least distance of two lines, in heights of a line; what is nearer is raised or lowered."""

_ROOM = 0.5
"""The least room between two lines, in heights of a line."""


def spaced(text: str, boxes: Iterable[tuple[float, float]]) -> str:
    """The text of a page with blank lines between its paragraphs.

    `boxes` are the top and the bottom of each stretch of text, in its order, with positions that grow upwards. Where
    they do not make as many lines as the text has, it stays as it is.
    """
    lines = text.split("\n")
    written = [number for number, line in enumerate(lines) if line.strip()]
    places = _lines(boxes)
    if len(places) != len(written) or len(written) != len(lines):
        return text
    steps = [min(upper[0] - lower[0], upper[1] - lower[1]) for upper, lower in pairwise(places)]
    heights = sorted(top - bottom for top, bottom in places)
    least = heights[len(heights) // 2] * _LEAST
    down = sorted(step for step in steps if step > least)
    if not down:
        return text
    usual = down[(len(down) - 1) // 4]
    out = lines[:1]
    for number, step in enumerate(steps):
        (top, bottom), (next_top, next_bottom) = places[number : number + 2]
        if step > _WIDE * usual and bottom - next_top > _ROOM * min(top - bottom, next_top - next_bottom):
            out.append("")
        out.append(lines[number + 1])
    return "\n".join(out)


def _lines(boxes: Iterable[tuple[float, float]]) -> list[tuple[float, float]]:
    """The boxes of lines: those beside one another are one."""
    found: list[tuple[float, float]] = []
    for top, bottom in boxes:
        if found:
            upper, lower = found[-1]
            if lower <= (top + bottom) / 2 <= upper or bottom <= (upper + lower) / 2 <= top:
                found[-1] = max(upper, top), min(lower, bottom)
                continue
        found.append((top, bottom))
    return found
