"""Levels: one way each of cutting a text into pieces, strongest first in a ladder.

`level.on(text, start, end)` looks at a region and gives its `Pieces`, or None when there is nothing
to cut at. Pieces are never listed unless they must be: they answer where the last one ends before a
position, which for a literal separator is one search backwards.

A separator goes to the chunk before (`position="end"`), to the one after (`"start"`), or to neither
(None). A place where a cut would break a grapheme cluster is no place to cut.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import Any, Protocol

from ..errors import OptionError
from ..graphemes import is_boundary, next_boundary, previous_boundary
from ..whitespace import STRIP
from .reach import Reach, reach_of

__all__ = ["Clusters", "Level", "Literal", "Pattern", "Pieces", "level", "risky"]


class Pieces(Protocol):
    """The pieces of a region at one level, by positions. `(end, following)` bound a piece and the next."""

    def begin(self, at: int) -> int:
        """The start of the first piece at or after `at`, which is where a piece ended."""
        ...

    def next(self, start: int) -> tuple[int, int]:
        """Where the piece that begins at `start` ends, and where the following one begins."""
        ...

    def last(self, start: int, most: int) -> tuple[int, int] | None:
        """The same for the last piece, counted from `start`, that ends at or before `most`."""
        ...

    def start_after(self, start: int, at: int, end: int) -> int:
        """The first start of a piece in `[at, end)`, counted from the one at `start`, or `end`."""
        ...

    def content_end(self, start: int) -> int:
        """Where the last piece of the region ends, counted from `start`: separators behind it are left out."""
        ...


class Level(Protocol):
    """A way to cut."""

    kind: str
    detail: str

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when there is nothing to cut at."""
        ...


def level(separator: str, *, regex: bool = False, position: str | None = None) -> Level:
    """The level of a separator: a literal, a regular expression, or the empty string for characters."""
    if separator == "":
        return Clusters()
    if regex and (plain := _unescaped(separator)) is not None:
        return level(plain, position=position)
    if not regex and (len(set(separator)) == 1 or not _overlaps_itself(separator)):
        return Literal(separator, position)
    return Pattern(separator if regex else re.escape(separator), position, detail=separator)


def risky(text: str, start: int, end: int) -> bool:
    """Whether a cut at a separator in a region may break a grapheme cluster: never in ASCII without CR."""
    return not text.isascii() or text.find("\r", max(0, start - 1), end) >= 0


def _unescaped(pattern: str) -> str | None:
    """The literal that a pattern stands for, when it is one."""
    if not re.search(r"[.^$*+?{}\[\]|()]|\\[^\W_]", pattern):
        return re.sub(r"\\(.)", r"\1", pattern, flags=re.DOTALL)
    return None


def _overlaps_itself(separator: str) -> bool:
    return any(separator.startswith(separator[i:]) for i in range(1, len(separator)))


class Literal:
    """Cut at a literal separator: one that cannot overlap itself, or a run of one character."""

    kind = "separator"

    def __init__(self, separator: str, position: str | None = None) -> None:
        self.detail = self.separator = separator
        self.position = position

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        if text.find(self.separator, start, end) < 0:
            return None
        return self.pieces(text, start, end, strip, start)

    def pieces(self, text: str, start: int, end: int, strip: bool, at: int) -> Pieces:
        """The pieces of a region, however many."""
        return LiteralPieces(text, start, end, self.separator, self.position, strip)


