"""Where a chunk stands: the titles around a position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

__all__ = ["Path", "Paths"]

Path = tuple[str, ...]


class Paths:
    """The titles around a position, from the `(position, level)` of headings in order.

    `title(i)` is the title of the heading with number `i`; only those are asked for that a path holds.
    """

    def __init__(self, headings: Iterable[tuple[int, int]], title: Callable[[int], str]) -> None:
        self._starts: list[int] = []
        self._around: list[int] = []  # the number of the heading that each is in, -1 when there is none
        self._title = title
        self._known: dict[int, Path] = {-1: ()}
        levels: list[int] = []
        open_: list[int] = []
        for i, (start, level) in enumerate(headings):
            while open_ and levels[open_[-1]] >= level:
                open_.pop()
            self._starts.append(start)
            self._around.append(open_[-1] if open_ else -1)
            levels.append(level)
            open_.append(i)

    def __call__(self, position: int) -> Path:
        """The titles of the headings that enclose a position, outermost first; of one that begins there too."""
        i = bisect_right(self._starts, position) - 1
        inner = []
        while i not in self._known:
            inner.append(i)
            i = self._around[i]
        path = self._known[i]
        for i in reversed(inner):
            name = self._title(i)
            self._known[i] = path = (*path, name) if name else path
        return path
