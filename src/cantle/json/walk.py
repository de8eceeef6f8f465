"""The walk over a document: containers that do not fit are opened, entries that follow one another are joined."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from json import loads

from ..blocks.json import Tree
from ..lengths import Length
from .frames import ITEMS, LABELS, LONGEST_PATH, MEMBERS, MOST_WRITTEN, TOP, Frame, Part, Run, Segment, Trail
from .leaves import Leaves
from .sizes import Sizes, most

__all__ = ["Walk"]


class Walk:
    """One walk over one document; `parts` is its result, in the order of the document.

    The rules are Mastra's where they lose nothing. Members of the top object that are objects or lists stand alone,
    scalars between them go together. In an object that does not fit, members go together, but a list stands alone,
    and so does an object that does not fit together with what is before it. Items of a list that does not fit go
    together; one that does not fit by itself is opened under its index, and if it is a list itself, as an object.

    `small` is the size below which a part is not closed while what follows in the same object, or in an object or
    list that is opened there, can go into it. Below `least` that is so for every part.
    """

    def __init__(
        self, tree: Tree, length: Length, *, limit: float, small: float, least: float, borders: Sequence[int] = ()
    ) -> None:
        self.parts: list[Part] = []
        self._tree, self._text, self._marks = tree, tree.text, tree.marks
        self._sizes = Sizes(tree, length, limit, borders)
        self._leaves = Leaves(self._sizes, self.parts.append)
        self._small, self._least = max(small, least), least
        self._run: Run | None = None
        self._trail = Trail()

    def walk(self) -> list[Part]:
        """All parts."""
        text, tree = self._text, self._tree
        if text[0] not in "{[":
            self._whole_or_cut(0, len(text))
            return self.parts
        if text[1] in "}]":
            return self.parts
        mode = TOP if text[0] == "{" else ITEMS
        top = Frame(mode, 0, tree.closing(0), None, Segment("", None))
        top.prefix_size = self._sizes.length(top.prefix)
        opened = [top]
        steps = {TOP: self._top, MEMBERS: self._members, ITEMS: self._items, LABELS: self._labels}
        while opened:
            frame = opened[-1]
            inner = steps[frame.mode](frame)
            if inner is not None:
                frame.release()
                opened.append(inner)
                continue
            opened.pop()
            self._leave(frame)
            if opened and opened[-1].at < opened[-1].end:
                opened[-1].restore(self._trail)
        return self.parts

    def _whole_or_cut(self, start: int, end: int) -> None:
        if self._sizes.length(self._text) <= self._sizes.limit:
            self.parts.append(Part(self._text, start, end, (), (), (), "value", 0))
        else:
            self._leaves.cut((), (), "", start, end)

    # --- the four ways a container is written: each goes on until it ends or something in it is opened -------------

    def _top(self, frame: Frame) -> Frame | None:
        nested = self._tree.before_nested
        while frame.at < frame.end:
            next_nested = _next(nested, frame.at + 1, frame.end + 1)
            if next_nested == frame.at + 1:
                if self._run and self._is_least() and self._extend(frame, frame.at + 2):
                    continue
                self._close()
                inner = self._alone_or_open(frame)
                if inner is not None:
                    return inner
            elif not self._extend(frame, min(next_nested - 1, frame.end)) and not self._close():
                self._leaf(frame)
        return None

    def _members(self, frame: Frame) -> Frame | None:
        text, marks, lists = self._text, self._marks, self._tree.before_lists
        while frame.at < frame.end:
            next_list = _next(lists, frame.at + 1, frame.end + 1)
            value = marks[frame.at + 1] + 1
            if next_list == frame.at + 1:
                if self._run and self._is_small():
                    if self._extend(frame, frame.at + 2):
                        continue
                    if text[value + 1] != "]" and not self._fits(frame):
                        return self._open(frame)
                self._close()
                inner = self._alone_or_open(frame)
                if inner is not None:
                    return inner
            elif self._extend(frame, min(next_list - 1, frame.end)):
                continue
            elif text[value] == "{" and self._run and self._fits(frame):
                self._close()
                self._alone_or_open(frame)
            elif text[value] == "{" and text[value + 1] != "}":
                if self._run and not self._is_small():
                    self._close()
                return self._open(frame)
            elif not self._close():
                self._leaf(frame)
        return None

    def _items(self, frame: Frame) -> Frame | None:
        while frame.at < frame.end:
            if self._extend(frame, frame.end) or self._close():
                continue
            if self._is_open(self._marks[frame.at] + 1):
                return self._open(frame)
            self._leaf(frame)
        return None

    def _labels(self, frame: Frame) -> Frame | None:
        """A list inside a list: its indexes are written, so its parts are put together of pieces."""
        lists, nested = self._tree.before_lists, self._tree.before_nested
        while frame.at < frame.end:
            at = frame.at
            next_list = _next(lists, at, frame.end)
            high = at + 1 if next_list == at or frame.alone else next_list
            frame.alone = False
            count = self._sizes.unbroken(at, most(high - at, 16, self._fitting(frame)))
            if count:
                start, end = self._marks[at] + 1, self._marks[at + count]
                path = self._path(frame)
                if count == 1:
                    path = (path + self._inner_path(frame, at))[-LONGEST_PATH:]
                keys = tuple([s.key for s in frame.segments if s.key is not None])
                text = self._labelled(frame, count)
                self.parts.append(Part(text, start, end, keys, (), path, "value", frame.depth))
                frame.at += count
                # An object that did not fit with what was before it stands alone.
                frame.alone = frame.at < high and _next(nested, frame.at, frame.end) == frame.at
            elif self._is_open(self._marks[at] + 1):
                return self._open(frame)
            else:
                self._leaf(frame)
        return None

    def _labelled(self, frame: Frame, count: int) -> str:
        text, marks, first = self._text, self._marks, frame.at
        entries = [f'"{i - frame.opening}":{text[marks[i] + 1 : marks[i + 1]]}' for i in range(first, first + count)]
        return frame.prefix + ",".join(entries) + frame.closers

    def _fitting(self, frame: Frame) -> Callable[[int], bool]:
        """Whether so many of the next items fit."""
        far, at, marks = self._sizes.far(self._marks[frame.at] + 1), frame.at, self._marks

        def fits(count: int) -> bool:
            return marks[at + count] <= far and self._sizes.length(self._labelled(frame, count)) <= self._sizes.limit

        return fits

    # --- steps ---------------------------------------------------------------------------------------------------

    def _is_open(self, value: int) -> bool:
        """Whether there is something to open: an object or list that is not empty."""
        return self._text[value] in "{[" and self._text[value + 1] not in "}]"

    def _value(self, frame: Frame) -> int:
        """Where the value of the next entry begins."""
        return self._marks[frame.at + frame.step - 1] + 1

    def _extend(self, frame: Frame, high: int) -> bool:
        """Take the next entries into the run as far as they fit, up to the mark `high`; False when none does."""
        run, low = self._run, frame.at
        start = self._marks[low] + 1
        if run is None:
            found = self._sizes.fit(frame.prefix, frame.prefix_size, start, frame.closers, low, high, frame.step)
            if found <= low:
                return False
            run = self._run = Run(frame, start)
        else:
            found = self._sizes.fit(run.prefix, run.prefix_size, run.start, frame.closers, low, high, frame.step)
            if found <= low:
                return False
            if run.last is not frame:
                run.breaks = (*run.breaks, start)
                outer = frame if run.within is None or frame.depth < run.within.depth else run.within
                run.within = None
                if outer.depth < run.frame.depth:
                    run.frame = outer
        if run.single != low or found - low > frame.step or run.frame is not frame:
            run.single = -1
        run.last, run.closers, run.end = frame, frame.closers, self._marks[found]
        frame.at = found
        return True

    def _fits(self, frame: Frame) -> bool:
        """Whether the next entry fits by itself."""
        low = frame.at
        start, high = self._marks[low] + 1, low + frame.step
        return self._sizes.fit(frame.prefix, frame.prefix_size, start, frame.closers, low, high, frame.step) > low

    def _alone_or_open(self, frame: Frame) -> Frame | None:
        """The next entry as a part of its own, or opened; there is no run."""
        if self._extend(frame, frame.at + frame.step):
            if not self._is_least():
                self._close()
            return None
        if self._is_open(self._value(frame)):
            return self._open(frame)
        self._leaf(frame)
        return None

    def _run_size(self) -> float:
        run = self._run
        assert run is not None
        return self._sizes.size(run.prefix, run.prefix_size, run.start, run.end, run.closers)

    def _is_small(self) -> bool:
        return self._run_size() < self._small

    def _is_least(self) -> bool:
        return self._least > 0 and self._run_size() < self._least

    def _close(self) -> bool:
        """Make a part of the run; False when there is none."""
        run = self._run
        if run is None:
            return False
        frame = run.frame
        path = self._path(frame)
        if run.single >= 0:
            path = (path + self._inner_path(frame, run.single))[-LONGEST_PATH:]
        text = run.prefix + self._text[run.start : run.end] + run.closers
        self.parts.append(Part(text, run.start, run.end, run.keys, run.breaks, path, "value", frame.depth))
        self._run = None
        return True

    def _leave(self, frame: Frame) -> None:
        """A container has ended: a small run goes on in the object around it."""
        if self._run is None:
            return
        outer = frame.parent
        if outer is not None and outer.hidden == frame.hidden:
            if outer.mode == MEMBERS and self._is_small():
                return
            if outer.mode == TOP and self._is_least():
                return
        self._close()

    def _segment(self, frame: Frame) -> Segment:
        """What is written around the value of the next entry."""
        if frame.step == 2:
            start, end = self._marks[frame.at] + 1, self._marks[frame.at + 1] + 1
            return Segment("{" + self._text[start:end], None if self._tree.is_made(start) else (start, end))
        return Segment(f'{{"{frame.at - frame.opening}":', None)

    def _open(self, frame: Frame) -> Frame:
        """Open the value of the next entry; the run goes on in it, if there is one."""
        tree, sizes = self._tree, self._sizes
        value, segment = self._value(frame), self._segment(frame)
        opening = tree.opening(value, frame.depth + 1)
        mode = MEMBERS if self._text[value] == "{" else LABELS if frame.mode == ITEMS else ITEMS
        inner = Frame(mode, opening, tree.closing(opening), frame, segment)
        if len(inner.segments) > MOST_WRITTEN:
            inner.hide(len(inner.segments) - MOST_WRITTEN // 2)
        inner.prefix_size = sizes.length(inner.prefix)
        if sizes.around(inner.prefix_size, len(inner.closers)) < 0:
            inner.hide(self._leaves.hide(inner.segments))
            inner.prefix_size = sizes.length(inner.prefix)
        if inner.hidden != frame.hidden or frame.mode == ITEMS or mode == LABELS:
            self._close()
        elif self._run is not None:
            within = self._run.within
            self._run.within = frame if within is None or frame.depth < within.depth else within
        if self._run is not None and self._run.frame.depth > frame.depth:
            self._run.frame.path = self._path(self._run.frame)
        self._trail.enter(inner.depth, self._name(frame), segment)
        frame.at += frame.step
        return inner

    def _leaf(self, frame: Frame) -> None:
        """The next entry, which does not fit and cannot be opened."""
        segment, value = self._segment(frame), self._value(frame)
        end = self._marks[frame.at + frame.step]
        self._leaves.cut((*frame.segments, segment), self._path(frame), self._name(frame), value, end)
        frame.at += frame.step

    # --- paths ---------------------------------------------------------------------------------------------------

    def _name(self, frame: Frame) -> str:
        """The key of the next entry, or its index."""
        at = frame.at
        return self._key((self._marks[at] + 1, self._marks[at + 1] + 1)) if frame.step == 2 else str(at - frame.opening)

    def _key(self, where: tuple[int, int]) -> str:
        """A key as it is meant; its colon is the last character of the stretch."""
        key = self._text[where[0] + 1 : where[1] - 2]
        return loads(f'"{key}"', strict=False) if "\\" in key else key

    def _path(self, frame: Frame) -> tuple[str, ...]:
        """The keys and indexes that lead to a container, of very many the innermost."""
        return self._trail.path(frame.depth) if frame.path is None else frame.path

    def _inner_path(self, frame: Frame, mark: int) -> tuple[str, ...]:
        """From a container on to the innermost one that holds all of the single entry behind a mark."""
        marks, tree = self._marks, self._tree
        names: list[str] = []
        opening, depth, step = frame.opening, frame.depth, frame.step
        while True:
            value = marks[mark + step - 1] + 1
            if not self._is_open(value):
                return tuple(names)
            names.append(self._key((marks[mark] + 1, marks[mark + 1] + 1)) if step == 2 else str(mark - opening))
            depth += 1
            opening = mark = tree.opening(value, depth)
            step = 2 if self._text[value] == "{" else 1
            if tree.closing(opening) - opening != step:
                return tuple(names)


def _next(indexes: Sequence[int], least: int, otherwise: int) -> int:
    """The first of ascending indexes that is at least `least`; `otherwise` when there is none before that."""
    i = bisect_left(indexes, least)
    return min(indexes[i], otherwise) if i < len(indexes) else otherwise
