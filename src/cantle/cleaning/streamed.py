"""A plain text that is cleaned while it is read, with the way back to the positions of the original.

It is cleaned in parts that have nothing to do with one another: they end at the ends of lines, or at a blank in a line
without an image, between characters that are kept as they are.
"""

from __future__ import annotations

import re
from collections import deque
from itertools import islice
from typing import NamedTuple, Protocol

from ..chunk import Chunk
from ..moves import moved
from ..source import OffsetMap, Source
from .markdown import clean_text

__all__ = ["CleanedReader"]

PART = 1 << 16
"""So much text is cleaned at a time, in code points, if it can be parted there."""
_ALIGNED = 128
"""Clusters are looked for in blocks of so many code points, counted from the start of the text."""
_NEAR = 1024
"""So much text around a chunk is kept, to see whether clusters are whole."""
_BORDER = re.compile(r"(?<=[^\s\u200b-\u200d\u2060\ufeff])(\r\n|[\n\r ])(?=[^\W_])")


class _Reader(Protocol):
    def read(self, size: int, /) -> str: ...


class _Part(NamedTuple):
    """A part of the original from `old` on, and what it was made: `text` from `new` on, unchanged if `same`."""

    new: int
    old: int
    raw: str
    size: int
    copies: tuple[tuple[int, int, int], ...]
    same: bool


class CleanedReader:
    """Gives what `clean_text` makes of all that another reader gives."""

    def __init__(self, reader: _Reader, *, data_uris: bool, whitespace: bool) -> None:
        self._reader, self._data_uris, self._whitespace = reader, data_uris, whitespace
        self._raw = ""  # what was read and not cleaned yet
        self._ended = False
        self._ready, self._at = "", 0
        self._new = self._old = 0
        self._parts: deque[_Part] = deque()
        self._known: tuple[tuple[int, int], Source, OffsetMap, int, int] | None = None

    def read(self, size: int, /) -> str:
        """At most `size` code points of the cleaned text; '' at the end."""
        while self._at >= len(self._ready):
            if self._ended and not self._raw:
                return ""
            self._ready, self._at = self._next(), 0
        found = self._ready[self._at : self._at + size]
        self._at += len(found)
        return found

    def _next(self) -> str:
        """The next part, cleaned."""
        most = PART
        while True:
            self._fill(most)
            if self._ended:
                return self._add(self._raw, "")
            end, gap = self._border()
            if end:
                return self._add(self._raw[:end], gap)
            most = 2 * len(self._raw)

    def _fill(self, most: int) -> None:
        parts, have = [self._raw], len(self._raw)
        while have < most and not self._ended:
            part = self._reader.read(most - have)
            self._ended = not part
            parts.append(part)
            have += len(part)
        self._raw = "".join(parts)

    def _border(self) -> tuple[int, str]:
        """Where what was read can be parted, 0 if nowhere, and the white space before that."""
        raw = self._raw
        if not self._whitespace:
            end = max(raw.rfind("\n"), raw.rfind("\r")) + 1
            if not end and "![" not in raw and raw[-1] != "!":  # no image can begin in this line so far
                end = len(raw)
            return end, ""
        high, width = len(raw), 4096
        while high > 0:
            low = max(0, high - width)
            for match in reversed(list(_BORDER.finditer(raw, low))):
                if match.start() >= high:
                    continue
                if match[0] != " " or "![" not in raw[self._line(match.start()) : match.start()]:
                    return match.end(), match[0]
            high, width = low, 2 * width
        return 0, ""

    def _line(self, at: int) -> int:
        return max(self._raw.rfind("\n", 0, at), self._raw.rfind("\r", 0, at)) + 1

    def _add(self, raw: str, gap: str) -> str:
        """Clean a part. `gap` is the white space at its end that parts it from the next one."""
        cleaned = clean_text(raw, comments=False, data_uris=self._data_uris, whitespace=self._whitespace, joiners=False)
        text, copies = cleaned.text, cleaned.offsets.copies
        if gap:  # taken for the end of a text it was left out
            if gap != "\r":
                copies = (*copies, (len(text), len(raw) - 1, 1))
            text += "\n" if gap != " " else " "
        same = text == raw
        self._parts.append(_Part(self._new, self._old, raw, len(text), () if same else copies, same))
        self._new += len(text)
        self._old += len(raw)
        self._raw = self._raw[len(raw) :]
        return text

    def moved(self, chunk: Chunk) -> Chunk:
        """A chunk of the cleaned text as one of the original. They come in the order of their starts."""
        first = last = self._first(chunk.start)
        parts = self._parts
        while last + 1 < len(parts) and parts[last].new + parts[last].size < chunk.end:
            last += 1
        if all(parts[i].same for i in range(first, last + 1)):
            return _shifted(chunk, parts[first].old - parts[first].new)
        source, offsets, new, old = self._around(last)
        return _shifted(moved(_shifted(chunk, -new), source, offsets), old)

    def _first(self, start: int) -> int:
        """Which part a position is in. Those far before it go."""
        parts, first = self._parts, 0
        while first + 1 < len(parts) and parts[first].new + parts[first].size <= start:
            first += 1
        while first > 1 and parts[1].old + _NEAR <= parts[first].old:
            parts.popleft()
            first -= 1
        return first

    def _around(self, last: int) -> tuple[Source, OffsetMap, int, int]:
        """The parts up to somewhat behind `last` as one text with its map, and where the two texts begin."""
        parts = self._parts
        count, end = last + 1, parts[last].old + len(parts[last].raw)
        while count < len(parts) and parts[count].old < end + _NEAR:
            count += 1
        new, old = parts[0].new, parts[0].old
        if self._known is None or self._known[0] != (old, count):
            # What is made up before the first one is as long as a text needs that begins at a block of clusters.
            before = old % _ALIGNED
            text = "\n" * before + "".join(parts[i].raw for i in range(count))
            copies: list[tuple[int, int, int]] = []
            for part in islice(parts, count):
                for a, b, size in ((0, 0, part.size),) if part.same else part.copies:
                    here = a + part.new - new, b + part.old - old + before, size
                    if copies and _ends(copies[-1]) == here[:2]:
                        here = *copies[-1][:2], copies.pop()[2] + size
                    copies.append(here)
            length = parts[count - 1].new + parts[count - 1].size - new
            self._known = (old, count), Source(text), OffsetMap(tuple(copies), len(text), length), new, old - before
        return self._known[1:]


def _ends(copy: tuple[int, int, int]) -> tuple[int, int]:
    new, old, size = copy
    return new + size, old + size


def _shifted(chunk: Chunk, distance: int) -> Chunk:
    chunk.start += distance
    chunk.end += distance
    if chunk.spans is not None:
        chunk.spans = tuple((start + distance, end + distance) for start, end in chunk.spans)
    return chunk
