"""The blocks of windows that overlap, as blocks of the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from ..lines import Line
from .reading import Reading
from .sessions import Window

__all__ = ["Group", "grouped", "nearest"]

_Key = tuple[int, int]
"""Window and block."""


@dataclass
class Group:
    """The lines of one block, ascending, with its label."""

    lines: list[int] = field(default_factory=list)
    label: str | None = None
    fallback: bool = False


def grouped(
    lines: Sequence[Line], windows: Sequence[Window], readings: Sequence[Reading | None], most: int
) -> tuple[list[Group], list[int]]:
    """The blocks of the document by their first lines, and the lines that are in none.

    Windows without an answer are passed over: those before and after them are neighbours. In an overlap the earlier
    neighbour counts up to a switch point, the later one from there on. It is where both have a border, the place
    nearest to the middle, or else the middle. What one leaves out any other window that shows it may cover. Two blocks
    that meet at a switch point are one unless one of the neighbours has a border there. Lines that only windows without
    an answer show are put into blocks of at most `most` characters.
    """
    keys: list[_Key | None] = [None] * len(lines)
    fallback: list[Group] = []
    joined = _Joined()
    for _, part in groupby(windows, key=lambda window: window.part):
        shown = list(part)
        views = [
            _View(window.first, window.end, window.number, found)
            for window in shown
            if (found := readings[window.number]) is not None
        ]
        switches: list[int] = []
        for n, view in enumerate(views):
            switches.append(_switch(views[n - 1], view, switches[-1]) if n else view.first)
        for n, view in enumerate(views):
            first, end = switches[n], min([view.end, *switches[n + 1 : n + 2]])
            for line in range(first, end):
                keys[line] = _key(views, n, line)
            if n and _meet(views[n - 1], view, first, keys):
                joined.join(keys[first - 1], keys[first])
        at = shown[0].first
        for first, end in (*(view[:2] for view in views), (shown[-1].end, shown[-1].end)):
            fallback += _mechanical(lines, at, first, most)
            at = end
    groups = _groups(keys, joined, readings) + fallback
    covered = bytearray(len(lines))
    for group in groups:
        for line in group.lines:
            covered[line] = 1
    missing = [line for line in range(len(lines)) if not covered[line]]
    return sorted(groups, key=lambda group: group.lines[0]), missing


class _View(NamedTuple):
    """A window that was answered."""

    first: int
    end: int
    number: int
    reading: Reading

    def shows(self, line: int) -> bool:
        return self.first <= line < self.end

    def block(self, line: int) -> int:
        return self.reading.owner[line - self.first]

    def borders(self, at: int) -> bool:
        return self.block(at - 1) != self.block(at)


def _switch(earlier: _View, later: _View, before: int) -> int:
    """The first line for which `later` counts; not before the switch of the one before it."""
    low, high = max(later.first, before), max(later.first, earlier.end)
    middle = (low + high) // 2
    places = [at for at in range(low + 1, high) if earlier.borders(at) and later.borders(at)]
    return min(places, key=lambda at: (abs(at - middle), at), default=middle)


def _key(views: Sequence[_View], n: int, line: int) -> _Key | None:
    """The block that a line is in: of view `n`, or else of the nearest one that shows it too, the earlier of two."""
    nearest_first = [views[n]]
    before, after = n - 1, n + 1
    while nearest_first:
        for view in nearest_first:
            if view.block(line) >= 0:
                return view.number, view.block(line)
        around = (views[i] for i in (before, after) if 0 <= i < len(views))
        nearest_first = [view for view in around if view.shows(line)]
        before, after = before - 1, after + 1
    return None


def _meet(earlier: _View, later: _View, at: int, keys: Sequence[_Key | None]) -> bool:
    """Whether blocks of both meet at a switch point, one of them sees both sides, and none has a border there."""
    if at <= earlier.first or at >= later.end:
        return False
    left, right = keys[at - 1], keys[at]
    if left is None or right is None or left[0] != earlier.number or right[0] != later.number:
        return False
    seen = [view.borders(at) for view in (earlier, later) if view.first < at < view.end]
    return bool(seen) and not any(seen)


class _Joined:
    """Which blocks are one: the first of them stands for all."""

    def __init__(self) -> None:
        self._first: dict[_Key, _Key] = {}

    def of(self, key: _Key) -> _Key:
        while key in self._first:
            if self._first[key] in self._first:  # shorten the way for the next time
                self._first[key] = self._first[self._first[key]]
            key = self._first[key]
        return key

    def join(self, one: _Key | None, other: _Key | None) -> None:
        if one is not None and other is not None and (a := self.of(one)) != (b := self.of(other)):
            self._first[max(a, b)] = min(a, b)


def _groups(keys: Sequence[_Key | None], joined: _Joined, readings: Sequence[Reading | None]) -> list[Group]:
    found: dict[_Key, Group] = {}
    parts: dict[_Key, Counter[_Key]] = {}
    roots: dict[_Key, _Key] = {}
    for line, key in enumerate(keys):
        if key is None:
            continue
        root = roots.get(key) or roots.setdefault(key, joined.of(key))
        found.setdefault(root, Group()).lines.append(line)
        parts.setdefault(root, Counter())[key] += 1
    for root, group in found.items():
        for key, _ in sorted(parts[root].items(), key=lambda item: (-item[1], item[0])):
            reading = readings[key[0]]
            group.label = reading.labels[key[1]] if reading is not None else None
            if group.label is not None:
                break
    return list(found.values())


def _mechanical(lines: Sequence[Line], first: int, end: int, most: int) -> list[Group]:
    """Whole lines, up to `most` characters from the first of a block to its last."""
    found: list[Group] = []
    for line in range(first, end):
        if found and lines[line].end - lines[found[-1].lines[0]].start <= most:
            found[-1].lines.append(line)
        else:
            found.append(Group([line], None, True))
    return found


def nearest(groups: Sequence[Group], missing: Sequence[int], total: int) -> None:
    """Put lines that are in no block into the nearest one; of two as near, the earlier."""
    owner: list[Group | None] = [None] * total
    for group in groups:
        for line in group.lines:
            owner[line] = group
    before: list[int] = [-1] * total
    after: list[int] = [-1] * total
    last = -1
    for line in range(total):
        last = line if owner[line] is not None else last
        before[line] = last
    last = -1
    for line in reversed(range(total)):
        last = line if owner[line] is not None else last
        after[line] = last
    touched: dict[int, Group] = {}
    for line in missing:
        a, b = before[line], after[line]
        found = owner[a] if b < 0 or (a >= 0 and line - a <= b - line) else owner[b]
        if found is not None:
            found.lines.append(line)
            touched[id(found)] = found
    for group in touched.values():
        group.lines.sort()
