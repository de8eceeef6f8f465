"""Images whose data stand in the text."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..whitespace import BLANKS

__all__ = ["DataUri", "any_data_uri", "data_uris"]

_IN_LINE = BLANKS.replace("\n", "").replace("\r", "")
# Anchored at `](`: a search for `![` would read a line of them again and again.
_DATA = re.compile(rf"\]\(([{_IN_LINE}\u00a0\u2007\u202f]*)data:[A-Za-z0-9.+/-]+(?=[;,])")
_STOP = re.compile(rf"[{BLANKS}\u00a0\u2007\u202f)]")
_LINE_END = re.compile(r"[\r\n]")


class DataUri(NamedTuple):
    """Where blanks before a data URI begin and end, and where its parameters and payload do."""

    blank: int
    address: int
    start: int
    end: int


def any_data_uri(text: str) -> bool:
    """Whether there may be one: a quick look."""
    return _DATA.search(text) is not None


def data_uris(text: str) -> list[DataUri]:
    """The data URIs of images `![alt](data:type;parameters,payload)` without a title."""
    found: list[DataUri] = []
    # The next comma, stop and line end are kept: candidates that share one do not look for it again.
    comma = stop = line = -1
    after = 0
    for match in _DATA.finditer(text):
        bracket, start = match.start(), match.end()
        if bracket < after:
            continue
        if line < start:
            line = _next(_LINE_END, text, start)
        if comma < start:
            comma = text.find(",", start)
            comma = len(text) if comma < 0 else comma
        if comma >= line or (comma > start and text[start] != ";"):
            continue
        if stop <= comma:
            stop = _next(_STOP, text, comma + 1)
        if stop == len(text) or text[stop] != ")":
            continue
        before = max(after, text.rfind("]", after, bracket) + 1, text.rfind("\n", after, bracket) + 1)
        if text.find("![", max(before, text.rfind("\r", before, bracket) + 1), bracket) < 0:
            continue
        found.append(DataUri(match.start(1), match.end(1), start, stop))
        after = stop + 1
    return found


def _next(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.search(text, at)
    return match.start() if match else len(text)
