"""What a chunk repeats from the end of the one before: whole blocks and sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from .measures import Sizes
from .pieces import Piece
from .places import JOINT
from .sentences import WORD, borders, sentence_starts

__all__ = ["Overlaps"]

_NOT_REPEATED = ("code", "table", "heading", "front_matter")
_NEAR = 4


class Overlaps:
    """Finds overlaps of at most `most`."""

    def __init__(self, text: str, sizes: Sizes, most: int) -> None:
        self.text, self.sizes, self.most = text, sizes, most

    def starts(self, before: Sequence[Piece], first: Piece) -> Iterable[tuple[int, int]]:
        """Where the overlap may begin, as `(start, at)`: the best place, then those that repeat less.

        It reaches to the end of `before`, the pieces of the chunk before. Empty when nothing is repeated.
        """
        last = before[-1]
        if first.inside or last.label in _NOT_REPEATED:  # inside a word, a blank line would cut it
            return ()
        return self._found(before, last.end)

    def _found(self, before: Sequence[Piece], end: int) -> Iterator[tuple[int, int]]:
        span, most = self.sizes.span, self.most
        for start, at in self._counted(before):
            if at < end and span(at, end) <= most:  # what stands between blocks was not counted
                yield start, at

    def _counted(self, before: Sequence[Piece]) -> Iterator[tuple[int, int]]:
        k = len(before)
        total, most = 0, self.most
        while k:
            piece = before[k - 1]
            if piece.label in _NOT_REPEATED:
                break
            cost = total + piece.size + JOINT
            if cost > most or piece.inside:
                if total < most:
                    yield from self._tails(piece, most - total)
                break
            k, total = k - 1, cost
        for piece in before[k:]:
            yield piece.start, piece.at
            for at in sentence_starts(self.text, piece.at, piece.end):
                yield at, at

    def _tails(self, piece: Piece, room: int) -> Iterator[tuple[int, int]]:
        """The ends of a piece that begin with a sentence (with a word, where it is made of words) and fit."""
        if piece.size <= room and not piece.inside:
            yield piece.start, piece.at
        starts = sentence_starts(self.text, piece.at, piece.end)
        first = self._longest(starts, piece.end, room)
        if first == len(starts) and piece.words:
            starts = borders(self.text, WORD, piece.at, piece.end)
            first = self._longest(starts, piece.end, room)
        for at in starts[first:]:
            yield at, at

    def _longest(self, starts: list[int], end: int, room: int) -> int:
        """The number of the first start from which to `end` is at most `room`."""
        span = self.sizes.span
        i = bisect_left(starts, True, key=lambda at: span(at, end) <= room)
        while i < len(starts) and span(starts[i], end) > room:
            i += 1
        for j in range(max(0, i - _NEAR), i):  # sizes in tokens do not always fall from start to start
            if span(starts[j], end) <= room:
                return j
        return i
