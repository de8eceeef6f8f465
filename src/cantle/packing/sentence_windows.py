"""Sentences packed while a text is read: the chunks of the whole text, from one window of it after another.

A window is packed as if the text ended with it, up to the first question whose answer depends on what follows. The
chunks before are right, and the next window goes on from the place where that one began.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass

from ..blocks.sentences import Segmenter, Sentences
from ..chunk import Chunk, Cut
from ..lengths import Length, Measure
from ..lengths.windowed import Ruler, Unsettled
from .reading import Reading, TextReader, back_to, settled
from .sentences import Place, SentencePacker, Sizes

__all__ = ["stream_sentences"]


_NONE = Cut("sentence", 0)


def stream_sentences(
    reader: TextReader, length: Length, sizes: Sizes, segmenter: Segmenter, least: float = 0, explain: bool = False
) -> Iterator[Chunk]:
    """The chunks of the text that a reader gives, as `SentencePacker` finds them in the whole of it.

    Chunks shorter than `least` are joined with a neighbour. A window grows where a sentence is longer than it, for a
    sentence is only cut when all of it is there; and over a run of white space, marks or parts of flags.
    """
    return _Stream(reader, length, sizes, segmenter, least, explain).run()


@dataclass
class _Last:
    """The last chunk so far, which the next one may be joined with. Positions are those of the whole text."""

    start: int
    end: int
    cut: Cut | None
    size: float


class _Stream:
    def __init__(
        self, reader: TextReader, length: Length, sizes: Sizes, segmenter: Segmenter, least: float, explain: bool
    ) -> None:
        self.reading, self.ruler = Reading(reader), Ruler(length)
        self.sizes, self.segmenter, self.least, self.explain = sizes, segmenter, least, explain
        self.marks = frozenset(segmenter.marks + "\ufeff")
        self.place: Place | None = None
        self.origin = 0  # from where on sentences are looked for
        self.last: _Last | None = None
        self.span: tuple[int, int] | None = None  # the last one before any were joined
        self.oversize: set[int] = set()
        self.end = 0  # of the last chunk that was handed out

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
        if self.last is not None:
            yield self._chunk(self.last)

    def _window(self) -> Generator[Chunk, None, bool]:
        """Hand out what is settled in the window; tells whether the text is done."""
        text, offset, ended = self.reading.text, self.reading.offset, self.reading.ended
        try:
            measure, known = self.ruler.measure(text, offset, ended)
            if not ended:
                known = min(known, settled(text, self.segmenter.marks, self.segmenter.reach))
            packer = SentencePacker(text, measure, self.sizes, self.explain)
            sentences = self.segmenter.window(text, None if ended else known, self.origin - offset)
            place = self._place(sentences, packer, known)
        except Unsettled:
            return False
        skip = len(packer.spans.starts)
        try:
            packer.pack_on(sentences, place)
            done, place = ended, packer.place._replace(spans=len(packer.spans.starts), oversize=len(packer.oversize))
        except Unsettled:
            done, place = False, packer.place
        starts, ends, cuts = packer.spans.starts, packer.spans.ends, packer.spans.cuts
        self.oversize.update(start + offset for start in packer.oversize[: place.oversize])
        for i in range(skip, place.spans):
            cut = None if cuts is None else cuts[i]
            joined = self._joined(starts[i], ends[i], cut, measure)
            if joined is not None:
                yield self._chunk(joined)
        if place.spans:
            self.span = starts[place.spans - 1] + offset, ends[place.spans - 1] + offset
        self.place = Place(place.start + offset, place.extra, place.least + offset)
        self.origin = offset + sentences.origin(place.start)
        return done

    def _place(self, sentences: Sentences, packer: SentencePacker, known: int) -> Place:
        """Where to go on in the window. The last span is put before those that are to come."""
        offset, spans = self.reading.offset, packer.spans
        if self.span is not None:
            spans.starts.append(self.span[0] - offset)
            spans.ends.append(self.span[1] - offset)
            if spans.cuts is not None:
                spans.cuts.append(_NONE)
        if self.place is not None:
            return Place(self.place.start - offset, self.place.extra, self.place.least - offset, len(spans.starts))
        start = sentences.begin(0)
        if start > known:
            raise Unsettled
        return Place(start, least=start + 1, spans=len(spans.starts))

    def _joined(self, start: int, end: int, cut: Cut | None, measure: Measure) -> _Last | None:
        """Take a chunk of the window in: into the last one, or behind it. Gives what can be handed out."""
        offset, last = self.reading.offset, self.last
        size = measure.length(start, end) if self.least else 0
        if last is not None and self.least and (size < self.least or last.size < self.least):
            joined = measure.length(last.start - offset, end)
            if joined <= self.sizes.limit:
                last.end, last.cut, last.size = end + offset, cut, joined
                return None
        self.last = _Last(start + offset, end + offset, cut, size)
        return last

    def _chunk(self, found: _Last) -> Chunk:
        """What is handed out. All of it is still in the window."""
        start, end, offset = found.start, found.end, self.reading.offset
        chunk = Chunk(
            self.reading.text[start - offset : end - offset],
            start,
            end,
            overlap=max(0, min(self.end, end) - start),
            oversize=start in self.oversize,
            cut=found.cut,
        )
        self.end = end
        self.oversize = {other for other in self.oversize if other > start}
        return chunk

    def _advance(self) -> None:
        """Let go of the text that nothing is asked about any more."""
        assert self.place is not None
        text, offset = self.reading.text, self.reading.offset
        keep = min(self.place.start, self.origin, self.last.start if self.last is not None else self.place.start)
        self.reading.drop(self.ruler.anchor(text, offset, back_to(text, keep - offset, self.marks)) + offset)
