"""Sentences that are listed in advance."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

__all__ = ["Listed"]


class Listed:
    """Sentences given by their bounds, ascending."""

    def __init__(self, spans: list[tuple[int, int]], total: int) -> None:
        self.total = spans[-1][1] if spans else total
        self._starts = [start for start, _ in spans]
        self._ends = [end for _, end in spans]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._starts, self._ends, strict=True)

    def begin(self, at: int) -> int:
        """The first start of a sentence at or after `at`."""
        i = bisect_left(self._starts, at)
        return self._starts[i] if i < len(self._starts) else self.total

    def end_from(self, at: int) -> int:
        """The first end of a sentence at or after `at`."""
        i = bisect_left(self._ends, at)
        return self._ends[i] if i < len(self._ends) else self.total

    def end_before(self, at: int, least: int) -> int:
        """The last end of a sentence at or before `at` and after `least`, or -1."""
        i = bisect_right(self._ends, at) - 1
        return self._ends[i] if i >= 0 and self._ends[i] > least else -1

    def listed(self, spans: list[tuple[int, int]]) -> Listed:
        """Other sentences of the same text."""
        return Listed(spans, self.total)

    def finer(self, start: int, end: int) -> list[list[tuple[int, int]]] | None:
        """None: what is listed is as fine as it gets."""
        return None