class LiteralPieces:
    """Pieces between (or with) the occurrences of a literal, found by searching."""

    def __init__(self, text: str, start: int, end: int, separator: str, position: str | None, strip: bool) -> None:
        self.text, self.low, self.high = text, start, end
        self.separator, self.width, self.position = separator, len(separator), position
        self.strip = strip
        self.risky = risky(text, start, end)
        self.plain = not separator.strip(" \n")
        # Occurrences of "\n\n" are counted from the start of their run.
        self.repeated = separator[0] if len(separator) > 1 and len(set(separator)) == 1 else ""

    def begin(self, at: int) -> int:
        if self.position is not None:
            return at
        text, separator, width, high = self.text, self.separator, self.width, self.high
        while at < high:
            # Where nothing is trimmed, a CR goes with the LF it stands before.
            found = at + (not self.strip and text[at] == "\r" and separator[0] == "\n")
            if not text.startswith(separator, found, high) or (self.risky and not self._valid(found)):
                break
            at = found + width
        return at

    def next(self, start: int) -> tuple[int, int]:
        text, width = self.text, self.width
        at = start
        if self.position == "start":
            at += width if text.startswith(self.separator, start) else 1
        while True:
            found = text.find(self.separator, at, self.high)
            if found < 0:
                return self.high, self.high
            if not (self.risky and not self._valid(found)) and (bounds := self._bounds(found))[0] > start:
                return bounds
            at = found + 1

    def last(self, start: int, most: int) -> tuple[int, int] | None:
        if self.position == "end":
            low, high = start, min(most, self.high)
        else:
            low, high = start + 1, min(most + self.width, self.high)
        while True:
            found = self.text.rfind(self.separator, low, high)
            if found < 0:
                return None
            if self.repeated:
                found = self._aligned(found, start)
                if found < low:
                    return None
            if not (self.risky and not self._valid(found)):
                bounds = self._bounds(found)
                return bounds if bounds[0] > start else None
            high = found + self.width - 1

    def start_after(self, start: int, at: int, end: int) -> int:
        low = at if self.position == "start" else max(at - self.width, start)
        while (found := self.text.find(self.separator, low, end)) >= 0:
            if self.repeated:
                found = self._aligned(found, start)
            following = self._bounds(found)[0] if self.position == "start" else self.begin(found + self.width)
            if following >= at and not (self.risky and not self._valid(found)):
                return min(following, end)
            low = found + self.width
        return end

    def content_end(self, start: int) -> int:
        return self.high if self.position is not None else self._before(self.high, start)

    def _before(self, end: int, least: int) -> int:
        """Where the content before `end` ends, empty pieces and their separators left out."""
        while end - self.width > least and self.text.startswith(self.separator, end - self.width, end):
            found = end - self.width
            if self.risky and not self._valid(found):
                break
            if not self.strip and self._splits_line_end(found):
                found -= 1  # the CR of a CR LF goes with its LF
                if found <= least:
                    break
            end = found
        return end

    def _bounds(self, found: int) -> tuple[int, int]:
        if self.position == "end":
            return found + self.width, found + self.width
        end = found
        if self.risky and not self.strip and self._splits_line_end(found):
            end -= 1  # the CR of a CR LF goes with its LF
        if self.position == "start":
            return end, end
        if self.text[end - 1] == self.separator[-1]:
            end = self._before(end, self.low)
        return end, found + self.width

    def _aligned(self, found: int, least: int) -> int:
        """The occurrence, counted from the start of its run, that contains `found` or precedes it."""
        text, char, at = self.text, self.repeated, found
        while at > least and text[at - 1] == char:
            at -= 1
        return found - (found - at) % self.width

    def _splits_line_end(self, found: int) -> bool:
        return self.separator[0] == "\n" and found > self.low and self.text[found - 1] == "\r"

    def _valid(self, found: int) -> bool:
        if self.plain:  # nearly always: blanks between characters that join to nothing
            before, after = self.text[found - 1], self.text[found + self.width : found + self.width + 1]
            if before < "\u0300" and before != "\r" and after < "\u0300":
                return True
        if not self.strip and self.position != "end" and self._splits_line_end(found):
            return True
        return may_cut(self.text, found, found + self.width, self.position, self.strip)


def may_cut(text: str, start: int, end: int, position: str | None, strip: bool) -> bool:
    """Whether cutting at the separator `text[start:end]` leaves all grapheme clusters whole.

    Where white space is trimmed, what counts is where the chunks end and begin without it.
    """
    if position is None:
        return _ends_well(text, start, strip) and _begins_well(text, end, strip)
    at = start if position == "start" else end
    return is_boundary(text, at) or (strip and _ends_well(text, at, True) and _begins_well(text, at, True))


def _ends_well(text: str, at: int, strip: bool) -> bool:
    """Whether a chunk that ends at `at` breaks no cluster; trimming may end it earlier."""
    while not is_boundary(text, at):
        if not strip or text[at - 1] not in STRIP:
            return False
        at -= 1
    return True


def _begins_well(text: str, at: int, strip: bool) -> bool:
    """Whether a chunk that begins at `at` breaks no cluster; trimming may begin it later."""
    while not is_boundary(text, at):
        if not strip or text[at] not in STRIP:
            return False
        at += 1
    return True


