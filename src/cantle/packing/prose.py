"""Cut prose between its sentences."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import pairwise

from ..blocks.sentences import Segmenter
from .borders import Gaps
from .levels import Pieces

__all__ = ["Sentences"]


class Sentences:
    """Cut between sentences, but not in the stretches to keep whole; looked up where the level is reached."""

    kind, detail = "sentence", ""

    def __init__(self, segmenter: Segmenter, keep: Sequence[tuple[int, int]] = ()) -> None:
        self.segmenter, self.keep = segmenter, keep
        self._ends = [end for _, end in keep]

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when it is one sentence or none ends outside the stretches."""
        low, high = bisect_right(self._ends, start), bisect_left(self.keep, (end, 0))
        found = pairwise(self.segmenter.on(text[start:end]))
        gaps = [(start + a, start + b) for (_, a), (b, _) in found]
        return Gaps(gaps, self.detail, self.keep[low:high]).on(text, start, end, strip)
