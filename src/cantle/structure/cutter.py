"""The engine: sections are chunks where they fit, and are cut at blocks, sentences and words where they do not.

Everything is positions in the outline's text, and every size is measured on the text that is handed out: the headings
in front of it, the overlap, a table's repeated header.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..blocks.sentences import Segmenter
from ..chunk import Cut, Span
from ..graphemes import trim
from ..lengths import Measure, within
from ..packing import Clusters, Frame, Level, Literal, MixedBorders, Packer, Spans, encloses, framed, held
from ..whitespace import STRIP
from .headers import SHARE, Headers
from .leads import Leads
from .long import is_long
from .outline import Outline, Piece
from .repeats import Repeats
from .sections import Unit, units

__all__ = ["Cutter", "Plan"]

_FRAME = 0.5
"""A frame that takes more than this of the room is not repeated."""


@dataclass(frozen=True)
class Plan:
    """What the strategy's options come to; sizes are in length units."""

    limit: float
    least: float
    overlap: float
    reserved: float
    prepend_heading: bool
    heading_path: bool
    split_on_headings: bool
    explain: bool


class Cutter:
    """Cuts one document. `measure` measures its text, `length` a text that is put together."""

    def __init__(
        self, outline: Outline, measure: Measure, length: Callable[[str], float], segmenter: Segmenter, plan: Plan
    ) -> None:
        self.outline, self.measure, self.length, self.segmenter, self.plan = outline, measure, length, segmenter, plan
        self.text = outline.text
        self.room = max(1, plan.limit - plan.reserved)
        self.overlap = min(plan.overlap, self.room // 2)
        self.headers = Headers(
            outline, length, min(SHARE * plan.limit, self.room - 1), on=plan.prepend_heading, full=plan.heading_path
        )
        self.leads = Leads(outline, measure, segmenter)
        self.starts = [heading.start for heading in outline.headings]
        self.pieces: list[Piece] = []
        # With such a measure room for the lines was left, and they need not be counted with the text behind them.
        self._adds_up: Callable[[int], bool] = getattr(measure, "adds_up", lambda start: False)

    def run(self) -> list[Piece]:
        """The chunks, in order."""
        for unit in self._units():
            self.add(unit)
        if self.overlap > 0:
            self._repeat()
        return self.pieces

    def add(self, unit: Unit) -> None:
        """Add the chunks of a stretch of sections."""
        if unit.fits:
            self._add_whole(unit)
        else:
            self._cut(unit)

    def number_at(self, position: int) -> int:
        """The number of the heading whose section a position is in, or -1."""
        return bisect_right(self.starts, position) - 1

    def prefix(self, piece: Piece) -> str:
        """The lines in front of a chunk; fewer where the text with them is longer than there is room for."""
        number = self.number_at(piece.own)
        begins = self._begins(number, piece.own) and piece.own == piece.start
        prefix = self.headers.above(number) if begins else self.headers.within(number)
        if not prefix or self._adds_up(piece.lead[0] if piece.lead is not None else piece.start):
            return prefix
        content = self.content(piece)
        while prefix and self.length(prefix + content) > self.room:
            prefix = prefix.partition("\n")[2].removeprefix("\n")
        return prefix

    def _begins(self, number: int, position: int) -> bool:
        """Whether a heading begins at a position, its indent left out."""
        if number < 0:
            return False
        at = self.starts[number]
        if at < 0:  # before the window
            return False
        while at < position and self.text[at] in STRIP:
            at += 1
        return at >= position

    def content(self, piece: Piece) -> str:
        """The text of a chunk."""
        return "\n".join(self.outline.shown[a:b] for a, b in piece.spans)

    def _units(self) -> Iterable[Unit]:
        if self.plan.split_on_headings:
            return units(self.outline, self.measure, self.headers, self.room, self.plan.least)
        size = self.measure.length(*trim(self.text, 0, len(self.text)))
        last = len(self.starts) - 1
        return [Unit(0, len(self.text), -1, last, size <= self.room)]

    def _add_whole(self, unit: Unit) -> None:
        spans = Spans(self.text, True)
        spans.add(unit.start, unit.end)
        for start, end in zip(spans.starts, spans.ends, strict=True):
            self.pieces.append(Piece(start, end, start, False, self._end(unit)))

    def _end(self, unit: Unit) -> Cut | None:
        if not self.plan.explain:
            return None
        if unit.end >= len(self.text):
            return Cut("end", 0)
        # A border of level 0 is no heading: the end of a preamble.
        return Cut("heading" if self.outline.headings[unit.last + 1].level else "preamble", 0)

    # -- sections that are too long ---------------------------------------------------------------

    def _cut(self, unit: Unit) -> None:
        """Cut a stretch at its blocks; what is a long table or code is cut by itself."""
        wide = max(1, self.room - self.headers.longest(unit.first, unit.last))  # the parts of a table repeat nothing
        limit = self.limit(unit)
        at = unit.start
        count = len(self.pieces)
        for frame in self._frames(unit, limit, wide):
            begin = self._before(at, frame.start, limit)
            self._add_frame(frame, begin, wide)
            at = frame.end
        self._pack(at, unit.end, limit, self._end(unit))
        self.pieces[count:] = [piece._replace(follows=i > 0) for i, piece in enumerate(self.pieces[count:])]
        if len(self.pieces) > count:
            self.pieces[-1] = self.pieces[-1]._replace(cut=self._end(unit))

    def limit(self, unit: Unit) -> float:
        """The limit for the chunks of a unit that is cut, without the headings in front and the overlap."""
        return max(1, self.room - self.headers.longest(unit.first, unit.last) - self.overlap)

    def _frames(self, unit: Unit, limit: float, wide: float) -> Iterator[Frame]:
        """The tables and code blocks longer than `limit` whose frame is small enough to be repeated."""
        for frame in self.outline.frames(unit.start, unit.end, self.measure, limit):
            size = self.length(self.outline.shown[slice(*frame.lead)] + "\n")
            if frame.tail is not None:
                size += self.length("\n" + self.outline.shown[slice(*frame.tail)])
            if size <= _FRAME * wide:
                yield frame

    def _before(self, start: int, end: int, limit: float) -> int:
        """Pack what stands before a frame, and say where the frame's first part begins.

        It begins with the sentence that leads the frame in, and with what would be a small chunk before that.
        """
        lead = self.leads.before(start, end)
        if not within(self.measure, lead, end, limit):
            lead = end
        mark = len(self.pieces)
        self._pack(start, lead, limit, Cut(*self.leads.border(lead)) if self.plan.explain else None)
        if len(self.pieces) > mark:
            last = self.pieces[-1]
            bare = self.number_at(last.own)
            small = bare >= 0 and self.outline.headings[bare].end >= last.end
            small = small or self.measure.length(last.start, last.end) < self.plan.least
            if small and within(self.measure, last.start, end, limit):
                self.pieces.pop()
                return last.start
        return lead

    def _add_frame(self, frame: Frame, begin: int, limit: float) -> None:
        packer = self._packer([Literal(" "), Clusters()], limit)
        for part in framed(packer, self.outline.shown, begin, frame, self.length):
            lead = frame.lead if part.led else None
            tail = frame.tail if part.tailed else None
            cut = part.cut if self.plan.explain else None
            self.pieces.append(Piece(part.start, part.end, part.start, False, cut, lead, tail))

    def _packer(self, levels: Sequence[Level], limit: float) -> Packer:
        return Packer(self.text, self.measure, levels, limit=limit, explain=self.plan.explain)

    def _pack(self, start: int, end: int, limit: float, cut: Cut | None) -> None:
        """Pack a stretch of blocks."""
        low, high = trim(self.text, start, end)
        if low >= high:
            return
        leads, led, _ = self.leads.ties(start, end, limit)
        keep, borders = self.held(start, end, limit, leads, led)
        levels = self.outline.levels(start, end, keep)
        if borders or is_long(start, end):
            levels.insert(0, self.borders(borders))
        packer = self._packer(levels, limit)
        packer.spans = Spans(self.text, True, self.plan.explain)
        if packer.fits(low, high):
            packer.spans.add(start, end, cut)
        else:
            packer.pack_region(start, end, cut=cut or Cut("end", 0))
            if self.plan.least:
                packer.spans.join_small(self.measure, self.plan.least, limit)
        spans = packer.spans
        cuts: Sequence[Cut | None] = spans.cuts if spans.cuts is not None else [None] * len(spans.starts)
        for a, b, why in zip(spans.starts, spans.ends, cuts, strict=True):
            self.pieces.append(Piece(a, b, a, False, why))

    def held(
        self, start: int, end: int, limit: float, leads: Sequence[Span], led: Sequence[Span]
    ) -> tuple[list[Span], list[int]]:
        """What of a stretch is not cut where it fits, and where what is led in and too long begins."""
        whole = self.outline.whole(start, end, self.measure, limit)
        whole = _apart([*whole, *led]) if led else whole
        keep = held(whole, [*self.ties(start, end), *leads], self.measure, limit)
        return keep, sorted({a for a, b in leads if not encloses(keep, a) and not encloses(keep, b)})

    def borders(self, positions: Sequence[int]) -> MixedBorders:
        """The level of what is led in: it is filled up from there."""
        named = {at: (kind, detail) for at in positions for kind, _, detail in [self.leads.border(at)]}
        return MixedBorders(positions, "sentence", "", named)

    def ties(self, start: int, end: int) -> Iterator[Span]:
        """From each heading to the first character behind it."""
        text = self.text
        for heading in self.outline.headings[bisect_left(self.starts, start) : bisect_left(self.starts, end)]:
            at = heading.end
            while at < end and text[at] in STRIP:
                at += 1
            if at < end:
                yield heading.start, at + 1

    # -- overlap ----------------------------------------------------------------------------------

    def _repeat(self) -> None:
        for i in range(1, len(self.pieces)):
            self.pieces[i] = self.repeating(self.pieces[i - 1], self.pieces[i])

    @cached_property
    def _repeats(self) -> Repeats:
        return Repeats(self.outline, self.measure, self.segmenter, self.overlap)

    def repeating(self, before: Piece, piece: Piece) -> Piece:
        """A chunk with what it repeats of the one before it."""
        if not piece.follows or piece.lead or piece.tail or before.lead or before.tail:
            return piece
        number = self.number_at(piece.own)
        if self._begins(number, piece.own):
            return piece
        start = self._repeats.start(before, piece, self.room - self.headers.size(number))
        return piece._replace(start=start) if start < piece.own else piece


def _apart(stretches: list[Span]) -> list[Span]:
    """Stretches in order, without those that begin in another."""
    found: list[Span] = []
    for start, end in sorted(stretches, key=lambda span: (span[0], -span[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return found
