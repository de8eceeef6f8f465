"""HTML comments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from ..graphemes import is_boundary

__all__ = ["comments", "with_their_lines"]

_IN_LINE = re.compile(r"[^\r\n]+")
_END = r"(?:\r\n|\n|\r)"
_LINE_END = re.compile(_END)
_REST = re.compile(rf"[ \t]*({_END})((?:[ \t]*{_END})?)")


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


def with_their_lines(text: str, stretches: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Some stretches, and with those that have lines for themselves these lines, if a blank line is before them.

    Of the blank lines around them one is left. Where a line of text is right before them they leave a blank line, for a
    comment ends a paragraph.
    """
    whole: list[list[tuple[int, int]]] = []
    for stretch in stretches:
        if whole and _LINE_END.fullmatch(text, whole[-1][-1][1], stretch[0]):  # a comment that goes on
            whole[-1].append(stretch)
        else:
            whole.append([stretch])
    found: list[tuple[int, int]] = []
    done, alone = 0, True  # where the last one ends, and whether it took its lines along
    for parts in whole:
        start, end = parts[0][0], parts[-1][1]
        low = start
        while low > done and text[low - 1] in " \t":
            low -= 1
        rest = _REST.match(text, end)
        behind = alone and not text[done:low].strip()  # nothing but blank lines since the last one
        alone = rest is not None and (behind or _is_blank_before(text, done, low))
        found += [(low, rest.end())] if rest is not None and alone else parts
        done = found[-1][1]
    return found


def _is_blank_before(text: str, least: int, line: int) -> bool:
    """Whether a blank line is right before a position that begins a line."""
    before = text[max(least, line - 200) : line]
    if before[-1:] not in ("\n", "\r"):
        return False
    blank = before[len(before.rstrip()) :]
    return len(_LINE_END.findall(blank)) > 1 or len(blank) == len(before) > 1
