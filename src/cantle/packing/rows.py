"""A stretch that is cut at its rows, and whose beginning is repeated in front of each further chunk."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from ..chunk import Cut
from ..graphemes import trim
from .engine import Packer
from .spans import Spans

__all__ = ["rows_with_lead"]

_ROW, _BLOCK = Cut("row", 0), Cut("block", 0)

Row = tuple[int, int, bool, int, Cut | None]
"""Start and end of a chunk's own stretch, whether the lead is repeated before it, its overlap, and why it ends."""


def rows_with_lead(
    packer: Packer,
    lead: tuple[int, int],
    rows: Sequence[int],
    end: int,
    length: Callable[[str], float],
    behind: Cut = _BLOCK,
) -> Iterator[Row]:
    """Fill chunks with as many rows as fit behind the lead.

    `rows` are the starts of the rows, none of which is blank; the first one follows the lead, the last one reaches to
    `end`. `length` measures a text that is put together. A row that does not fit behind the lead stands alone, cut
    where it must be. `behind` is why the last chunk ends.
    """
    text, limit, strip = packer.text, packer.limit, packer.strip
    repeated = text[lead[0] : lead[1]]
    room = limit - length(repeated)
    stops = [*rows[1:], end]
    i = 0
    while i < len(rows):
        start, before, most = (rows[i], repeated, room) if i else (lead[0], "", limit)
        last = min(bisect_right(stops, packer.measure.fit(start, most) + 1), len(rows)) - 1
        while last >= i:
            low, high = trim(text, start, stops[last]) if strip else (start, stops[last])
            if length(before + text[low:high]) <= limit:
                break
            last -= 1
        if last >= i:
            yield low, high, bool(before), 0, _ROW if last < len(rows) - 1 else behind
            i = last + 1
            continue
        spans = packer.spans = Spans(text, strip, packer.spans.cuts is not None)
        if not i:
            spans.add(*lead, _ROW)
        cut = _ROW if i < len(rows) - 1 else behind
        packer.add_or_cut(*(trim(text, rows[i], stops[i]) if strip else (rows[i], stops[i])), cut)
        cuts = spans.cuts if spans.cuts is not None else [None] * len(spans.starts)
        done = 0
        for low, high, why in zip(spans.starts, spans.ends, cuts, strict=True):
            yield low, high, False, max(0, done - low), why
            done = high
        i += 1
