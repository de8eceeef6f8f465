"""Levels made by one who knows the format: cuts at given positions, and separators outside given stretches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence

from ..blocks.lines import line_gaps
from .levels import ListedPieces, Literal, LiteralPieces, Pieces, may_cut, risky

__all__ = ["Borders", "Breaks", "Gaps", "MixedBorders", "MixedGaps", "Outside"]


class Borders:
    """Cut at given positions of the text, where blocks begin, say. Nothing is left out at the cuts.

    `positions` ascend. `kind` and `detail` go into the reason that `explain=True` gives.
    """

    def __init__(self, positions: Sequence[int], kind: str, detail: str = "") -> None:
        self.positions, self.kind, self.detail = positions, kind, detail

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when none of the positions is inside it."""
        low, high = bisect_right(self.positions, start), bisect_left(self.positions, end)
        found = [(at, at) for at in self.positions[low:high]]
        if found and risky(text, start, end):
            found = [(at, at) for at, _ in found if may_cut(text, at, at, "start", strip)]
        return ListedPieces(found, start, end, "start") if found else None


class MixedBorders(Borders):
    """Borders of several kinds at one level. `reasons` are the kind and detail of those of another kind."""

    def __init__(
        self, positions: Sequence[int], kind: str, detail: str, reasons: Mapping[int, tuple[str, str]]
    ) -> None:
        super().__init__(positions, kind, detail)
        self.reasons = reasons


class Outside:
    """Cut at a literal, which is left out there, but not inside the stretches to keep whole.

    `keep` are `(start, end)`, ascending and disjoint. A piece that reaches over such a stretch and is too
    long is cut further down the ladder, by the same literal without `Outside` for instance.
    """

    kind = "separator"

    def __init__(self, literal: Literal, keep: Sequence[tuple[int, int]]) -> None:
        assert literal.position is None, "a separator that stays in the text is not known here"
        self.literal, self.detail = literal, literal.detail
        self.starts = [start for start, _ in keep]
        self.ends = [end for _, end in keep]

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when nothing outside the stretches cuts it."""
        first = bisect_right(self.ends, start)
        if first == len(self.starts) or self.starts[first] >= end:
            return self.literal.on(text, start, end, strip)
        pieces = _OutsidePieces(text, start, end, self.literal.separator, strip, self.starts, self.ends)
        return pieces if pieces.next(start)[0] < end or pieces.begin(start) > start else None


class _OutsidePieces(LiteralPieces):
    """Pieces between the occurrences of a literal that lie in no stretch to keep."""

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        separator: str,
        strip: bool,
        starts: Sequence[int],
        ends: Sequence[int],
    ) -> None:
        super().__init__(text, start, end, separator, None, strip)
        self._starts, self._ends = starts, ends
        self._risky, self.risky = self.risky, True  # so that every occurrence is asked about

    def next(self, start: int) -> tuple[int, int]:
        at = start
        while (found := self.text.find(self.separator, at, self.high)) >= 0:
            i = self._stretch(found)
            if i >= 0:
                at = self._ends[i]  # on behind it at once
            elif self._valid(found) and (bounds := self._bounds(found))[0] > start:
                return bounds
            else:
                at = found + 1
        return self.high, self.high

    def last(self, start: int, most: int) -> tuple[int, int] | None:
        reach = most + self.width  # an occurrence ends here at the latest
        i = bisect_left(self._starts, reach) - 1
        if i >= 0 and reach <= self._ends[i]:
            # That is in a stretch to keep, so the last occurrence is one before the stretch.
            if self._starts[i] <= start:
                return None
            most -= reach - self._starts[i]
        return super().last(start, most)

    def _stretch(self, found: int) -> int:
        """The stretch that an occurrence reaches into, or -1."""
        i = bisect_left(self._starts, found + self.width) - 1
        return i if i >= 0 and found < self._ends[i] else -1

    def _valid(self, found: int) -> bool:
        return self._stretch(found) < 0 and (not self._risky or super()._valid(found))


class Gaps:
    """Cut at given stretches of the text, which are left out at the cuts: white space between blocks.

    `gaps` ascend and are disjoint; those in one of the stretches to `keep` whole are no place to cut. `kind` and
    `detail` go into the reason that `explain=True` gives.
    """

    def __init__(
        self,
        gaps: Sequence[tuple[int, int]],
        detail: str,
        keep: Sequence[tuple[int, int]] = (),
        kind: str = "separator",
    ) -> None:
        self.kind, self.detail = kind, detail
        if keep:
            starts = [start for start, _ in keep]
            ends = [0, *(end for _, end in keep)]
            gaps = [gap for gap in gaps if ends[bisect_right(starts, gap[0])] <= gap[0]]
        self.gaps = gaps

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when no gap is inside it."""
        low, high = bisect_left(self.gaps, (start, 0)), bisect_left(self.gaps, (end, 0))
        found = [(a, b) for a, b in self.gaps[low:high] if may_cut(text, a, min(b, end), None, strip)]
        return ListedPieces(found, start, end, None) if found else None


class MixedGaps(Gaps):
    """Gaps of several kinds at one level. `reasons` are the kind and detail of those of another kind, by their ends."""

    def __init__(
        self,
        gaps: Sequence[tuple[int, int]],
        detail: str,
        keep: Sequence[tuple[int, int]],
        reasons: Mapping[int, tuple[str, str]],
    ) -> None:
        super().__init__(gaps, detail, keep)
        self.reasons = reasons


class Breaks:
    """Cut at line ends, LF, CR LF or CR, or at runs of them (`least` 2); looked up where the level is reached.

    Those in one of the stretches to `keep` whole are no place to cut.
    """

    kind = "separator"

    def __init__(self, least: int, keep: Sequence[tuple[int, int]] = ()) -> None:
        self.least, self.keep, self.detail = least, keep, "\n" * least
        self._ends = [end for _, end in keep]

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when there is no line end outside the stretches."""
        low, high = bisect_right(self._ends, start), bisect_left(self.keep, (end, 0))
        gaps = line_gaps(text, self.least, start, end)
        return Gaps(gaps, self.detail, self.keep[low:high]).on(text, start, end, strip)
