"""What does not fit and cannot be opened: strings are cut, keys around a value are left to the path."""

from __future__ import annotations

from collections.abc import Callable

from ..graphemes import is_boundary
from ..lengths import Measure
from ..packing import Packer
from .frames import LONGEST_PATH, Part, Segment
from .sizes import Sizes

__all__ = ["Leaves"]

_MARGIN = 20
"""Mastra cuts the strings of the top object to pieces of `max_size - 20`; equal where keys leave as much room."""


class Leaves:
    """Cuts the values of one document that do not fit; `add` takes the parts."""

    def __init__(self, sizes: Sizes, add: Callable[[Part], None]) -> None:
        self.sizes, self.tree, self.text, self._add = sizes, sizes.tree, sizes.text, add
        self._measure: Measure | None = None

    def cut(self, segments: tuple[Segment, ...], path: tuple[str, ...], own: str, start: int, end: int) -> None:
        """Parts of the value at `[start, end)`; `path` leads to its container, `own` is its key there."""
        place = (*path, own)[-LONGEST_PATH:] if segments else path
        if self.text[start] == '"' and end - start > 2:
            self._string(segments, path, place, start, end)
            return
        value = self.text[start:end]
        hidden = self._hide(segments, self.sizes.length(value), self.sizes.limit)
        shown = segments[hidden:]
        text = _around(shown) + value + "}" * len(shown)
        if self.sizes.length(text) <= self.sizes.limit:
            self._add(Part(text, start, end, _keys(shown), (), path if shown else place, "value", len(path)))
        else:
            self._literally(place, *self.tree.origin(start, end), "value")

    def _hide(self, segments: tuple[Segment, ...], inside: float, target: float) -> int:
        """How many of the outer segments must go for the rest to be within `target`, with `inside` inside of them."""
        length = self.sizes.length
        if not self.sizes.sums:
            hidden = 0
            while hidden < len(segments) and self._wrap(segments[hidden:]) + inside > target:
                hidden += 1
            return hidden
        sizes = [length(segment.text) + 1 for segment in segments]
        total, hidden = sum(sizes) + inside, 0
        while hidden < len(segments) and total > target:
            total -= sizes[hidden]
            hidden += 1
        return hidden

    def hide(self, segments: tuple[Segment, ...]) -> int:
        """How many of the outer segments go to the path where all of them leave no room."""
        return self._hide(segments, 2, self.sizes.limit / 2)

    def _wrap(self, segments: tuple[Segment, ...]) -> float:
        return self.sizes.length(_around(segments) + "}" * len(segments))

    def _string(
        self, segments: tuple[Segment, ...], path: tuple[str, ...], place: tuple[str, ...], start: int, end: int
    ) -> None:
        limit, text = self.sizes.limit, self.text
        at_top = len(segments) == 1 and not path and limit > _MARGIN
        hidden = self._hide(segments, 2, max(limit / 2, _MARGIN if at_top else 0))
        most = limit - _MARGIN if at_top and self.sizes.sums and not hidden else None
        bare = self.sizes.length('""') + 1 > limit  # no room for a character between quotes
        at, last = start + 1, end - 1
        while at < last:
            shown = segments[hidden:]
            prefix, closers = _around(shown) + '"', '"' + "}" * len(shown)
            stop, detail = (at, "") if bare else self._stop(prefix, closers, at, last, most)
            if stop > at:
                # A quote of the source goes with the part beside it.
                first, final = (start if at == start + 1 else at), (end if stop == last else stop)
                where = path if shown else place
                kind = "value" if stop == last else "string"
                whole = prefix + text[at:stop] + closers
                self._add(Part(whole, first, final, _keys(shown), (), where, kind, len(path), detail))
            elif shown:
                hidden += 1
                most = None
                continue
            else:
                stop = last if bare else self._next(at, last)
                self._literal_piece(place, start, at, stop, last)
            at = stop

    def _stop(self, prefix: str, closers: str, at: int, last: int, most: float | None) -> tuple[int, str]:
        """Where the part of a string that begins at `at` ends, `at` when nothing fits; and the separator there."""
        sizes = self.sizes
        prefix_size = sizes.length(prefix)
        reach = sizes.reach(prefix, prefix_size, at, last, closers)
        if most is not None:
            reach = min(reach, self._units(at, last, most))
        while reach > at:
            stop, detail = (last, "") if reach == last else self._border(at, reach)
            if sizes.sums or sizes.size(prefix, prefix_size, at, stop, closers) <= sizes.limit:
                return stop, detail
            reach = at + (stop - at) * 7 // 8
        return at, ""

    def _units(self, at: int, last: int, most: float) -> int:
        """Where a string has so many units, an escape counting as the one character that it stands for."""
        fit = self.sizes.measure.fit
        for start, end in self.tree.escapes(at, min(last, at + 6 * int(most) + 6)):
            if most <= 0 or fit(at, most) <= start:
                break
            most -= self.sizes.measure.length(at, start) + 1
            at = end
        return min(last, fit(at, max(most, 0)))

    def _border(self, at: int, reach: int) -> tuple[int, str]:
        """The last place up to `reach` where a string can be cut: behind a space if there is one."""
        tree, text = self.tree, self.text
        space = text.rfind(" ", at + 1, reach)
        while space > at:
            if tree.may_cut(space + 1):
                return space + 1, " "
            space = text.rfind(" ", at + 1, space)
        return self._cluster(at, reach), ""

    def _cluster(self, at: int, reach: int) -> int:
        inside = {p: start for start, end in self.tree.escapes(at, reach) for p in range(start + 1, end)}
        stop = inside.get(reach, reach)
        while stop > at and not self.tree.may_cut(stop):
            stop = inside.get(stop - 1, stop - 1)
        return stop

    def _next(self, at: int, last: int) -> int:
        """The first place behind `at` where a string can be cut."""
        stop = at
        while stop < last:
            escapes = self.tree.escapes(stop, stop + 1)
            stop = escapes[0][1] if escapes and escapes[0][0] == stop else stop + 1
            if self.tree.may_cut(stop):
                break
        return min(stop, last)

    def _literal_piece(self, path: tuple[str, ...], start: int, at: int, stop: int, last: int) -> None:
        """A piece of a string without its quotes, but for one that is of a cluster with what is beside it."""
        source, origin = self.tree.source, self.tree.at
        first, final = origin[at], origin[stop]
        if at == start + 1 and not is_boundary(source, first):
            first = origin[start]
        if stop == last and not is_boundary(source, final):
            final += 1
        self._literally(path, first, final, "value" if stop == last else "string")

    def _literally(self, path: tuple[str, ...], start: int, end: int, kind: str) -> None:
        """Pieces of the source, for limits that not even a bare value can keep. `kind` is why the last one ends."""
        source = self.tree.source
        if self._measure is None:
            self._measure = self.sizes.length.measure(source)
        packer = Packer(source, self._measure, [], limit=self.sizes.limit, overlap=0, strip=True)
        packer.add_or_cut(start, end)
        for a, b in zip(packer.spans.starts, packer.spans.ends, strict=True):
            why = kind if b >= packer.spans.ends[-1] else "characters"
            self._add(Part(source[a:b], a, b, (), (), path, why, max(0, len(path) - 1), literal=True))


def _around(segments: tuple[Segment, ...]) -> str:
    return "".join([segment.text for segment in segments])


def _keys(segments: tuple[Segment, ...]) -> tuple[tuple[int, int], ...]:
    return tuple([segment.key for segment in segments if segment.key is not None])
