"""How much fits: sizes of a stretch of the compact document with what is written around it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from ..blocks.json import Tree
from ..lengths import Length
from ..lengths.arithmetic import ByteLength, CharacterLength, Utf16Length

__all__ = ["Sizes", "most"]

_NEAR = 64
"""What reaches twice as far as a measure says and this much farther is not put together to be measured."""

_PUNCTUATION = 1
"""What a bracket, a brace, a quote or a comma counts where sizes are sums."""


class Sizes:
    """Answers for one document.

    Where the length is a sum over characters, by arithmetic. Otherwise the text of the chunk is put together and
    measured, near to where a measure of the document says the limit is.
    """

    def __init__(self, tree: Tree, length: Length, limit: float, borders: Sequence[int]) -> None:
        self.tree, self.text, self.marks = tree, tree.text, tree.marks
        self.length, self.limit = length, limit
        self.measure = length.measure(tree.text)
        self.sums = isinstance(length, CharacterLength | Utf16Length | ByteLength)
        self._plain = isinstance(length, CharacterLength)
        self._borders = borders  # commas that no part may contain

    def around(self, prefix_size: float, closers: int) -> float:
        """What is left of the limit inside a prefix and so many closing characters."""
        return self.limit - prefix_size - closers * _PUNCTUATION

    def far(self, start: int) -> int:
        """Where what begins at `start` is surely too long."""
        end = self.measure.fit(start, self.limit)
        return end if self.sums else start + 2 * (end - start) + _NEAR

    def fit(self, prefix: str, prefix_size: float, start: int, closers: str, low: int, high: int, step: int) -> int:
        """The greatest mark up to `high` before which what begins at `start` can end; `low` when there is none."""
        room = self.limit - prefix_size - len(closers) * _PUNCTUATION
        if room <= 0 and self.sums:
            return low
        end = start + int(room) if self._plain else self.measure.fit(start, max(room, 0))
        if self._borders:
            i = bisect_left(self._borders, start)
            if i < len(self._borders) and self._borders[i] < self.marks[high]:
                high = bisect_right(self.marks, self._borders[i], low, high) - 1
                high -= (high - low) % step
                if high <= low:
                    return low
        found = bisect_right(self.marks, end, low + 1, high + 1) - 1
        found = max(low, found - (found - low) % step)
        if self.sums:
            return found
        text, marks = self.text, self.marks

        far = start + 2 * (end - start) + _NEAR

        def fits(count: int) -> bool:
            stop = marks[low + count * step]
            return stop <= far and self.length(prefix + text[start:stop] + closers) <= self.limit

        return low + step * most((high - low) // step, (found - low) // step, fits)

    def unbroken(self, mark: int, count: int) -> int:
        """How many of so many items behind a mark no border is in."""
        i = bisect_left(self._borders, self.marks[mark])
        if not count or i == len(self._borders) or self._borders[i] >= self.marks[mark + count]:
            return count
        return bisect_right(self.marks, self._borders[i], mark, mark + count + 1) - 1 - mark

    def size(self, prefix: str, prefix_size: float, start: int, end: int, closers: str) -> float:
        """The size of a stretch with what is written around it."""
        if self.sums:
            return prefix_size + self.measure.length(start, end) + len(closers) * _PUNCTUATION
        return self.length(prefix + self.text[start:end] + closers)

    def reach(self, prefix: str, prefix_size: float, start: int, end: int, closers: str) -> int:
        """How far of a string a part can reach from `start`: at most to `end`."""
        room = self.around(prefix_size, len(closers))
        found = min(end, self.measure.fit(start, max(room, 0)))
        if self.sums:
            return found if room > 0 else start

        def fits(count: int) -> bool:
            return self.length(prefix + self.text[start : start + count] + closers) <= self.limit

        return start + most(end - start, found - start, fits)


def most(count: int, guess: int, fits: Callable[[int], bool]) -> int:
    """The greatest number up to `count` that fits, taking smaller ones to fit too; close to `guess`, few are tried."""
    low, high = 0, count + 1
    at, width = min(max(guess, 1), count), 1
    while high - low > 1:
        if fits(at):
            low = at
            at = at + width if high > count and at < count else (low + high) // 2
        else:
            high = at
            at = at - width if low == 0 else (low + high) // 2
        width *= 2
        at = min(max(at, low + 1), high - 1, count)
    return low
