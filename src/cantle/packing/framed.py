"""A stretch that is cut at its rows, each part in a frame: a table's header in front, a fence around code."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from ..chunk import Cut
from ..graphemes import trim
from .engine import Packer
from .spans import Spans

__all__ = ["Frame", "Part", "framed"]

_ROW, _BLOCK = Cut("row", 0), Cut("block", 0)
_MOST = 0.75
"""What goes before a row that is too long takes no more than this of the limit in a part with its beginning."""


class Frame(NamedTuple):
    """A stretch that is cut at its rows, with `lead` in front of each part and `tail`, if there is one, behind it.

    `rows` are the starts of the rows; the first follows the lead, the last one reaches to `end` and has the text's own
    tail in it.
    """

    start: int
    end: int
    lead: tuple[int, int]
    rows: Sequence[int]
    tail: tuple[int, int] | None


class Part(NamedTuple):
    """The stretch `[start, end)` of the text, with the lead in front and the tail behind it or without."""

    start: int
    end: int
    led: bool
    tailed: bool
    cut: Cut | None


def framed(packer: Packer, shown: str, begin: int, frame: Frame, length: Callable[[str], float]) -> Iterator[Part]:
    """Fill parts with as many rows as fit between the lead and the tail.

    The first part begins at `begin`, the frame's start or something that goes before it. `shown` is the text that the
    parts are made of and `length` measures. The fragments of a row that is too long are framed too.
    """
    text, limit, measure = shown, packer.limit, packer.measure
    lead, rows, tail, end = frame.lead, frame.rows, frame.tail, frame.end
    before = text[lead[0] : lead[1]] + "\n"
    behind = "" if tail is None else "\n" + text[tail[0] : tail[1]]
    stops = [*rows[1:], end]
    last = len(rows) - 1

    def size(start: int, stop: int, led: bool, tailed: bool) -> float:
        return length((before if led else "") + text[start:stop] + (behind if tailed else ""))

    def stripped(start: int, stop: int) -> int:
        return start + len(text[start:stop].rstrip(" \t\r\n"))

    whole = stripped(start=rows[-1], stop=end)
    i = 0
    while i <= last:
        first = i == 0
        start = begin if first else rows[i]
        room = limit - (0 if first else length(before)) - length(behind)
        most = min(bisect_right(stops, measure.fit(start, max(room, 1)) + 1), last)
        # The last part has the text's own tail, so there it may be more than `room` allows.
        if measure.fit(start, limit) >= whole and size(start, whole, not first, False) <= limit:
            most = last
        while most >= i:
            stop = stripped(start, stops[most])
            if stop > start and size(start, stop, not first, most < last and tail is not None) <= limit:
                break
            most -= 1
        if most >= i:
            yield Part(start, stop, not first, most < last and tail is not None, _ROW if most < last else _BLOCK)
            i = most + 1
            continue
        closes = tail is not None and i == last and tail[0] >= rows[i]
        low, high = trim(text, rows[i], tail[0] if closes and tail is not None else stops[i])
        if first and begin < frame.start and (stop := stripped(begin, frame.start)) > begin:
            taken = size(begin, low, False, True)
            _, b, cut = next(_fragments(packer, low, high, taken)) if taken <= _MOST * limit else (0, 0, None)
            if b and size(begin, b, False, tail is not None) <= limit:  # what goes before it has room for a beginning
                yield Part(begin, b, False, tail is not None, cut)
                low, first = trim(text, b, high)[0], False
            else:
                yield Part(begin, stop, False, False, _BLOCK)
        border = _ROW if i < last else _BLOCK
        fragments = list(_fragments(packer, low, high, size(0, 0, True, True), border)) if low < high else []
        framed_ones = [size(a, b, True, tail is not None) <= limit for a, b, _ in fragments]
        # Token counts need not add up to the last one; what is then in no frame stands alone.
        if first and fragments and not any(framed_ones):
            yield Part(frame.start, lead[1], False, False, _ROW)
        for (a, b, cut), fits in zip(fragments, framed_ones, strict=True):
            yield Part(a, b, fits, fits and tail is not None, cut)
        if closes and tail is not None and fragments and not any(framed_ones):
            yield Part(*tail, False, False, _BLOCK)
        i += 1


def _fragments(
    packer: Packer, start: int, end: int, frame: float, border: Cut = _ROW
) -> Iterator[tuple[int, int, Cut | None]]:
    """The fragments of a row that is too long, so short that they fit into the frame. It ends at `border`."""
    explain = packer.spans.cuts is not None
    inner = Packer(
        packer.text,
        packer.measure,
        packer.levels,
        limit=max(1, packer.limit - frame - (0 if packer.measure.exact else 1)),
        strip=True,
        explain=explain,
    )
    inner.spans = Spans(packer.text, True, explain)
    if inner.fits(start, end):
        inner.spans.add(start, end, border)
    else:
        inner.pack_region(start, end, cut=border)
    cuts: Sequence[Cut | None] = inner.spans.cuts or [None] * len(inner.spans.starts)
    yield from zip(inner.spans.starts, inner.spans.ends, cuts, strict=True)
