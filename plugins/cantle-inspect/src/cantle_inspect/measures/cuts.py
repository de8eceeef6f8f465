"""Which cuts go through a sentence, a table or a code block."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

from cantle import Chunks, Source
from cantle.units import units

__all__ = ["KINDS", "Whole"]

KINDS = ("sentence", "table", "code")
"""The units that a cut should not go through."""


_MEASURED = {
    "json": frozenset[str](),
    "markdown": frozenset(KINDS),
    "html": frozenset(KINDS),
    "latex": frozenset(KINDS),
}
"""Which of them documents of a kind can have, as `cantle.units` finds them; sentences alone in all other text."""


class Whole:
    """What of a document should stay whole: `measured`, the kinds that it can have, `counts`, how many of each."""

    def __init__(self, source: Source) -> None:
        text = source.text
        bounds: dict[str, list[tuple[int, int]]] = {kind: [] for kind in KINDS}
        for kind, start, end in units(source):
            if kind in bounds:
                part = text[start:end]
                bounds[kind].append((start + len(part) - len(part.lstrip()), end - len(part) + len(part.rstrip())))
        self.measured = _MEASURED.get(source.kind, frozenset({"sentence"}))
        self.counts = {kind: len(found) for kind, found in bounds.items() if kind in self.measured}
        self._starts = {kind: [start for start, _ in found] for kind, found in bounds.items()}
        self._ends = {kind: [end for _, end in found] for kind, found in bounds.items()}

    def at(self, position: int) -> frozenset[str]:
        """The kinds of units that a position is strictly inside of."""
        return frozenset(kind for kind in KINDS if self._inside(kind, position))

    def _inside(self, kind: str, position: int) -> bool:
        # Units of one kind do not overlap: the last that begins before is the only one to look at.
        i = bisect_left(self._starts[kind], position) - 1
        return i >= 0 and position < self._ends[kind][i]

    def torn(self, chunks: Chunks) -> list[frozenset[str]]:
        """For each cut, between a chunk and the next one, the kinds of units that it goes through.

        A cut is where a chunk ends and where the next one's own text begins; what it repeats of the chunk before
        begins anywhere.
        """
        return [self.at(end) | self.at(start) for end, start in _cuts(chunks)]


def _cuts(chunks: Chunks) -> Iterable[tuple[int, int]]:
    spans = chunks.spans
    reach = 0
    for (_, end), (start, _) in pairwise(spans):
        reach = max(reach, end)
        yield end, max(start, reach)
