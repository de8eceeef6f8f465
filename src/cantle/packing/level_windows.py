"""A text cut at separators while it is read: the chunks of the whole text, from one window of it after another.

A window is packed as if the text ended with it, up to the first question whose answer depends on what follows. The
chunks before are right, and the next window goes on from where that one began: by then some levels enclose the place,
and the regions that are being cut end where each of them cuts next. A level that has not cut anything so far is the
same as one that encloses.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from typing import NamedTuple

from ..chunk import Chunk, Cut
from ..lengths import Length, Measure, TokenLength
from ..lengths.windowed import Ruler, Unsettled
from .engine import END, Packer
from .handed import Handed
from .levels import ClusterPieces, Level, Literal, Pattern, Pieces
from .plain import GUESSED
from .reading import ALIGNED, Reading, TextReader, back_to, settled
from .watched import Watched

__all__ = ["stream_levels"]

_NO_MARKS = frozenset("\ufeff")
_NEAR = 256


def stream_levels(
    reader: TextReader,
    length: Length,
    levels: Sequence[Level],
    *,
    limit: float,
    least: float = 0,
    overlap: float = 0,
    strip: bool = True,
    explain: bool = False,
) -> Iterator[Chunk]:
    """The chunks of the text that a reader gives, as `Packer` finds them in the whole of it.

    A window grows with a chunk that is longer than it; with runs of white space and of separators; where pieces of any
    length have to be measured, which is so for overlap by somebody's function; and over all of the text for a pattern
    that may look at all of it.
    """
    return _Stream(reader, length, levels, limit, least, overlap, strip, explain).run()


class _Entry(NamedTuple):
    """A level that cuts, or cuts around, the place where to go on. Positions are those of the whole text."""

    level: int
    low: int
    """Where the region begins."""
    at: int
    """From where on the next cut is looked for."""


class _Place(NamedTuple):
    """Where to go on: a chunk begins here, which gets to `due` at least."""

    start: int
    due: tuple[int, int] | None
    entries: tuple[_Entry, ...]


class _Region(NamedTuple):
    """A region that is being cut; `low` is where it began, and `at` a place in the piece that is being cut further.

    Of its levels those from `first` to before `depth` do not cut it, or have not cut it yet.
    """

    start: int
    end: int
    first: int
    depth: int
    pieces: Pieces | None
    cut: Cut
    low: int
    at: int


class _Stream:
    def __init__(
        self,
        reader: TextReader,
        length: Length,
        levels: Sequence[Level],
        limit: float,
        least: float,
        overlap: float,
        strip: bool,
        explain: bool,
    ) -> None:
        self.reading, self.ruler, self.levels = Reading(reader), Ruler(length), levels
        self.handed = Handed(self.reading, least, limit)
        self.limit, self.overlap, self.strip, self.explain = limit, overlap, strip, explain
        self.tokens = isinstance(length, TokenLength)
        self.patterns = [level for level in levels if isinstance(level, Pattern)]
        self.more = max((len(level.separator) for level in levels if isinstance(level, Literal)), default=0)
        self.place: _Place | None = None

    def run(self) -> Iterator[Chunk]:
        """All chunks, in order."""
        while True:
            self.reading.fill(self.reading.size)
            before = self.place
            if (yield from self._window()):
                break
            if self.place == before:
                self.reading.grow()
            else:
                self._advance()
        yield from self.handed.rest()

    def _window(self) -> Generator[Chunk, None, bool]:
        """Hand out what is settled in the window; tells whether the text is done."""
        text, offset, ended = self.reading.text, self.reading.offset, self.reading.ended
        try:
            measure, known = self.ruler.measure(text, offset, ended)
        except Unsettled:
            return False
        packer = _Packer(self, text, measure, math.inf if ended else self._known(text, known))
        first = self.handed.begin(packer.spans)
        packer.count = first
        try:
            packer.go_on(self.place)
            done, count = True, len(packer.spans.starts)
        except Unsettled:
            done, count = False, packer.count
        yield from self.handed.take(packer.spans, first, count, measure)
        if not done and packer.begun is not None:
            self.place = packer.place()
        packer.watched.release()
        return done

    def _known(self, text: str, known: int) -> int:
        """Up to where nothing depends on what follows the window."""
        known = min(known, settled(text, "", 2 * self.more))
        for level in self.patterns:
            known = min(known, level.reach.settled(text) if level.reach is not None else 0)
        return known

    def _advance(self) -> None:
        """Let go of the text that nothing is asked about any more."""
        assert self.place is not None
        text, offset = self.reading.text, self.reading.offset
        needed = min(self.handed.keep(self.place.start), *(entry.at for entry in self.place.entries))
        keep = back_to(text, needed - offset, _NO_MARKS)
        self.reading.drop(self.ruler.anchor(text, offset, keep) + offset)


class _Packer(Packer):
    """The engine on a window. Up to `known` it knows the text; `begun` is where it could go on, after `count` spans."""

    def __init__(self, stream: _Stream, text: str, measure: Measure, known: float) -> None:
        self.watched = Watched(measure, self._begin)
        super().__init__(
            text,
            self.watched,
            stream.levels,
            limit=stream.limit,
            overlap=stream.overlap,
            strip=stream.strip,
            explain=stream.explain,
        )
        self._stream, self._offset, self._known, self.count = stream, stream.reading.offset, known, 0
        self._sure = known if measure.exact or math.isinf(known) else known - GUESSED
        self._regions: list[_Region] = []
        self._current: tuple[_Region, ...] = ()
        self.begun: tuple[int, tuple[int, int] | None, tuple[_Region, ...]] | None = None

    def _begin(self, start: int, most: int) -> None:
        """Take note of a chunk that begins at `start` and can get to `most`, before the end of any piece not known."""
        if most >= self._sure:
            raise Unsettled
        self.begun, self.count = (start, self.due, self._current), len(self.spans.starts)

    def go_on(self, place: _Place | None) -> None:
        """Pack the rest of the text from a place on, or all of it."""
        due: tuple[int, int] | None = None
        if place is None:
            self._regions = [_Region(0, len(self.text), 0, 0, None, END, 0, 0)]
            resumed = False
        else:
            self._enter(place)
            resumed = True
            if place.due is not None:
                due = place.due[0] - self._offset, place.due[1] - self._offset
        regions = self._regions
        while regions:
            region = regions.pop()
            start, end, first, depth, pieces, cut, *_ = region
            if pieces is None:
                pieces, depth = self._choose(start, end, first)
                region = region._replace(depth=depth, pieces=pieces)
            self._current = (*regions, region)
            if resumed:
                oversize, resumed = self._fill_on(start, end, depth, pieces, cut, due), False
            else:
                oversize = self._fill(start, end, depth, pieces, cut)
            if oversize is None:
                if end >= self._known:
                    raise Unsettled
                continue
            start, stop, following = oversize
            regions.append(region._replace(start=following, at=start))
            if following < end:
                cut = self._cut(depth, following)
            regions.append(_Region(start, stop, depth, depth, None, cut, start, start))

    def _enter(self, place: _Place) -> None:
        """Open the regions around a place: each ends where the level around it cuts next."""
        start, end, cut = place.start - self._offset, len(self.text), END
        for level, low, at in place.entries[:-1]:
            low, at, depth = low - self._offset, at - self._offset, level + 1
            pieces = self._pieces(level, low, end, at)
            stop, following = pieces.next(at)
            self._regions.append(_Region(following, end, depth, depth, pieces, cut, low, at))
            if following < end:
                cut = self._cut(depth, following)
            end = stop
        level, low = place.entries[-1].level, place.entries[-1].low - self._offset
        pieces = self._pieces(level, low, end, start)
        self._regions.append(_Region(start, end, level + 1, level + 1, pieces, cut, low, start))

    def _pieces(self, number: int, low: int, end: int, at: int) -> Pieces:
        level = self.levels[number] if number < len(self.levels) else None
        if isinstance(level, Literal | Pattern):
            return level.pieces(self.text, _first(low), end, self.strip, at)
        return ClusterPieces(self.text, end)

    def place(self) -> _Place:
        """Where to go on in the next window."""
        assert self.begun is not None
        start, due, regions = self.begun
        entries = []
        for i, region in enumerate(regions):
            low, inside = region.low, i < len(regions) - 1
            if region.end >= self._known:
                entries += [
                    self._entry(level, low, low, region.end, start) for level in range(region.first, region.depth - 1)
                ]
            at = region.at if inside else start
            entries.append(self._entry(region.depth - 1, low, at, region.end, start))
        offset = self._offset
        if due is not None:
            due = due[0] + offset, due[1] + offset
        return _Place(start + offset, due, tuple(entries))

    def _entry(self, number: int, low: int, at: int, end: int, start: int) -> _Entry:
        level = self.levels[number] if number < len(self.levels) else None
        if isinstance(level, Pattern):
            at = level.since(self.text, _first(low), end, at, start)
        else:  # what lies far before does not matter, and is about to go; a separator may reach over the place
            at = max(at, start - _NEAR - self._stream.more)
        return _Entry(number, low + self._offset, at + self._offset)

    def _step_back(self, start: int, stop: int, begin: int, pieces: Pieces) -> int:
        if pieces.next(begin)[0] < self._known:
            return super()._step_back(start, stop, begin, pieces)
        if self._is_long(begin):
            return begin
        raise Unsettled

    def _is_long(self, start: int) -> bool:
        """Whether the piece that begins here surely fills a chunk, though its end is not there yet."""
        measure, end = self.measure, int(self._known)
        if self._stream.tokens:
            end = self._stream.ruler.sure(self.text, self._offset, start, end)
        elif not measure.exact:
            return False
        start = self._trimmed(start, end)[0]
        return start < end and measure.length(start, end) >= self.limit


def _first(low: int) -> int:
    """Where to look at a region that began there: clusters are looked for in blocks, counted from there."""
    return low if low >= 0 else low % ALIGNED
