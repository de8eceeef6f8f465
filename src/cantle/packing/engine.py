"""Fill chunks up to the limit with the pieces of the strongest level that cuts them small enough.

The result is that of the classic recursive splitter: a region is cut at the first level that occurs
in it; neighbouring pieces are joined while they fit; a piece that is too long itself is a region of
its own for the levels below, and nothing is joined across it. But pieces are not listed, measured
and joined one by one: from each start the measure says how far the limit reaches, and the level
where the last piece before that ends.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..chunk import Cut
from ..graphemes import trim
from ..lengths import Measure, fit_back, within
from ..whitespace import STRIP
from .borders import MixedBorders, MixedGaps
from .levels import ClusterPieces, Clusters, Level, Pieces
from .plain import GUESSED, pack_plain, plain_separators
from .prose import Sentences
from .spans import Spans

__all__ = ["END", "Packer"]


END = Cut("end", 0)

_Region = tuple[int, int, int, Pieces | None, Cut]
"""Start, end, the level to go on from, the pieces when the level is already chosen, and why the region ends."""


class Packer:
    """Cuts one text. `limit` and `overlap` are in the measure's units."""

    def __init__(
        self,
        text: str,
        measure: Measure,
        levels: Sequence[Level],
        *,
        limit: float,
        least: float = 0,
        overlap: float = 0,
        strip: bool = True,
        explain: bool = False,
    ) -> None:
        self.text, self.measure, self.levels = text, measure, levels
        self.limit, self.least, self.overlap, self.strip = limit, least, overlap, strip
        self.spans = Spans(text, strip, explain)
        self.due: tuple[int, int] | None = None
        """How far the chunk gets at least that is begun, for those who stop there."""
        self._explain = explain
        self._plain: list[str] | None = None
        if strip and not overlap and not explain and limit >= 1:
            self._plain = plain_separators(levels)

    def pack(self) -> Spans:
        """The spans of the whole text."""
        if self._plain is None:
            self.pack_region(0, len(self.text))
        else:
            pack_plain(self.spans, self._plain, self.measure, self.limit, self.pack_region)
        if self.least:
            self.spans.join_small(self.measure, self.least, self.limit)
        return self.spans

    def pack_region(self, start: int, end: int, depth: int = 0, cut: Cut = END) -> None:
        """Add the spans of a region, cut at the levels from `depth` on. `cut` is why the region ends."""
        regions: list[_Region] = [(start, end, depth, None, cut)]
        while regions:
            start, end, depth, pieces, cut = regions.pop()
            if pieces is None:
                pieces, depth = self._choose(start, end, depth)
            oversize = self._fill(start, end, depth, pieces, cut)
            if oversize is not None:
                start, stop, following = oversize
                if following < end:
                    regions.append((following, end, depth, pieces, cut))
                    cut = self._cut(depth, following)
                regions.append((start, stop, depth, None, cut))

    def fits(self, start: int, end: int) -> bool:
        """Whether a piece is within the limit, white space at its ends included."""
        if not within(self.measure, start, end, self.limit):
            return False
        return self.measure.exact or self._fits(start, end)

    def add_or_cut(self, start: int, end: int, cut: Cut = END) -> None:
        """Add a piece as one chunk, or in several where it is too long. `cut` is why it ends."""
        if start >= end:
            return
        if self.fits(start, end):
            self.spans.add(start, end, cut)
        else:
            self.pack_region(start, end, cut=cut)

    def _choose(self, start: int, end: int, depth: int) -> tuple[Pieces, int]:
        """The strongest level below `depth` that cuts the region; characters when none does."""
        while depth < len(self.levels):
            pieces = self.levels[depth].on(self.text, start, end, self.strip)
            depth += 1
            if pieces is not None:
                return pieces, depth
        return ClusterPieces(self.text, end), depth + 1

    def _fill(self, start: int, end: int, depth: int, pieces: Pieces, cut: Cut) -> tuple[int, int, int] | None:
        """Pack the pieces of a region; stop at one that is too long: its bounds and what follows it."""
        return self._fill_on(pieces.begin(start), end, depth, pieces, cut, None)

    def _fill_on(
        self, start: int, end: int, depth: int, pieces: Pieces, cut: Cut, due: tuple[int, int] | None
    ) -> tuple[int, int, int] | None:
        """The same from the start of a piece, or of a chunk that gets to `due` at least."""
        measure, limit = self.measure, self.limit
        exact, fit, last, add = measure.exact, measure.fit, pieces.last, self.spans.add
        lowest = isinstance(pieces, ClusterPieces)
        careful = self.overlap > 0 or not self.strip
        slack = 0 if exact or careful else GUESSED
        self.due = due
        while start < end:
            most = fit(start, limit)
            found: tuple[int, int] | None
            if most >= end - slack and (exact or self._fits(start, end)):
                found = pieces.content_end(start), end
            else:
                found = last(start, min(most, end - 1))
                if not exact:
                    found = self._verified(start, found, pieces)
            if due is not None:
                if found is None or found[0] < due[0]:
                    found = due
                due = self.due = None
            if found is None:
                stop, following = pieces.next(start)
                if not lowest and not (slack and stop - most <= slack and self._fits(start, stop)):
                    return start, stop, following
                found = stop, following  # one cluster longer than the limit: nothing can be done
            elif careful and not lowest and measure.length(start, found[0]) >= limit:
                stop, following = pieces.next(start)
                if stop >= found[0]:  # one piece that fills the limit: the levels below may part it
                    return start, stop, following
            stop, following = found
            add(start, stop, (cut if following >= end else self._cut(depth, following)) if self._explain else None)
            if following >= end:
                return None
            begin = pieces.begin(following)
            if self.overlap > 0 and begin < end:
                back = self._step_back(start, stop, begin, pieces)
                if back < begin and not exact:  # the next chunk gets this far: that was measured, `fit` may guess less
                    due = self.due = pieces.next(begin)
                begin = back
            start = begin
        return None

    def _verified(self, start: int, found: tuple[int, int] | None, pieces: Pieces) -> tuple[int, int] | None:
        """The last piece up to which the text really fits, for measures that only guess."""
        while found is not None:
            a, b = self._trimmed(start, found[0])
            length = self.measure.length(a, b)
            if length <= self.limit:
                return found
            shorter = start + int((found[0] - start) * self.limit / length)
            found = pieces.last(start, min(found[0] - 1, max(shorter, start + 1)))
        return None

    def _fits(self, start: int, end: int) -> bool:
        return self.measure.length(*self._trimmed(start, end)) <= self.limit

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        return trim(self.text, start, end) if self.strip else (start, end)

    def _step_back(self, start: int, stop: int, begin: int, pieces: Pieces) -> int:
        """Where the next chunk begins, so that it repeats whole pieces of the last one.

        They measure at most `overlap`, and the piece at `begin` fits behind them; before a piece
        that is too long nothing is repeated.
        """
        measure, text = self.measure, self.text
        piece_end = pieces.next(begin)[0]
        a, b = (begin, piece_end) if measure.exact else self._trimmed(begin, piece_end)
        if measure.length(a, b) >= self.limit:
            return begin
        first = trim(text, start, stop)[0] if self.strip and text[start] in STRIP else start
        at = max(fit_back(measure, stop, self.overlap, first + 1), fit_back(measure, piece_end, self.limit, first + 1))
        back = pieces.start_after(start, at, stop)
        if not measure.exact:
            while back < stop and not (
                measure.length(*self._trimmed(back, stop)) <= self.overlap
                and measure.length(*self._trimmed(back, piece_end)) <= self.limit
            ):
                back = pieces.start_after(start, back + 1, stop)
        return back if back < stop else begin

    def _cut(self, depth: int, following: int) -> Cut:
        """A cut at the level that was chosen last before `depth`; the next piece begins at `following`."""
        if depth > len(self.levels) or isinstance(level := self.levels[depth - 1], Clusters):
            return Cut("characters", depth - 1)
        kind, detail = level.kind, level.detail
        if isinstance(level, MixedBorders | MixedGaps):
            kind, detail = level.reasons.get(following, (kind, detail))
        elif isinstance(level, Sentences) and level.is_item(following):
            kind = "item"
        return Cut(kind, depth - 1, detail)
