"""Fenced code, which stays as it is."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..whitespace import BLANKS

__all__ = ["fences"]

# The rest of a fence line may hold no backtick after backticks (that is code in a line of text).
_FENCE = re.compile(" {0,3}(?:(`{3,})([^\n`]*)|(~{3,})([^\n]*))(?=\n|\\Z)")


def fences(text: str) -> list[tuple[int, int, int, int]]:
    """The fenced blocks of a text whose lines end in line feeds.

    Each is given by four positions: where its opening line begins and ends, where its closing line begins and ends
    (both the end of the text if there is none). Line ends are not part of the lines.
    """
    found = []
    begin = stop = size = 0
    marker = ""
    for match in sorted([*_lines(text, "```"), *_lines(text, "~~~")], key=lambda match: match.start()):
        start, end = match.span()
        run = match[1] or match[3]
        if not marker:
            marker, size, begin, stop = run[0], len(run), start, end
        elif run[0] == marker and len(run) >= size and not (match[2] or match[4] or "").strip(BLANKS):
            found.append((begin, stop, start, end))
            marker = ""
    if marker:
        found.append((begin, stop, len(text), len(text)))
    return found


def _lines(text: str, mark: str) -> Iterator[re.Match[str]]:
    """The lines that begin with a mark. Looking for the mark alone is several times faster than a pattern."""
    at = text.find(mark)
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        match = _FENCE.match(text, start) if at - start <= 3 else None
        if match is not None and (match[1] or match[3]).startswith(mark):
            yield match
        end = text.find("\n", at)
        at = text.find(mark, end) if end >= 0 else -1
