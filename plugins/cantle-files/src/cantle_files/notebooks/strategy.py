"""The strategy `notebook`: cells stay whole, what belongs together stays together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from cantle import Chunk, Chunks, Cut, Measure, Sized, Source, Strategy, registry
from cantle.text import trim

from .cells import Cell, Notebook

__all__ = ["NotebookCells"]

_GUESSED = 64
"""By so many code points a measure that only guesses may be wrong."""


@dataclass(frozen=True, kw_only=True)
class NotebookCells(Sized):
    """Cells of a notebook, whole ones; neighbours under the same heading share a chunk as far as they fit.

    Code stays with its output, and with the Markdown cell before it where both fit. A cell above the limit is cut as
    `structural-context` cuts Markdown: between paragraphs, lines of code, lines of output, each part of code with its
    fences.
    """

    name: ClassVar[str] = "notebook"
    kind: ClassVar[str] = "notebook"
    drops: ClassVar[tuple[str, ...]] = ("cell-marker",)
    unused: ClassVar[tuple[str, ...]] = ("separator_position", "strip_whitespace")

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`, a text as `cantle_files` makes it of a notebook; any other is one Markdown cell."""
        notebook = Notebook(source.text)
        dropped = [(start, end, "cell-marker") for start, end in notebook.markers]
        return Chunks(source, _Run(self, notebook, source).chunks(), dropped=dropped)


@dataclass
class _Plain:
    """Whole cells that make one chunk, `[start, end)` of the text, and what ends it."""

    start: int
    end: int
    cut: Cut


