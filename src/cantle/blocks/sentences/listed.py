"""Sentences that are listed in advance."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from ...lengths.windowed import Unsettled

__all__ = ["Listed", "ListedWindow"]


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

    def origin(self, position: int) -> int:
        """From where on the text must be there for the sentences from a position on."""
        return position


class ListedWindow(Listed):
    """Those of a window of a text: behind the last one nothing is settled. `origins` is where their parts begin."""

    def __init__(self, spans: list[tuple[int, int]], total: int, origins: Sequence[int]) -> None:
        super().__init__(spans, total)
        self.total, self._origins = total, origins

    def begin(self, at: int) -> int:
        """The first start of a sentence at or after `at`."""
        start = super().begin(at)
        if start >= self.total:
            raise Unsettled
        return start

    def end_from(self, at: int) -> int:
        """The first end of a sentence at or after `at`."""
        end = super().end_from(at)
        if end >= self.total:
            raise Unsettled
        return end

    def origin(self, position: int) -> int:
        """From where on the text must be there for the sentences from a position on."""
        return self._origins[max(0, bisect_right(self._origins, position) - 1)]
