"""Cut prose between its sentences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence

from ..blocks.sentences import Segmenter
from ..blocks.sentences import Sentences as Found
from ..lengths.windowed import Unsettled
from .levels import Pieces

__all__ = ["Sentences"]


class Sentences:
    """Cut between sentences, but not in the stretches to keep whole; looked up where the level is reached.

    `is_item` says for the reasons whether an item of a list begins at a position: that counts as a sentence, whatever
    it ends with.
    """

    kind, detail = "sentence", ""

    def __init__(
        self,
        segmenter: Segmenter,
        keep: Sequence[tuple[int, int]] = (),
        is_item: Callable[[int], bool] = lambda position: False,
    ) -> None:
        self.segmenter, self.is_item = segmenter, is_item
        self._starts, self._ends = [start for start, _ in keep], [end for _, end in keep]

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when it is one sentence or none ends outside the stretches."""
        pieces = _SentencePieces(self.segmenter.on(text[start:end]), start, end, self._starts, self._ends)
        return pieces if pieces.next(pieces.begin(start))[0] < end else None


class SentencesFrom(Sentences):
    """The same in a window, in which sentences and what is kept are settled up to `known`.

    The region that one begins in, at `place`, began earlier, at `begin`: sentences depend a little on what is before.
    `parted` says that one ends between the two, and so what is left of the region is a piece.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        keep: Sequence[tuple[int, int]],
        is_item: Callable[[int], bool],
        place: int,
        begin: int,
        known: int,
        parted: bool,
    ) -> None:
        super().__init__(segmenter, keep, is_item)
        self.region = 0, 0, False
        """The last region that was looked at, and whether a sentence surely ends inside of it."""
        self._place, self._from, self._known, self._parted = place, begin, known, parted

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when it is one sentence or none ends outside the stretches."""
        low, parted = (self._from, self._parted) if start == self._place else (start, False)
        pieces = _SentencePieces(self.segmenter.on(text[low:end]), low, end, self._starts, self._ends)
        begin = pieces.begin(start)
        first = pieces.next(begin)[0]
        # Whether there is a sentence at all says whether white space in front of it is left out at once.
        if end > self._known and first > self._known and begin > start:
            raise Unsettled
        self.region = low, end, parted or (first < end and first <= self._known)
        return pieces if parted or first < end else None


class _SentencePieces:
    """Sentences are not listed: only the ends near the limit are asked for."""

    def __init__(self, found: Found, start: int, end: int, starts: Sequence[int], ends: Sequence[int]) -> None:
        self.found, self.low, self.high = found, start, end
        self._starts, self._ends = starts, ends

    def begin(self, at: int) -> int:
        return min(self.low + self.found.begin(at - self.low), self.high)

    def next(self, start: int) -> tuple[int, int]:
        at = start + 1
        while True:
            end = self.low + self.found.end_from(at - self.low)
            if end >= self.low + self.found.total:
                return self.high, self.high
            i = self._stretch(end)
            if i < 0:
                return end, self.begin(end)
            at = self._ends[i]

    def last(self, start: int, most: int) -> tuple[int, int] | None:
        while most > start:
            end = self.low + self.found.end_before(most - self.low, start - self.low)
            if end <= start:
                return None
            if end >= self.low + self.found.total:
                return end, self.high  # what is behind it is blank
            i = self._stretch(end)
            if i < 0:
                return end, self.begin(end)
            most = self._starts[i]
        return None

    def start_after(self, start: int, at: int, end: int) -> int:
        following = start
        while following < at:
            following = self.next(following)[1]
            if following >= end:
                return end
        return following

    def content_end(self, start: int) -> int:
        return self.high

    def _stretch(self, end: int) -> int:
        """The stretch to keep that a sentence ends inside, or -1."""
        i = bisect_left(self._starts, end) - 1
        return i if i >= 0 and end < self._ends[i] else -1
