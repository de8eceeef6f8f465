"""The blocks of windows that overlap, as blocks of the document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

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

    In an overlap the earlier window counts up to a switch point, the later one from there on. It is where both have a
    border, the place nearest to the middle, or else the middle. What one of them leaves out there the other may cover.
    Two blocks that meet at a switch point are one unless a window that sees both sides has a border there. A window
    without an answer gets no line that another one covers; the rest of its lines are put into blocks of at most `most`
    characters.
    """
    keys: list[_Key | None] = [None] * len(lines)
    fallback: list[Group] = []
    joined = _Joined()
    switches: list[int] = []
    for k, window in enumerate(windows):
        before = switches[-1] if switches and windows[k - 1].part == window.part else window.first
        switches.append(_switch(windows, readings, k, before))
    for k, window in enumerate(windows):
        follows = k + 1 < len(windows) and windows[k + 1].part == window.part
        first, end = switches[k], switches[k + 1] if follows else window.end
        reading = readings[k]
        if reading is None:
            fallback += _mechanical(lines, first, end, most)
            continue
        for line in range(first, end):
            keys[line] = _key(windows, readings, k, line)
        if k and windows[k - 1].part == window.part and _meet(windows, readings, k, first, keys):
            joined.join(keys[first - 1], keys[first])
    groups = _groups(keys, joined, readings) + fallback
    covered = bytearray(len(lines))
    for group in groups:
        for line in group.lines:
            covered[line] = 1
    missing = [line for line in range(len(lines)) if not covered[line]]
    return sorted(groups, key=lambda group: group.lines[0]), missing


def _switch(windows: Sequence[Window], readings: Sequence[Reading | None], k: int, before: int) -> int:
    """The first line for which window `k` counts; not before the switch of the window before it."""
    window = windows[k]
    if not k or windows[k - 1].part != window.part:
        return window.first
    low, high = max(window.first, before), windows[k - 1].end
    earlier, later = readings[k - 1], readings[k]
    if earlier is None or later is None:
        return low if earlier is None and later is not None else high
    middle = (low + high) // 2
    places = [
        at
        for at in range(low + 1, high)
        if _borders(earlier, at - windows[k - 1].first) and _borders(later, at - window.first)
    ]
    return min(places, key=lambda at: (abs(at - middle), at), default=middle)


def _borders(reading: Reading, at: int) -> bool:
    return reading.owner[at - 1] != reading.owner[at]


def _key(windows: Sequence[Window], readings: Sequence[Reading | None], k: int, line: int) -> _Key | None:
    """The block that a line is in: of window `k`, or of a neighbour that shows it too."""
    for other in (k, k - 1, k + 1):
        if not 0 <= other < len(windows) or not windows[other].first <= line < windows[other].end:
            continue
        reading = readings[other]
        block = -1 if reading is None else reading.owner[line - windows[other].first]
        if block >= 0:
            return other, block
    return None


def _meet(
    windows: Sequence[Window], readings: Sequence[Reading | None], k: int, at: int, keys: Sequence[_Key | None]
) -> bool:
    """Whether no window that sees both sides of a switch point has a border there, and one does see them."""
    if at <= windows[k - 1].first or at >= windows[k].end:
        return False
    left, right = keys[at - 1], keys[at]
    if left is None or right is None or left[0] != k - 1 or right[0] != k:
        return False
    seen = [
        _borders(reading, at - windows[n].first)
        for n in (k - 1, k)
        if (reading := readings[n]) is not None and windows[n].first < at < windows[n].end
    ]
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
