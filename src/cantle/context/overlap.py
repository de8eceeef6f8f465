"""What a chunk repeats from the end of the one before: whole blocks and sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

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

    def starts(self, before: Sequence[Piece], first: Piece) -> list[tuple[int, int]]:
        """Where the overlap may begin, as `(start, at)`: the best place, then those that repeat less.

        It reaches to the end of `before`, the pieces of the chunk before. Empty when nothing is repeated.
        """
        if first.inside or not self.most:  # a blank line would stand inside a word
            return []
        end, total, k = before[-1].end, 0, len(before)
        whole: list[Piece] = []
        while k and self._repeatable(before[k - 1]) and not before[k - 1].inside:
            cost = total + before[k - 1].size + JOINT
            if cost > self.most:
                break
            k, total = k - 1, cost
            whole.append(before[k])
        found: list[tuple[int, int]] = []
        if k and total < self.most and self._repeatable(before[k - 1]):
            found += self._tails(before[k - 1], self.most - total)
        for piece in reversed(whole):
            found.append((piece.start, piece.at))
            found += [(at, at) for at in sentence_starts(self.text, piece.at, piece.end)]
        # What stands between whole blocks can be longer than was counted.
        return [(start, at) for start, at in found if at < end and self.sizes.span(at, end) <= self.most]

    def _repeatable(self, piece: Piece) -> bool:
        return piece.label not in _NOT_REPEATED

    def _tails(self, piece: Piece, room: int) -> list[tuple[int, int]]:
        """The ends of a piece that begin with a sentence (with a word, where it is made of words) and fit."""
        starts = sentence_starts(self.text, piece.at, piece.end)
        if not piece.inside:
            starts.insert(0, piece.at)
        first = self._longest(starts, piece.end, room)
        if first == len(starts) and piece.words:
            starts = borders(self.text, WORD, piece.at, piece.end)
            first = self._longest(starts, piece.end, room)
        return [(piece.start if at == piece.at else at, at) for at in starts[first:]]

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
