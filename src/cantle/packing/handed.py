"""The spans that are found window by window, handed out as chunks once nothing can change them."""

from __future__ import annotations

from collections.abc import Iterator

from ..chunk import Chunk, Cut
from ..lengths import Measure
from .reading import Reading
from .spans import Spans

__all__ = ["Handed"]

_NONE = Cut("end", 0)


class Handed:
    """Takes spans, joins those that are too small as `Spans.join_small` does, and gives chunks.

    Positions are those of the whole text, which begins `shift` code points before what is read.
    """

    def __init__(self, reading: Reading, least: float, limit: float, shift: int = 0) -> None:
        self._reading, self._least, self._limit, self._shift = reading, least, limit, shift
        self._raw: tuple[int, int] | None = None  # the last span before any were joined
        self._last: tuple[int, int, Cut | None, float] | None = None
        self._end = 0  # of the last chunk that was given

    def begin(self, spans: Spans) -> int:
        """Put the last span before those that are to come, for they may depend on it; tells how many that makes."""
        if self._raw is None:
            return 0
        offset = self._reading.offset
        spans.starts.append(self._raw[0] - offset)
        spans.ends.append(self._raw[1] - offset)
        if spans.cuts is not None:
            spans.cuts.append(_NONE)
        return 1

    def keep(self, position: int) -> int:
        """From where on the text is needed, where all else needs it from a position on."""
        return position if self._last is None else min(position, self._last[0])

    def take(self, spans: Spans, first: int, count: int, measure: Measure) -> Iterator[Chunk]:
        """Take the spans of a window with the numbers from `first` to `count`."""
        offset, starts, ends, cuts = self._reading.offset, spans.starts, spans.ends, spans.cuts
        if count:
            self._raw = starts[count - 1] + offset, ends[count - 1] + offset
        for i in range(first, count):
            start, end, cut = starts[i] + offset, ends[i] + offset, None if cuts is None else cuts[i]
            if not self._least:
                yield self._chunk(start, end, cut)
            elif not self._joined(start, end, cut, measure):
                yield from self.rest()
                self._last = start, end, cut, measure.length(starts[i], ends[i])

    def _joined(self, start: int, end: int, cut: Cut | None, measure: Measure) -> bool:
        last, offset = self._last, self._reading.offset
        if last is None or not (last[3] < self._least or measure.length(start - offset, end - offset) < self._least):
            return False
        joined = measure.length(last[0] - offset, end - offset)
        if joined > self._limit:
            return False
        self._last = last[0], end, cut, joined
        return True

    def rest(self) -> Iterator[Chunk]:
        """The chunk that another one could have been joined with."""
        if self._last is not None:
            yield self._chunk(*self._last[:3])
        self._last = None

    def _chunk(self, start: int, end: int, cut: Cut | None) -> Chunk:
        offset, shift = self._reading.offset, self._shift
        overlap = max(0, min(self._end, end) - start)
        self._end = end
        content = self._reading.text[start - offset : end - offset]
        return Chunk(content, start + shift, end + shift, overlap=overlap, cut=cut)
