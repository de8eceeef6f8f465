"""Grapheme cluster boundaries (Unicode annex 29), asked for at single positions.

Scanning a text for all its clusters is slow, and cuts are few: so a position is first judged by the
two characters around it, which decides nearly all text, then by a scan from a certain boundary just
before it, and where there is none (marks upon marks, joined emoji, conjuncts) by a scan of the block
it lies in, which answers for its whole neighbourhood. Clusters of more than 32 code points may be
cut; CR LF, two surrogate code points that make a pair and the two letters of a flag never are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, lru_cache
from typing import Any, NamedTuple

from .whitespace import STRIP

__all__ = ["LONGEST", "is_boundary", "next_boundary", "previous_boundary", "trim"]

LONGEST = 32
"""Clusters longer than this many code points may be cut."""

_BLOCK = 128
_LOOK_BACK = 4 * LONGEST
_NEAR = 6
_STEPS = 16
_LONG_RUN = 1024

_FLAG = "[\U0001f1e6-\U0001f1ff]"
_PAIRED = re.compile(f"[\ud800-\udbff][\udc00-\udfff]|{_FLAG}{{2,}}")
_LONG_RUNS = re.compile(f"(?<!{_FLAG}){_FLAG}{{{_LONG_RUN},}}")

_CUT = b"\1"
_MARKS = [b"\0" * (length - 1) + _CUT if length else b"" for length in range(LONGEST + 1)]


class _Patterns(NamedTuple):
    cluster: Any
    joiner: Any
    """What joins to something before it depending on more than its left neighbour."""
    clusters: Any
    """For many in a row. For each letter of a flag `\\X` looks back over all letters before it, so that all but the
    last two of a run are taken at once."""
    no_flag_before: Any
    """To be searched backwards."""


@cache
def _patterns() -> _Patterns:
    import regex

    return _Patterns(
        cluster=regex.compile(r"\X"),
        joiner=regex.compile(r"[\p{M}\p{GCB=Extend}\u200d\p{Regional_Indicator}]"),
        clusters=regex.compile(rf"(?:{_FLAG}{_FLAG})+(?={_FLAG}{_FLAG})|\X"),
        no_flag_before=regex.compile(f"(?r)[^{_FLAG[1:]}"),
    )


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
    if _is_lead(before) and "\udc00" <= after <= "\udfff":
        return False
    if _is_flag(before) and _is_flag(after):
        return (position - _flags_start(text, position)) % 2 == 0
    if _certain(before, after):
        return True
    near = _near(text, position)
    if near:
        return near[1] == position or near[1] - near[0] > LONGEST
    _, start, marks = _block(text, position)
    return marks[position - start] == 1


def _near(text: str, position: int) -> tuple[int, int] | None:
    """The cluster that ends at or reaches over `position`, or as much of it as matters.

    None when no boundary just before is certain, or the cluster may end inside a surrogate pair.
    """
    for start in range(position - 1, max(0, position - _NEAR), -1):
        if _certain(text[start - 1], text[start]):
            break
    else:
        if position > _NEAR:
            return None
        start = 0
    # A slice: with a position to begin at, the pattern looks back over a whole run of flags.
    for match in _patterns().cluster.finditer(text[start : position + LONGEST + 1]):
        if start + match.end() >= position:
            low, high = start + match.start(), start + match.end()
            return None if _is_lead(text[high - 1]) or (low and _is_lead(text[low - 1])) else (low, high)
    return None


@lru_cache(maxsize=1024)
def _certain(before: str, after: str) -> bool:
    """Whether there is a boundary between the two whatever stands around them."""
    cluster, joiner, *_ = _patterns()
    if after < "\u0300" and after not in "\xa9\xae":  # joins to nothing but a prepended mark, or LF to CR
        return bool(cluster.match(before + after).end() == 1)
    return not joiner.match(before) and cluster.match(before + after).end() == 1


def _block(text: str, position: int) -> tuple[int, int, bytes]:
    """The block around `position`: its first position, and a position at most that with the marks from there on.

    A text is always parted into the same blocks, so that an answer never depends on what was asked before.
    """
    low = position - position % _BLOCK
    start = max(0, low - _LOOK_BACK)
    if start and _is_flag(text[start]) and _is_flag(text[start - 1]):
        start -= (start - _flags_start(text, start)) % 2  # letters are paired from the start of their run
    return low, start, _marks(text[start : low + _BLOCK + LONGEST + 1])


@lru_cache(maxsize=32)
def _marks(piece: str) -> bytes:
    """1 for every boundary of the piece, 0 for other positions, from 0 on.

    Where the piece begins inside a cluster, the marks may be those of a shorter one up to that cluster's end: of the
    rules that look back beyond the left neighbour, all but that of flags stay inside the cluster. A cluster that
    long may be cut in any case.
    """
    marks = bytearray(_CUT)
    marks += b"".join(
        [
            _MARKS[length] if length <= LONGEST else _CUT * length
            for length in map(len, _patterns().clusters.findall(piece))
        ]
    )
    for match in _PAIRED.finditer(piece):
        inside = match.end() - match.start() - 1
        marks[match.start() + 1 : match.end()] = (b"\0\1" * (inside // 2 + 1))[:inside]
    return bytes(marks)


def _flags_start(text: str, position: int) -> int:
    """Where the run of flag letters just before `position` begins."""
    global _long_runs
    other = _patterns().no_flag_before.search(text, max(0, position - _LONG_RUN), position)
    if other:
        return int(other.end())
    if position <= _LONG_RUN:
        return 0
    starts = next((starts for known, starts in _long_runs if known is text), None)
    if starts is None:
        starts = [match.start() for match in _LONG_RUNS.finditer(text)]
        _long_runs = ((text, starts), *_long_runs[:3])
    return starts[bisect_right(starts, position - 1) - 1]


_long_runs: tuple[tuple[str, list[int]], ...] = ()
"""Where the long runs of flag letters begin, of the last few texts that have any. Replaced as a whole, so that threads
see what is true of the text."""


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _is_lead(char: str) -> bool:
    return "\ud800" <= char <= "\udbff"


def previous_boundary(text: str, position: int, least: int) -> int:
    """The greatest boundary at most `position` and greater than `least`; else the next one after."""
    at = position
    if at > least and not is_boundary(text, at):
        near = _near(text, at)
        if near and near[1] > at and near[1] - near[0] <= LONGEST:
            at = near[0]
        else:
            at = _from_blocks(text, at - 1, least)
    return at if at > least else next_boundary(text, least + 1)


def _from_blocks(text: str, position: int, least: int) -> int:
    """The greatest boundary at most `position`, or a position at most `least` when it is not greater than that."""
    while position > least:
        low, start, marks = _block(text, position)
        found = marks.rfind(_CUT, low - start, position + 1 - start)
        if found >= 0:
            return start + found
        position = low - 1
    return position


def next_boundary(text: str, position: int) -> int:
    """The smallest boundary at least `position`."""
    if is_boundary(text, position):
        return position
    near = _near(text, position)
    if near and near[1] > position and near[1] - near[0] <= LONGEST:
        return near[1]
    while position < len(text):
        low, start, marks = _block(text, position)
        high = min(low + _BLOCK, len(text))
        found = marks.find(_CUT, position - start, high - start)
        if found >= 0:
            return start + found
        position = high
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