class Pattern:
    """Cut at the matches of a regular expression, in Python's syntax.

    Empty matches cut without taking anything out. Groups have no effect.
    """

    kind = "separator"

    def __init__(self, pattern: str, position: str | None = None, *, detail: str = "") -> None:
        self.detail = detail or pattern
        self.position = position
        self.pattern = _compiled(pattern)

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        found = self._matches(text, start, end, strip)
        return ListedPieces(found, start, end, self.position) if found is not None else None

    def pieces(self, text: str, start: int, end: int, strip: bool, at: int) -> Pieces:
        """The pieces of a region, however many, from `at` on, where no match is under way."""
        return ListedPieces(self._matches(text, start, end, strip, at) or [], at, end, self.position)

    def since(self, text: str, start: int, end: int, at: int, until: int) -> int:
        """Up to `until` the last position from which on the same is found as from `at`, but for what ends before."""
        for match in self.pattern.finditer(text[start:end], at - start):
            if start + match.end() > until:
                return min(until, start + int(match.start()))
        return until

    @cached_property
    def reach(self) -> Reach | None:
        """What of a text decides about the matches; None where that may be all of it."""
        return reach_of(self.pattern)

    def _matches(self, text: str, start: int, end: int, strip: bool, at: int = -1) -> list[tuple[int, int]] | None:
        region = text if start == 0 and end == len(text) else text[start:end]
        check = risky(region, 0, len(region))
        last = max(0, at - start)
        found, seen = [], False
        for match in self.pattern.finditer(region, last):
            a, b = match.span()
            seen = True
            if b == last or a >= len(region):  # an empty match where a piece has just ended
                continue
            last = b
            if check and not may_cut(region, a, b, self.position, strip):
                continue
            found.append((start + a, start + b))
        return found if seen else None


def _compiled(pattern: str) -> Any:
    try:
        return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        import regex

        try:  # named groups as in JavaScript, look-behind of any length, \p{...}
            return regex.compile(pattern)
        except (regex.error, OverflowError, RecursionError) as error:
            raise OptionError(
                f"the separator {pattern!r} is not a regular expression: {error}. "
                "Correct it, or set is_separator_regex=False to take it literally."
            ) from None


class ListedPieces:
    """Pieces whose borders are known: `(start, end)` of every separator in a region, ascending."""

    def __init__(self, separators: list[tuple[int, int]], start: int, end: int, position: str | None) -> None:
        if position == "end":
            borders = [(b, b) for _, b in separators]
        elif position == "start":
            borders = [(a, a) for a, _ in separators if a > start]
        else:
            borders = separators
        self.ends = [a for a, _ in borders] + [end]
        self.starts = [start] + [b for _, b in borders]
        self.high = end

    def begin(self, at: int) -> int:
        i = bisect_left(self.starts, at)
        while i < len(self.starts) and self.starts[i] == self.ends[i]:
            i += 1
        return self.starts[i] if i < len(self.starts) else self.high

    def next(self, start: int) -> tuple[int, int]:
        i = bisect_right(self.starts, start) - 1
        return self.ends[i], self.starts[i + 1] if i + 1 < len(self.starts) else self.high

    def last(self, start: int, most: int) -> tuple[int, int] | None:
        i = bisect_right(self.ends, most) - 1
        if i < 0 or self.ends[i] <= start:
            return None
        following = self.starts[i + 1] if i + 1 < len(self.starts) else self.high
        while i and self.ends[i] == self.starts[i] and self.ends[i - 1] > start:  # no content
            i -= 1
        return self.ends[i], following

    def start_after(self, start: int, at: int, end: int) -> int:
        i = bisect_left(self.starts, at)
        return min(self.starts[i], end) if i < len(self.starts) else end

    def content_end(self, start: int) -> int:
        i = len(self.ends) - 1
        while i and self.ends[i] == self.starts[i] and self.ends[i - 1] > start:
            i -= 1
        return self.ends[i]


class Clusters:
    """Cut anywhere, but leave grapheme clusters whole."""

    kind = "characters"
    detail = ""

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        return ClusterPieces(text, end)


class ClusterPieces:
    """Every grapheme cluster is a piece."""

    def __init__(self, text: str, end: int) -> None:
        self.text, self.high = text, end

    def begin(self, at: int) -> int:
        return at

    def next(self, start: int) -> tuple[int, int]:
        end = min(next_boundary(self.text, start + 1), self.high)
        return end, end

    def last(self, start: int, most: int) -> tuple[int, int] | None:
        if most <= start:
            return None
        end = previous_boundary(self.text, min(most, self.high), start)
        return (end, end) if end <= most else None

    def start_after(self, start: int, at: int, end: int) -> int:
        return min(next_boundary(self.text, at), end)

    def content_end(self, start: int) -> int:
        return self.high
