"""A plain text cut into sections and blocks while it is read: the chunks of the whole text, window by window.

Sections are looked at one after another, as far as what follows can have no part in them. A section that is longer than
`long.LONG` is cut from window to window: a chunk is right where all that decides about it is in the window, and the
next window goes on at the last place where such a one begins.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from ..blocks.lines import view
from ..blocks.sentences import Segmenter
from ..blocks.text import TextBlock
from ..chunk import Chunk, Cut, Span
from ..graphemes import trim
from ..lengths import Length
from ..lengths.windowed import Ruler, Unsettled
from ..packing import SentencesFrom
from ..packing.packer_windows import WindowPacker
from ..packing.reading import Reading, TextReader, back_to, settled
from ..places import Paths
from .cutter import Cutter, Plan
from .facts import Facts
from .ladder import ladder
from .long import head, is_long
from .numbered import Numbered
from .outline import Piece
from .sections import Unit, is_blank_between, units_from
from .text import TextOutline

__all__ = ["stream_text"]

_ALIGNED = 128
_NEAR = 8
"""So far behind a place it is looked whether to cut there, and a little more."""


def stream_text(reader: TextReader, length: Length, segmenter: Segmenter, plan: Plan) -> Iterator[Chunk]:
    """The chunks of the text that a reader gives, as `Cutter` finds them in the outline of the whole of it."""
    return _Stream(reader, length, segmenter, plan).run()


@dataclass
class _Long:
    """A stretch of sections of which the end is not there yet. Positions are those of the whole text."""

    start: int
    last: int
    """Where its last heading begins, -1 without one."""
    limit: float
    mixed: bool
    place: int
    """From where on it is to be cut."""
    origin: int
    """From where on it is to be looked for what is not cut."""
    region: int = -1
    """Where the sentences are looked for that the place is among; -1 for no other place."""
    parted: bool = False
    """Whether a sentence ends there before the place."""
    span: tuple[int, int, Cut | None, float] | None = None
    """The last chunk, which the next one may be joined with, with its length."""
    follows: bool = False


@dataclass
class _Window:
    """What is made anew for each window."""

    offset: int
    known: int
    ended: bool
    cutter: Cutter
    outline: TextOutline
    paths: Paths
    facts: Facts


class _Stream:
    def __init__(self, reader: TextReader, length: Length, segmenter: Segmenter, plan: Plan) -> None:
        self.reading, self.ruler, self.numbered = Reading(reader), Ruler(length), Numbered()
        self.length, self.segmenter, self.plan = length, segmenter, plan
        self.marks = frozenset(segmenter.marks + "\ufeff")
        self.found: list[TextBlock] = []  # the headings that are around the window or in it
        self.at = 0  # where the next section begins
        self.began = False
        self.long: _Long | None = None
        self.before: Piece | None = None

    def run(self) -> Iterator[Chunk]:
        """All chunks, in order."""
        while True:
            self.reading.fill(self.reading.size)
            state = self._state()
            if (yield from self._window()):
                return
            if self._state() == state:
                self.reading.grow()
            else:
                self._advance()

    def _state(self) -> tuple[object, ...]:
        return self.at, self.began, self.long is not None, self.long.place if self.long is not None else 0

    def _window(self) -> Generator[Chunk, None, bool]:
        """Hand out what is settled in the window; tells whether the text is done."""
        try:
            window = self._look()
            while True:
                if self.long is not None:
                    if not (yield from self._go_on(window, self.long)):
                        return False
                    self.long = None
                if window.ended and self.began and self.at >= window.offset + len(window.outline.text):
                    return True
                yield from self._sections(window)
                if self.long is None:
                    return window.ended
        except Unsettled:
            return False

    def _look(self) -> _Window:
        text, offset, ended = self.reading.text, self.reading.offset, self.reading.ended
        measure, known = self.ruler.measure(text, offset, ended)
        lines = view(text if ended or not text.endswith("\r") else text[:-1])
        self.found += self.numbered.read(lines, offset, ended)
        if not ended:
            known = min(known, settled(text, self.segmenter.marks, self.segmenter.reach), self.numbered.at - offset)
        blocks = [block._replace(start=block.start - offset, end=block.end - offset) for block in self.found]
        outline = TextOutline(text, self.segmenter, blocks)
        cutter = Cutter(outline, measure, self.length, self.segmenter, self.plan)
        paths = Paths(((heading.start, heading.level) for heading in outline.headings), outline.title)
        return _Window(offset, known, ended, cutter, outline, paths, Facts(outline, paths))

    # -- sections ---------------------------------------------------------------------------------

    def _sections(self, window: _Window) -> Iterator[Chunk]:
        """Cut those that are in the window; begin the one that is too long for it."""
        for unit in self._units(window):
            if not window.ended and unit.end > window.known:
                if not is_long(unit.start, window.known):
                    raise Unsettled
                self._begin(window, unit)
                return
            window.cutter.pieces.clear()
            window.cutter.add(unit)
            for piece in window.cutter.pieces:
                yield self._chunk(window, piece)
            self.at, self.began = unit.end + window.offset, True

    def _units(self, window: _Window) -> Iterator[Unit]:
        cutter, outline, known, ended = window.cutter, window.outline, window.known, window.ended
        text, starts = outline.text, cutter.starts

        def size(start: int, end: int) -> float:
            if ended or end <= known:
                return cutter.measure.length(*trim(text, start, end))
            # Of what goes on, only whether it is too long.
            if start < known:
                sure = self.ruler.anchor(text, window.offset, known)
                found = cutter.measure.length(*trim(text, start, max(start, sure)))
                if found > cutter.room:
                    return found
            raise Unsettled

        if not self.plan.split_on_headings:
            fits = size(0, len(text)) <= cutter.room
            return iter([Unit(0, len(text), -1, len(starts) - 1, fits)])
        if self.began:
            first = bisect_left(starts, self.at - window.offset)
            begin = starts[first]
        else:
            first, begin = -1 if not starts or not is_blank_between(text, 0, starts[0]) else 0, 0
        return units_from(outline, cutter.headers, cutter.room, self.plan.least, size, first, begin)

    # -- a section that is longer than a window ------------------------------------------------------

    def _begin(self, window: _Window, unit: Unit) -> None:
        text, offset = window.outline.text, window.offset
        self.long = _Long(
            start=unit.start + offset,
            last=window.cutter.starts[unit.last] + offset if unit.last >= 0 else -1,
            limit=window.cutter.limit(unit),
            mixed=text.find("\r", unit.start, head(unit.start)) >= 0,
            place=unit.start + offset,
            origin=unit.start + offset,
        )
        self.began = True

    def _go_on(self, window: _Window, long: _Long) -> Generator[Chunk, None, bool]:
        """Cut what is settled of it; tells whether it is done."""
        cutter, text, offset = window.cutter, window.outline.text, window.offset
        end, known = self._end(window, long)
        place, origin = long.place - offset, long.origin - offset
        leads, led, sure = cutter.leads.ties(max(0, long.start - offset), end, long.limit, since=origin, known=known)
        keep, borders = cutter.held(origin, end, long.limit, leads, led)
        if known is not None:
            sure = min([sure, *(a for a, b in leads if b > sure)])
        reach = len(text) + 1 if known is None else sure - _NEAR
        region = place
        if long.region >= 0:
            region = long.region - offset
            if region < 0:
                region %= _ALIGNED  # clusters are looked for in blocks, counted from there
        sentences = SentencesFrom(self.segmenter, keep, window.outline.is_item, place, region, reach, long.parted)
        levels = ladder(
            text,
            place,
            end,
            keep,
            self.segmenter,
            is_item=window.outline.is_item,
            mixed=long.mixed,
            sentences=sentences,
        )
        levels.insert(0, cutter.borders(borders))
        packer = WindowPacker(text, cutter.measure, levels, limit=long.limit, explain=self.plan.explain, known=reach)
        done = known is None
        try:
            packer.pack_region(place, end)
        except Unsettled:
            done = False
        finally:
            packer.watched.release()
        spans = packer.spans
        count = len(spans.starts) if done else packer.count
        for i in range(count):
            cut = None if spans.cuts is None else spans.cuts[i]
            yield from self._join(window, long, spans.starts[i], spans.ends[i], cut)
        if done:
            if long.span is not None:
                why = Cut("end", 0) if window.ended and end >= len(text) else Cut("heading", 0)
                yield self._piece(window, long, why if self.plan.explain else None)
            self.at = end + offset
            return True
        if packer.place > place:
            items = [*leads, *led, *cutter.ties(origin, end)]
            long.origin = _begin_of(items, packer.place) + offset
            long.place = packer.place + offset
            low, high, parted = packer.region
            inside = low <= packer.place < high
            long.region, long.parted = low + offset if inside else -1, inside and parted
        return False

    def _end(self, window: _Window, long: _Long) -> tuple[int, int | None]:
        """Where the section ends in the window, and up to where what is there can be relied on; None: to that end."""
        starts, end = window.cutter.starts, len(window.outline.text)
        if self.plan.split_on_headings:
            i = bisect_right(starts, long.last - window.offset) if long.last >= 0 else 0
            end = starts[i] if i < len(starts) else end
        return end, None if window.ended or end <= window.known else window.known

    def _join(self, window: _Window, long: _Long, start: int, end: int, cut: Cut | None) -> Iterator[Chunk]:
        """Take a chunk in: into the last one, or behind it, which is handed out then."""
        length, least, offset, last = window.cutter.measure.length, self.plan.least, window.offset, long.span
        size = length(start, end) if least else 0
        if last is not None:
            if least and (size < least or last[3] < least):
                joined = length(last[0] - offset, end)
                if joined <= long.limit:
                    long.span = last[0], end + offset, cut, joined
                    return
            yield self._piece(window, long, last[2])
        long.span = start + offset, end + offset, cut, size

    def _piece(self, window: _Window, long: _Long, cut: Cut | None) -> Chunk:
        """The chunk of the last span."""
        assert long.span is not None
        start, end = long.span[0] - window.offset, long.span[1] - window.offset
        piece = Piece(start, end, start, long.follows, cut)
        long.follows = True
        return self._chunk(window, piece)

    # -- chunks -------------------------------------------------------------------------------------

    def _chunk(self, window: _Window, piece: Piece) -> Chunk:
        """A chunk of the window as one of the whole text."""
        cutter, outline, offset, before = window.cutter, window.outline, window.offset, self.before
        if before is not None and cutter.overlap > 0:
            piece = cutter.repeating(_moved(before, -offset), piece)
        self.before = _moved(piece, offset)
        start, end = self.before.start, self.before.end
        return Chunk(
            outline.text[piece.start : piece.end],
            start,
            end,
            overlap=max(0, min(before.end, end) - start) if before is not None else 0,
            prefix=cutter.prefix(piece) if self.plan.prepend_heading and outline.headings else "",
            path=window.paths(piece.own),
            metadata=window.facts.of(piece.start, piece.end),
            cut=piece.cut,
        )

    def _advance(self) -> None:
        """Let go of the text that nothing is asked about any more, and of headings that nothing is under."""
        keep = self.at
        if self.long is not None:
            keep = min(self.long.place, self.long.origin)
            keep = min(keep, self.long.span[0]) if self.long.span is not None else keep
        if self.before is not None:
            keep = min(keep, self.before.start)
        text, offset = self.reading.text, self.reading.offset
        self.reading.drop(self.ruler.anchor(text, offset, back_to(text, keep - offset, self.marks)) + offset)
        around: list[TextBlock] = []
        i = bisect_left(self.found, keep, key=lambda block: block.start)
        for block in self.found[:i]:
            while around and around[-1].level >= block.level:
                around.pop()
            around.append(block)
        self.found = around + self.found[i:]


def _moved(piece: Piece, distance: int) -> Piece:
    return piece._replace(start=piece.start + distance, end=piece.end + distance, own=piece.own + distance)


def _begin_of(items: list[Span], place: int) -> int:
    """Where the stretches begin that overlap one another and reach over a place; the place if there are none."""
    low = high = -1
    for start, end in sorted(items):
        if start >= place:
            break
        low, high = (low, max(high, end)) if start < high else (start, end)
    return low if low < place < high else place