class _Run:
    """One text, cut."""

    def __init__(self, strategy: NotebookCells, notebook: Notebook, source: Source) -> None:
        self.strategy, self.notebook, self.source = strategy, notebook, source
        self.text, self.cells = notebook.text, notebook.cells
        self.limit = strategy.limit
        self.measure: Measure = strategy.length.measure(self.text)
        self.paths = list(_paths(notebook))
        self.cutter: Strategy | None = None

    def chunks(self) -> Iterator[Chunk]:
        """All chunks, in order."""
        last: _Plain | None = None
        for piece in self._pieces():
            if isinstance(piece, _Plain):
                if last is not None and self._small(piece) and self._fits(last.start, piece.end):
                    last.end, last.cut = piece.end, piece.cut
                    continue
                if last is not None:
                    yield self._whole(last)
                last = piece
                continue
            if last is not None:
                yield self._whole(last)
                last = None
            yield from self._parts(*piece)
        if last is not None:
            yield self._whole(last)

    def _pieces(self) -> Iterator[_Plain | tuple[int, int]]:
        """Stretches of whole cells that fit, and others that must be cut."""
        groups = list(self._groups())
        ends = [self.cells[high - 1].end for _, high in groups]
        begins = [i for i, (low, _) in enumerate(groups) if self._is_section(low)]
        i = 0
        while i < len(groups):
            start = self.cells[groups[i][0]].start
            if not self._fits(start, ends[i]):
                yield start, ends[i]
                i += 1
                continue
            stop = self._section_end(start, i, begins, ends)
            last = self._reach(start, i, stop, ends)
            at_heading = last < len(groups) and self._is_section(groups[last][0])
            yield _Plain(start, ends[last - 1], Cut("heading", 0) if at_heading else Cut("cell", 1))
            i = last

    def _section_end(self, start: int, i: int, begins: list[int], ends: list[int]) -> int:
        """The number of the group before which a chunk that begins with group `i` must end.

        That is the next one with a heading, unless the chunk would be shorter than the least size.
        """
        at = bisect_right(begins, i)
        if self.strategy.least and at < len(begins):
            enough = self.measure.fit(start, self.strategy.least)
            while at < len(begins) and ends[begins[at] - 1] < enough:
                at += 1
        return begins[at] if at < len(begins) else len(ends)

    def _reach(self, start: int, i: int, stop: int, ends: list[int]) -> int:
        """How many groups, from the first on, a chunk that begins with group `i` reaches over."""
        reach = self.measure.fit(start, self.limit)
        if self.measure.exact:
            last = max(i + 1, bisect_right(ends, reach, i, stop))
            while last < stop and self._fits(start, ends[last]):  # white space at the end does not count
                last += 1
            return last
        last = max(i + 1, bisect_right(ends, reach, i, stop))
        while last > i + 1 and not self._fits(start, ends[last - 1]):
            last -= 1
        while last < stop and ends[last] <= reach + _GUESSED and self._fits(start, ends[last]):
            last += 1
        return last

    def _groups(self) -> Iterator[tuple[int, int]]:
        """Runs of cells, as `(first, end)`, that are not parted where they fit: heading, lead-in and code."""
        i = 0
        while i < len(self.cells):
            end = i + 1
            while end < len(self.cells) and self._holds(self.cells[end - 1], self.cells[end]):
                end += 1
            while i < end:
                yield from self._chain(i, end)
                i = end

    def _chain(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """A run that is held together, or what of it fits: from its end, since the code needs what leads in most."""
        found: list[tuple[int, int]] = []
        while end > first:
            low = end - 1
            whole = self._fits(self.cells[low].start, self.cells[low].end)
            while low > first:
                before = self.cells[low - 1]
                # What is cut anyway takes the headings before it along, so that they are no chunk of their own.
                joins = self._fits(before.start, self.cells[end - 1].end) if whole else before.bare
                if not joins:
                    break
                low -= 1
            found.append((low, end))
            end = low
        yield from reversed(found)

    def _holds(self, cell: Cell, following: Cell) -> bool:
        if cell.kind != "markdown":
            return False
        if following.level:
            return cell.bare and following.level > cell.level
        return cell.bare or following.kind == "code"

    def _is_section(self, i: int) -> bool:
        return self.cells[i].level > 0 and not (i and self._holds(self.cells[i - 1], self.cells[i]))

    def _fits(self, start: int, end: int) -> bool:
        return self.measure.length(*trim(self.text, start, end)) <= self.limit

    def _small(self, piece: _Plain) -> bool:
        least = self.strategy.least
        return least > 0 and self.measure.length(*trim(self.text, piece.start, piece.end)) < least

    def _whole(self, piece: _Plain) -> Chunk:
        start, end = trim(self.text, piece.start, piece.end)
        return self._chunk(self.text[start:end], [(start, end)], (start, end), cut=piece.cut)

    def _parts(self, start: int, end: int) -> Iterator[Chunk]:
        """The chunks of cells that are too long."""
        self.cutter = self.cutter or self._cutter()
        part = Source(self.text[start:end], "markdown")
        pieces = Chunks(part, self.cutter.split(part))
        for i, chunk in enumerate(pieces):
            spans = [(chunk.start, chunk.end)] if chunk.spans is None else chunk.spans
            cut = Cut("cell", 1) if i == len(pieces) - 1 else chunk.cut or Cut("cell", 1)
            yield self._chunk(
                chunk.content,
                [(a + start, b + start) for a, b in spans],
                (chunk.start + start, chunk.end + start),
                overlap=chunk.overlap,
                cut=cut,
            )

    def _cutter(self) -> Strategy:
        """What cuts cells that are too long; it puts no headings in front, and leaves nothing out."""
        strategy = self.strategy
        options: dict[str, Any] = {
            "max_size": strategy.max_size,
            "overlap": strategy.overlap if strategy.overlap is not None else strategy.repeat,
            "length_function": strategy.length_function,
            "explain": strategy.explain,
            "prepend_heading": False,
            "strip_html_comments": False,
            "strip_data_uri": False,
        }
        return registry().make("structural-context", options)

    def _chunk(
        self, content: str, spans: list[tuple[int, int]], bounds: tuple[int, int], *, cut: Cut, overlap: int = 0
    ) -> Chunk:
        own = self.notebook.spans(*bounds)
        whole = [span for a, b in spans for span in self.notebook.spans(a, b)]
        start, end = own[0][0], own[-1][1]
        exact = len(whole) == 1 and self.source.text[start:end] == content
        at = bounds[0] + overlap
        cells = self.notebook.within(at, bounds[1]) or self.notebook.within(*bounds)
        numbers = [cell.number for cell in cells if cell.number]
        metadata: dict[str, Any] = {"cells": [numbers[0], numbers[-1]]} if numbers else {}
        metadata["cell_types"] = [cell.kind for cell in cells]
        return Chunk(
            content,
            start,
            end,
            spans=None if exact else tuple(whole),
            overlap=overlap,
            path=self._path(at),
            metadata=metadata,
            cut=cut if self.strategy.explain else None,
        )

    def _path(self, at: int) -> tuple[str, ...]:
        i = bisect_right(self.notebook.headings, at, key=lambda heading: heading.at) - 1
        return self.paths[i] if i >= 0 else ()


def _paths(notebook: Notebook) -> Iterator[tuple[str, ...]]:
    """The titles in force from each heading on."""
    around: list[tuple[int, str]] = []
    for _, level, title in notebook.headings:
        while around and around[-1][0] >= level:
            around.pop()
        around.append((level, title))
        yield tuple(title for _, title in around)
