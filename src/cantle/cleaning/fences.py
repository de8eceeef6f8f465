"""Fenced code, which stays as it is."""

from __future__ import annotations

import re

from .blanks import BLANK

__all__ = ["fences"]

# The rest of a fence line may hold no other line end, and no backtick after backticks (that is code in a line of text).
_FENCE = re.compile("\n {0,3}(?:(`{3,})([^\n`\x85\u2028\u2029]*)|(~{3,})([^\n\x85\u2028\u2029]*))(?=\n|\\Z)")


def fences(text: str) -> list[tuple[int, int, int, int]]:
    """The fenced blocks of a text whose lines end in line feeds.

    Each is given by four positions: where its opening line begins and ends, where its closing line begins and ends
    (both the end of the text if there is none). Line ends are not part of the lines.
    """
    if "```" not in text and "~~~" not in text:
        return []
    found = []
    begin = stop = size = 0
    marker = ""
    first = _FENCE.match("\n" + text[: text.find("\n") if "\n" in text else len(text)])
    matches = [(0, first.end() - 1, first)] if first else []
    matches += [(m.start() + 1, m.end(), m) for m in _FENCE.finditer(text)]
    for start, end, match in matches:
        run = match[1] or match[3]
        if not marker:
            marker, size, begin, stop = run[0], len(run), start, end
        elif run[0] == marker and len(run) >= size and not (match[2] or match[4] or "").strip(BLANK):
            found.append((begin, stop, start, end))
            marker = ""
    if marker:
        found.append((begin, stop, len(text), len(text)))
    return found
