"""Windows of tokens over a text that is read piece by piece: those of the whole text.

A stretch of the text is looked at as if the text ended with it, up to the first token that depends on what follows. The
chunks before are right, and the next stretch goes on from the last one's end.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import cast

from ..chunk import Chunk
from ..graphemes import trim
from ..lengths import Measure, SpecialTokens, TokenLength
from ..lengths.tokens import TokenMeasure
from ..lengths.windowed import Ruler, Unsettled
from .handed import Handed
from .reading import ALIGNED, Reading, TextReader, back_to, settled
from .tokens import TokenPacker, begins_anew
from .watched import Watched

__all__ = ["stream_tokens"]

_NO_MARKS = frozenset("\ufeff")


def stream_tokens(
    reader: TextReader,
    length: TokenLength,
    *,
    limit: float,
    least: float = 0,
    overlap: float = 0,
    strip: bool = True,
    explain: bool = False,
) -> Iterator[Chunk]:
    """The chunks of the text that a reader gives, as `TokenPacker` finds them in the whole of it.

    What is looked at grows with chunks and runs of white space longer than it, and where no piece that is encoded by
    itself ends for long. Raises `DocumentError` where a special token is read that is not allowed.
    """
    if length.special.disallowed:
        reader = _Checked(reader, length.special)
    return _Stream(reader, length, limit, least, overlap, strip, explain).run()


class _Checked:
    """A reader that raises `DocumentError` for special tokens that are not allowed."""

    def __init__(self, reader: TextReader, special: SpecialTokens) -> None:
        self._reader, self._special = reader, special
        self._longest = max(map(len, special.disallowed))
        self._tail, self._before = "", 0

    def read(self, size: int, /) -> str:
        """What the reader gives."""
        part = self._reader.read(size)
        if isinstance(part, str):
            text = self._tail + part
            # A longer one may begin where a short one ends.
            sure = len(text) - self._longest + 1 if part else len(text)
            self._special.check(text, self._before, sure)
            cut = max(0, sure)
            self._tail, self._before = text[cut:], self._before + cut
        return part


class _Stream:
    def __init__(
        self,
        reader: TextReader,
        length: TokenLength,
        limit: float,
        least: float,
        overlap: float,
        strip: bool,
        explain: bool,
    ) -> None:
        self.reading, self.ruler, self.least = Reading(reader), Ruler(length), least
        self.limit, self.overlap, self.strip, self.explain = limit, overlap, strip, explain
        self.shift = 0
        """How much white space before the text was left out, of which the tokens must know nothing."""
        self.at, self.last = 0, -1

    def run(self) -> Iterator[Chunk]:
        """All chunks, in order."""
        if not self._begin():
            return
        handed = Handed(self.reading, self.least, self.limit, self.shift)
        while True:
            self.reading.fill(self.reading.size)
            before = self.last
            if (yield from self._window(handed)):
                break
            if self.last == before:
                self.reading.grow()
                continue
            text, offset = self.reading.text, self.reading.offset
            keep = back_to(text, handed.keep(self.at) - offset, _NO_MARKS)
            self.reading.drop(self.ruler.anchor(text, offset, keep) + offset)
        yield from handed.rest()

    def _begin(self) -> bool:
        """Find where the first chunk begins; tells whether there is any."""
        reading = self.reading
        reading.fill(reading.size)
        if self.strip:
            while not reading.ended and trim(reading.text, 0, len(reading.text))[0] >= settled(reading.text):
                reading.grow()
                reading.fill(reading.size)
            start, end = trim(reading.text, 0, len(reading.text))
            if start == end:
                return False
            self.at = start
            if begins_anew(reading.text, start):
                self.at, self.shift, reading.text = 0, start, reading.text[start:]
        return bool(reading.text)

    def _window(self, handed: Handed) -> Generator[Chunk, None, bool]:
        """Hand out what is settled; tells whether the text is done."""
        text, offset, ended = self.reading.text, self.reading.offset, self.reading.ended
        total = len(text)
        if ended and self.strip:
            before = " " * (self.shift % ALIGNED)
            total = trim(before + text, 0, len(before) + total)[1] - len(before)
            if self.shift:
                text = text[:total]
        measure, known = self.ruler.measure(text, offset, ended)
        if not ended:
            known = min(known, settled(text))
        packer = _Packer(text, measure, known if not ended else len(text) + 1, self)
        first = handed.begin(packer.spans)
        packer.at, packer.last = self.at - offset, self.last - offset
        packer.count = first
        try:
            packer.pack(total)
            done, count = True, len(packer.spans.starts)
        except Unsettled:
            done, count = False, packer.count
        yield from handed.take(packer.spans, first, count, measure)
        self.at, self.last = packer.at + offset, packer.last + offset
        packer.watched.release()
        return done


class _Packer(TokenPacker):
    """Windows of tokens in a stretch of the text of which the tokens are right up to `known`."""

    def __init__(self, text: str, measure: Measure, known: int, stream: _Stream) -> None:
        self.watched = Watched(measure, self._fitted)
        super().__init__(
            text,
            cast(TokenMeasure, self.watched),
            limit=stream.limit,
            overlap=stream.overlap,
            strip=stream.strip,
            explain=stream.explain,
        )
        self._known = known

    def _fitted(self, start: int, most: int) -> None:
        if most >= self._known:
            raise Unsettled

    def reached(self, end: int) -> None:
        """What comes next is right if it ends before what is known."""
        if end >= self._known:
            raise Unsettled
