"""A text on its way from the original to the cleaned one: rewritten in steps, with the way back kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..source import OffsetMap
from .cleaned import Cleaned

__all__ = ["Draft"]

Edit = tuple[int, int, str]
Copy = tuple[int, int, int]


class Draft:
    """A text, what of the original it holds, and what was taken out and why.

    Each step looks at `text` as the step before left it. `marks` are positions that the steps carry along: what stands
    there keeps its place when something before it is rewritten.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.marks: list[int] = []
        self._length = len(text)
        self._untouched = True  # everything so far is the original
        self._copies: Sequence[Copy] = OffsetMap.identity(len(text)).copies
        self._dropped: list[tuple[int, int, str]] = []

    def report(self, stretches: Iterable[tuple[int, int]], reason: str) -> None:
        """Note that these stretches of the text (ascending, disjoint) are about to be taken out."""
        if self._untouched:
            self._dropped += [(start, end, reason) for start, end in stretches]
            return
        pieces = _compose(self._copies, [(0, start, end - start) for start, end in stretches])
        self._dropped += [(old, old + length, reason) for _, old, length in pieces]

    def edit(self, edits: Sequence[Edit]) -> None:
        """Put another text in place of each `[start, end)`. Edits ascend and are disjoint; none holds a mark inside."""
        if not edits:
            return
        text, parts, copies, old, new = self.text, [], [], 0, 0
        for start, end, made in edits:
            if start > old:
                parts.append(text[old:start])
                copies.append((new, old, start - old))
                new += start - old
            if made:
                parts.append(made)
                new += len(made)
            old = end
        if len(text) > old:
            parts.append(text[old:])
            copies.append((new, old, len(text) - old))
        self._move_marks(edits)
        self._copies = copies if self._untouched else _compose(self._copies, copies)
        self._untouched = False
        self.text = "".join(parts)

    def cut(self, stretches: Sequence[tuple[int, int]], reason: str) -> None:
        """Take stretches out of the text."""
        if not stretches:
            return
        self.report(stretches, reason)
        self.edit([(start, end, "") for start, end in stretches])

    def _move_marks(self, edits: Sequence[Edit]) -> None:
        i = delta = 0
        for at, mark in enumerate(self.marks):
            while i < len(edits) and edits[i][1] <= mark:
                start, end, made = edits[i]
                delta += len(made) - (end - start)
                i += 1
            self.marks[at] = mark + delta

    def result(self, pages: Sequence[int] = ()) -> Cleaned:
        """The cleaned text."""
        offsets = OffsetMap(tuple(self._copies), self._length, len(self.text))
        return Cleaned(self.text, offsets, sorted(self._dropped), pages)


def _compose(first: Sequence[Copy], second: Sequence[Copy]) -> Sequence[Copy]:
    """What two rewritings, one after the other, copy. One walk over both: `OffsetMap.then` searches for each copy."""
    copies, i, count = [], 0, len(first)
    for new, middle, length in second:
        end = middle + length
        while i < count and first[i][0] + first[i][2] <= middle:
            i += 1
        while i < count:
            start, old, size = first[i]
            if start >= end:
                break
            lo, hi = max(middle, start), min(end, start + size)
            copies.append((new + lo - middle, old + lo - start, hi - lo))
            if start + size > end:
                break
            i += 1
    return copies
