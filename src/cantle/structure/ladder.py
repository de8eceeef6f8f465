"""Where a stretch of prose and blocks is cut, strongest first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..blocks.lines import line_gaps
from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..packing import Breaks, Clusters, Level, Literal, MixedGaps, Outside, Sentences
from .long import head, is_long

__all__ = ["Items", "ladder"]


class Items(NamedTuple):
    """What is before the outer items of some lists, and before all; the lists, and the code in them. All ascend."""

    outer: list[Span]
    every: list[Span]
    lists: list[Span]
    code: list[Span]


def ladder(
    text: str,
    start: int,
    end: int,
    keep: Sequence[Span],
    segmenter: Segmenter,
    items: Items | None = None,
    is_item: Callable[[int], bool] = lambda position: False,
    *,
    mixed: bool | None = None,
    sentences: Level | None = None,
) -> list[Level]:
    """Paragraphs, sentences, lines and words outside of what to keep; then anywhere.

    The outer `items` of lists are cut like paragraphs, and the paragraphs in them like their inner items.
    `is_item` says whether an item of a list begins at a position. A very long stretch goes by its first part as to what
    its line ends are, and has all levels that there are. In a window of such a one the caller says `mixed`, which is
    whether there are carriage returns, and gives the level of the `sentences`.
    """
    long = mixed is not None or is_long(start, end)
    if mixed is None:
        mixed = text.find("\r", start, head(start) if long else end) >= 0

    def paragraphs(kept: Sequence[Span]) -> Level:
        return Breaks(2, kept) if mixed else _outside("\n\n", kept)

    def lines(kept: Sequence[Span]) -> Level:
        return Breaks(1, kept) if mixed else _outside("\n", kept)

    first = [paragraphs(keep)] if items is None or not items.outer else _item_levels(text, start, end, keep, items)
    first += [sentences or Sentences(segmenter, keep, is_item), lines(keep)]
    if not keep and not long:
        return [*first, Literal(" "), Clusters()]
    return [*first, _outside(" ", keep), paragraphs(()), lines(()), Literal(" "), Clusters()]


def _item_levels(text: str, start: int, end: int, keep: Sequence[Span], items: Items) -> list[Level]:
    blank = line_gaps(text, 2, start, end)
    outside = [gap for gap in blank if not _is_in(items.lists, gap)]
    return [
        _blanks_and_items(outside, items.outer, keep),
        _blanks_and_items([gap for gap in blank if not _is_in(items.code, gap)], items.every, keep),
    ]


def _blanks_and_items(blank: Sequence[Span], items: Sequence[Span], keep: Sequence[Span]) -> Level:
    return MixedGaps(_merged(blank, items), "\n\n", keep, dict.fromkeys([end for _, end in items], ("item", "")))


def _is_in(lists: Sequence[Span], gap: Span) -> bool:
    i = bisect_left(lists, (gap[1], -1)) - 1
    return i >= 0 and gap[1] < lists[i][1]


def _merged(blank: Sequence[Span], items: Sequence[Span]) -> list[Span]:
    """Both, in order; of gaps that touch the widest."""
    found: list[Span] = []
    for gap in sorted([*blank, *items], key=lambda gap: (gap[0], -gap[1])):
        if not found or gap[0] > found[-1][1]:
            found.append(gap)
        elif gap[1] > found[-1][1]:
            found[-1] = (found[-1][0], gap[1])
    return found


def _outside(separator: str, keep: Sequence[Span]) -> Level:
    return Outside(Literal(separator), keep) if keep else Literal(separator)
