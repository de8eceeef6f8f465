"""Code and tables above the budget: parts of whole lines, each with its fence or its header row again."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ...whitespace import BLANKS
from .grammar import Block, Lines
from .pieces import Piece
from .places import Place

if TYPE_CHECKING:
    from .split import Splitter

__all__ = ["Framed"]

_MARKS = re.compile("`{3,}|~{3,}")


class _Frame(NamedTuple):
    """What stands around the lines of a part."""

    before: str = ""
    after: str = ""

    def around(self, lines: str) -> str:
        return f"{self.before}{lines}{self.after}"


class Framed:
    """One block of code, or one table, cut by lines."""

    def __init__(self, splitter: Splitter, block: Block, place: Place, lines: Lines) -> None:
        self.splitter, self.block, self.place, self.lines = splitter, block, place, lines
        self.text, self.sizes, self.found = splitter.text, splitter.sizes, splitter.found
        self.size = splitter.places.size

    def code(self) -> None:
        """Parts in fences of their own. Where a part would be too long, its line is cut between words.

        An opening that leaves less than half of the size goes first, by itself, and the parts get bare fences.
        """
        lines, total = self.lines, len(self.lines.starts)
        opening = lines[0].rstrip(BLANKS)
        found = _MARKS.search(opening)
        marks = found[0] if found else "```"
        closed = self.block.closed
        last = total - 1 if closed else total
        closing = lines[total - 1].strip(BLANKS) if closed else marks
        if last < 2:
            self.splitter.prose("code", self.block.at, self.block.end, self.place, 0)
            return
        frame = _Frame(f"{opening}\n", f"\n{closing}")
        room = self.place.budget - self.sizes.of(f"{opening}\n{closing}")
        groups = self._groups(1, last, room)
        if not self._fit(groups, frame) and self._wide(frame):
            bare = _Frame(f"{marks}\n", f"\n{marks}")
            if self._wide(bare):
                self.splitter.prose("code", self.block.at, self.block.end, self.place, 0)
                return
            self.splitter.prose("code", self.block.at, lines.ends[0], self.place, 0)
            frame = bare
            groups = self._groups(1, last, self.place.budget - self.sizes.of(f"{marks}\n{marks}"))
            self._parts(groups, frame, lines.starts[1])
            return
        self._parts(groups, frame, self.block.start)

    def table(self) -> None:
        """Parts under the header. Where a part would be too long, its row is cut between cells, then words.

        A header of more than half of the room is not repeated then.
        """
        lines, total = self.lines, len(self.lines.starts)
        header = "\n".join(lines[i].rstrip(BLANKS) for i in (0, 1))
        frame, size = _Frame(f"{header}\n"), self.sizes.of(header)
        groups = self._groups(2, total, self.place.budget - size - 1)
        if not self._fit(groups, frame) and size * 2 > self.place.limit:
            self._part(self.block.at, lines.ends[1], _Frame())
            self._parts(self._groups(2, total, self.place.budget), _Frame(), lines.starts[2])
            return
        self._parts(groups, frame, self.block.start)

    def _groups(self, first: int, last: int, room: int) -> list[tuple[int, int]]:
        """The lines `[first, last)` in groups that fit, as `(start, end)`; at least one line each."""
        span, starts, ends = self.sizes.span, self.lines.starts, self.lines.ends
        found, low, used = [], starts[first], 0
        for i in range(first, last):
            start, end = starts[i], ends[i]
            cost = span(start, end) + 1 if end > start else 1
            if used and used + cost > room:
                found.append((low, start - 1))
                low, used = start, 0
            used += cost
        found.append((low, ends[last - 1]))
        return found

    def _fit(self, groups: list[tuple[int, int]], frame: _Frame) -> bool:
        return all(self._fits(frame.around(self.text[low:high])) for low, high in groups)

    def _fits(self, made: str) -> bool:
        """Whether a part is no longer than a chunk can be, its header included."""
        of, made = self.sizes.of, made.strip(BLANKS)  # a part above the budget is alone in its chunk
        if of(made) <= self.place.limit:
            return True
        if not self.sizes.tokens or of(made) > self.size:
            return False
        header = self.place.header  # together they can have fewer tokens
        return of(f"{header}\n\n{made}" if header else made) <= self.size

    def _wide(self, frame: _Frame) -> bool:
        return self.sizes.of(frame.around("")) * 2 > self.size

    def _parts(self, groups: list[tuple[int, int]], frame: _Frame, start: int) -> None:
        """Pieces of the groups; the first begins at `start`, the last ends with the block."""
        number = len(self.found)
        whole = len(groups) == 1 and frame.before and start == self.block.start
        if whole and self._fits(self.text[self.block.at : self.block.end]):
            made = frame.around(self.text[groups[0][0] : groups[0][1]])
            self._add(self.block.at, self.block.end, self.sizes.of(made), None)
            self.found[-1].start = start
            return
        for low, high in groups:
            self._part(low, high, frame)
        if len(self.found) == number:  # blank lines alone
            self.splitter.prose(self.block.label, start, self.block.end, self.place, 0)
        else:
            self.found[number].start = self.found[number].at = start
            self.found[-1].end = self.block.end

    def _part(self, low: int, high: int, frame: _Frame) -> None:
        made = frame.around(self.text[low:high])
        if self._fits(made):
            self._add(low, high, self.sizes.of(made), made if frame.before else None)
        else:
            self._cut(low, high, frame)

    def _add(self, start: int, end: int, size: int, made: str | None, weak: bool = False) -> None:
        self.found.append(Piece(self.block.label, start, end, self.place, size, start, made, weak))

    def _cut(self, low: int, high: int, frame: _Frame) -> None:
        """Cut a line that is too long into pieces that fit in the frame; a header gives way to whole words."""
        cost = self.sizes.of(frame.around("").strip(BLANKS))
        bounds = [bound for bound in (self.place.budget, self.place.limit) if cost * 2 <= bound] + [self.size]
        start = low
        while low < high:
            ends = (self._reach(low, high, frame, bound, cost) for bound in bounds)
            end = first = next(ends)
            while end and self._divides(end, high):
                end = next(ends, 0)
            end = end or first
            if self.text[low:end].strip(BLANKS):
                made = frame.around(self.text[low:end])
                self._add(low, end, self.sizes.of(made), made if frame.before else None, weak=low > start)
            low = end

    def _reach(self, low: int, high: int, frame: _Frame, bound: int, cost: int) -> int:
        """The best place to cut so that the part in its frame, which takes `cost`, is at most `bound`."""
        room = max(1, bound - cost)
        end = self._border(low, high, room)
        while room > 1 and (size := self.sizes.of(frame.around(self.text[low:end]).strip(BLANKS))) > bound:
            room = max(1, room - max(1, size - bound))
            end = self._border(low, high, room)
        return end

    def _divides(self, end: int, high: int) -> bool:
        """Whether a cut is inside a word."""
        borders = " \t\n|" if self.block.label == "table" else " \t\n"
        return end < high and self.text[end - 1] not in borders and self.text[end] not in borders

    def _border(self, low: int, high: int, room: int) -> int:
        """The best place to cut before `room` is used up: between cells of a table, words, grapheme clusters."""
        text = self.text
        end = self.sizes.cut(low, high, room)
        if end == high:
            return end
        if self.block.label == "table":
            cell = text.rfind("|", low + 1, end + 1)
            if cell > low and text[low:cell].strip("| \t"):
                return cell
        if text[end] in " \t\n":
            return end
        word = max(text.rfind(char, low, end) for char in " \t\n") + 1
        return word if word > low and text[low:word].strip(BLANKS) else end
