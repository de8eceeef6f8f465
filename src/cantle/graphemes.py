"""Grapheme cluster boundaries (Unicode annex 29), asked for at single positions.

Scanning a text for all its clusters is slow, and cuts are few: so a position is first judged by the
two characters around it, which decides nearly all text, and only then by a scan from the nearest
certain boundary before it. Clusters of more than 32 code points may be cut; CR LF and two surrogate
code points that make a pair never are.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from .whitespace import STRIP

__all__ = ["LONGEST", "is_boundary", "next_boundary", "previous_boundary", "trim"]

LONGEST = 32
"""Clusters longer than this many code points may be cut."""

_LOOK_BACK = 4 * LONGEST
_STEPS = 16
_LONG_RUN = 32


@cache
def _patterns() -> tuple[Any, Any]:
    import regex

    # What joins to something before it depending on more than its left neighbour.
    return regex.compile(r"\X"), regex.compile(r"[\p{M}\u200c\u200d\p{Emoji_Modifier}\p{Regional_Indicator}]")


def is_boundary(text: str, position: int) -> bool:
    """Whether a cut at `position` (0 to `len(text)`, in code points) leaves all clusters whole."""
    if not 0 < position < len(text):
        return True
    before, after = text[position - 1], text[position]
    if before < "\u0300":
        if after < "\u0300":
            return not (after == "\n" and before == "\r")
        if "\u2010" <= after <= "\u205e" or "\u3001" <= after <= "\u3029" or "\u3400" <= after <= "\u9fff":
            return True
    elif before < "\u0600" or "\u0d4f" <= before <= "\ud7ff":  # nothing here joins to what follows whatever it is
        if after < "\u0300" and after not in "\n\xa9\xae":
            return True
        if "\u3001" <= after <= "\u3029" or "\u3400" <= after <= "\u9fff":
            return True
    return _decided(text, position)


def _decided(text: str, position: int) -> bool:
    before, after = text[position - 1], text[position]
    if "\ud800" <= before <= "\udbff" and "\udc00" <= after <= "\udfff":
        return False
    if _is_flag(before) and _is_flag(after):
        return (position - _flags_start(text, position)) % 2 == 0
    cluster, _ = _patterns()
    if _certain(before, after):
        return True
    start = _certain_start(text, position)
    at = position - start
    # A slice: with a position to begin at, the pattern looks back over a whole run of flags.
    for match in cluster.finditer(text[start : position + LONGEST + 1]):
        if match.end() >= at:
            return bool(match.end() == at or match.end() - match.start() > LONGEST)
    return True


def _certain(before: str, after: str) -> bool:
    """Whether there is a boundary between the two whatever stands around them."""
    cluster, joiner = _patterns()
    if after < "\u0300" and after not in "\xa9\xae":  # joins to nothing but a prepended mark, or LF to CR
        return bool(cluster.match(before + after).end() == 1)
    return not joiner.match(before) and cluster.match(before + after).end() == 1


def _certain_start(text: str, position: int) -> int:
    """The nearest certain boundary before `position`; a run of flags is followed to its start."""
    at, least = position - 1, max(0, position - _LOOK_BACK)
    while at > least and not _certain(text[at - 1], text[at]):
        at -= 1
    if at == least and at and _is_flag(text[at]) and _is_flag(text[at - 1]):
        # Pairs are counted from the start of the run; a step of two keeps the pairing.
        start = _flags_start(text, at)
        at -= (at - start) % 2
    return at


def _flags_start(text: str, position: int) -> int:
    """Where the run of flag letters around `position` begins; the two long runs last asked for are remembered."""
    global _last_runs
    for known, low, high in _last_runs:
        if known is text and low <= position < high:
            return low
    low = high = position
    while low and _is_flag(text[low - 1]):
        low -= 1
    while high < len(text) and _is_flag(text[high]):
        high += 1
    if high - low > _LONG_RUN:  # a short one is not worth keeping its text alive
        _last_runs = (text, low, high), _last_runs[0]
    return low


_last_runs: tuple[tuple[str, int, int], tuple[str, int, int]] = ("", 0, 0), ("", 0, 0)
"""Two, for callers that ask about a text and a copy of it. Replaced as a whole, so that threads see runs that are true
of their texts."""


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def previous_boundary(text: str, position: int, least: int) -> int:
    """The greatest boundary at most `position` and greater than `least`; else the next one after."""
    at = position
    while at > least and not is_boundary(text, at):
        at -= 1
    return at if at > least else next_boundary(text, least + 1)


def next_boundary(text: str, position: int) -> int:
    """The smallest boundary at least `position`."""
    while position < len(text) and not is_boundary(text, position):
        position += 1
    return position


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Narrow `[start, end)` to leave out the white space at both ends.

    White space that is part of a cluster with what it stands beside stays.
    """
    if end - start > 1 and "!" <= text[end - 1] <= "~":  # nearly always: a blank at the start at most
        if "!" <= text[start] <= "~":
            return start, end
        if text[start] == " " and "!" <= text[start + 1] <= "~":
            return start + 1, end
    low, high = start, end
    while low < high and text[low] in STRIP:
        low += 1
        if low - start == _STEPS:  # a long run: look at it all at once
            low = high - len(text[low:high].lstrip(STRIP))
    if low == high:
        return high, high
    while text[high - 1] in STRIP:
        high -= 1
        if end - high == _STEPS:
            high = low + len(text[low:high].rstrip(STRIP))
    while low > start and text[low] >= "\u0300" and not is_boundary(text, low):
        low -= 1
    while high < end and text[high - 1] >= "\u0300" and not is_boundary(text, high):
        high += 1
    return low, high
