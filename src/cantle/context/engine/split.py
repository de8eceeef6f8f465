"""Blocks above the budget of their place are cut: code and tables by lines, lists by items, the rest as prose."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from itertools import pairwise

from ...whitespace import BLANKS
from .frames import Framed
from .grammar import ITEM, Block, Lines, tables_in
from .measures import Sizes
from .pieces import Piece
from .places import Place, Places
from .sentences import FULL_STOPS, SENTENCE, WORD, WORDS, borders

__all__ = ["Splitter"]

_FEW = 2
"""Words without punctuation that are more than so many budgets fill their chunks."""


class Splitter:
    """Cuts blocks into pieces."""

    def __init__(self, text: str, sizes: Sizes, places: Places) -> None:
        self.text, self.sizes, self.places = text, sizes, places
        self.found: list[Piece] = []

    def pieces(self, blocks: Sequence[Block], opened: Collection[int] = ()) -> list[Piece]:
        """The pieces of all blocks. The paragraphs numbered in `opened` are cut around the tables in them."""
        span, places = self.sizes.span, self.places
        self.found = []
        for i, block in enumerate(blocks):
            place = places[block.path]
            size = span(block.at, block.end)
            if size <= place.budget:
                self.found.append(Piece(block.label, block.start, block.end, place, size, block.at))
            elif i in opened:
                self._around_tables(block, place)
            else:
                self._split(block, place)
        return self.found

    def _split(self, block: Block, place: Place) -> None:
        label, start, end = block.label, block.at, block.end
        if label in ("code", "table"):
            lines = Lines(self.text, start, end)
            if len(lines.starts) >= (2 if label == "code" else 3):
                framed = Framed(self, block, place, lines)
                framed.code() if label == "code" else framed.table()
                return
        if label == "list" and self._list(start, end, place):
            return
        self.prose(label, start, end, place, 0)

    def _list(self, start: int, end: int, place: Place) -> bool:
        """Cut between items; not done when there is only one."""
        lines = Lines(self.text, start, end)
        items = [low for low in lines.starts if ITEM.match(self.text, low)]
        if len(items) < 2:
            return False
        items[0] = start
        span, budget = self.sizes.span, place.budget
        low, used = start, 0
        for at, after in zip(items, [*items[1:], end + 1], strict=True):
            cost = span(at, after - 1) + 1
            if at > low and used + cost > budget:
                self._items(low, at - 1, place)
                low, used = at, 0
            used += cost
        self._items(low, end, place)
        return True

    def _items(self, start: int, end: int, place: Place) -> None:
        size = self.sizes.span(start, end)
        if size > place.budget:
            self.prose("list", start, end, place, 1)
        else:
            self.found.append(Piece("list", start, end, place, size))

    def prose(self, label: str, start: int, end: int, place: Place, level: int, weak: bool = False) -> None:
        """Cut at the strongest borders there are, each piece by itself at the next ones."""
        text, sizes, budget = self.text, self.sizes, place.budget
        size = sizes.span(start, end)
        if size <= budget:
            label = "paragraph" if label == "heading" else label
            self.found.append(Piece(label, start, end, place, size, weak=weak))
            return
        while level < WORDS:
            if level == WORD and sizes.tokens and size > _FEW * budget:
                self._fill(label, start, end, place, weak)
                return
            found = borders(text, level, start, end)
            level += 1
            if found:
                self._each(label, [start, *found, end], place, level, weak)
                return
        self.hard(label, start, end, place, weak)

    def _each(self, label: str, at: list[int], place: Place, level: int, weak: bool) -> None:
        """Pieces between the positions `at`; those above the budget are cut at the next level."""
        text, span, budget, add = self.text, self.sizes.span, place.budget, self.found.append
        fitting = "paragraph" if label == "heading" else label
        weaker = level > SENTENCE + 1
        for low, high in pairwise(at):
            if text[low] not in BLANKS or text[low:high].strip(BLANKS):
                size = span(low, high)
                if size <= budget:
                    add(Piece(fitting, low, high, place, size, weak=weak))
                else:
                    self.prose(label, low, high, place, level, weak)
            weak = weak or weaker

    def _fill(self, label: str, start: int, end: int, place: Place, weak: bool) -> None:
        """Pieces of as many words as fit: counted one by one they take several times the tokens they have.

        Netuno does count them so, which leaves three quarters of a chunk empty. A sentence a little above the budget is
        cut as there.
        """
        span, budget = self.sizes.span, place.budget
        starts = [start, *borders(self.text, WORD, start, end), end]
        i, last = 0, len(starts) - 1
        label_fit = "paragraph" if label == "heading" else label
        while i < last:
            low = starts[i]
            reach = self.sizes.reach(low, end, budget)
            j = max(i + 1, bisect_right(starts, reach, i + 1) - 1)
            while j > i + 1 and span(low, starts[j]) > budget:
                j -= 1
            if j == i + 1 and span(low, starts[j]) > budget:
                self.hard(label, low, starts[j], place, weak or low > start)
            elif self.text[low] not in BLANKS or self.text[low : starts[j]].strip(BLANKS):
                size = span(low, starts[j])
                self.found.append(Piece(label_fit, low, starts[j], place, size, weak=weak or low > start, words=True))
            i = j

    def hard(self, label: str, start: int, end: int, place: Place, weak: bool) -> None:
        """Cut what has no borders: behind a full stop without blanks, else between grapheme clusters."""
        sizes, low, inside = self.sizes, start, False
        size = sizes.span(start, start + len(self.text[start:end].rstrip(BLANKS)))
        if size <= self.places.size:  # a word is kept whole where overlap and header can give way
            self.found.append(Piece(label, start, end, place, sizes.span(start, end), weak=weak))
            return
        while low < end:
            high = sizes.cut(low, end, place.budget)
            stop = None
            if high < end:
                for stop in FULL_STOPS.finditer(self.text, low, high):  # noqa: B007
                    pass
            if stop:
                high = stop.end()
            self.found.append(Piece(label, low, high, place, sizes.span(low, high), weak=weak, inside=inside))
            low, inside, weak = high, stop is None, True

    def _around_tables(self, block: Block, place: Place) -> None:
        """A paragraph as the text and the tables that it is."""
        low = block.at
        for start, end in tables_in(self.text, block.at, block.end):
            if low < start:
                self.prose(block.label, low, start - 1, place, 0)
            size = self.sizes.span(start, end)
            if size <= place.budget:
                self.found.append(Piece("table", start, end, place, size))
            else:
                self._split(Block("table", start, end, block.path), place)
            low = end + 1
        if low < block.end:
            self.prose(block.label, low, block.end, place, 0)
