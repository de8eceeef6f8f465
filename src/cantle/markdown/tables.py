"""Tables that are longer than a chunk: cut at their rows, the header in front of each piece."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

from ..blocks.lines import line_gaps
from ..blocks.markdown import Block
from ..chunk import Chunk, Cut
from ..packing import Packer, rows_with_lead
from ..places import Path, Paths
from ..whitespace import is_blank
from .cuts import Layout

__all__ = ["Tables"]

_MOST = 0.5
"""A header that takes more than this of the limit is not repeated."""


class Tables:
    """The tables of a text whose header is repeated."""

    def __init__(self, layout: Layout, packer: Packer, length: Callable[[str], float]) -> None:
        self.text, self.packer, self.length = layout.text, packer, length
        self.found = [block for block in layout.blocks if block.kind == "table" and self._is_long(block)]
        self.starts = [block.start for block in self.found]
        self.headings = [block.start for block in layout.headings]

    def _is_long(self, block: Block) -> bool:
        limit = self.packer.limit
        if block.head[1] >= block.end or self.packer.fits(block.start, block.end):
            return False
        return self.length(self.text[slice(*block.head)]) <= _MOST * limit

    def regions(self, start: int, end: int) -> Iterator[tuple[int, int, Block | None]]:
        """A region in order: the tables in it, and what is before and after them and in their sections."""
        low, high = bisect_left(self.starts, start), bisect_left(self.starts, end)
        tables = [block for block in self.found[low:high] if block.end <= end]
        borders = {start, end}
        for block in tables:
            i = bisect_right(self.headings, block.start)
            around = self.headings[max(0, i - 1) : i + 1]  # where its section begins, and the next one
            borders.update(at for at in (*around, block.start, block.end) if start < at < end)
        known = {block.start: block for block in tables}
        at = sorted(borders)
        for a, b in pairwise(at):
            table = known.get(a)
            yield a, b, table if table is not None and table.end == b else None

    def border(self, position: int) -> Cut:
        """Why a region ends at a position: a heading, or that a table begins or ends there."""
        i = bisect_left(self.headings, position)
        heads = i < len(self.headings) and is_blank(self.text[position : self.headings[i]])
        return Cut("heading" if heads else "block", 0)

    def chunks(
        self, table: Block, paths: Paths | Path, metadata: Mapping[str, str] | None, behind: Cut
    ) -> Iterator[Chunk]:
        """The chunks of a table; `behind` is why the last one ends."""
        text, lead = self.text, table.head
        rows = [lead[1], *(b for _, b in line_gaps(text, 1, lead[1], table.end) if b < table.end)]
        for start, end, led, overlap, cut in rows_with_lead(self.packer, lead, rows, table.end, self.length, behind):
            path = paths if isinstance(paths, tuple) else paths(start)
            reason = cut if self.packer.spans.cuts is not None else None
            content = (text[slice(*lead)] if led else "") + text[start:end]
            spans = (lead, (start, end)) if led else None
            yield Chunk(content, start, end, spans=spans, overlap=overlap, path=path, metadata=metadata, cut=reason)
