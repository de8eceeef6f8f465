"""The outline of a LaTeX document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..latex import Layout
from ..lengths import Measure
from ..packing import Frame, Level
from .outline import Block, Heading
from .references import Definition

__all__ = ["LatexOutline"]


class LatexOutline:
    """Sections as headings, environments and displays as blocks. What is before `\\begin{document}` is apart."""

    definitions: Sequence[Definition] | None = None

    def __init__(self, text: str, segmenter: Segmenter) -> None:
        self.text, self.shown, self.segmenter = text, text, segmenter
        self._layout = layout = Layout(text)
        document = layout.document
        self.headings: Sequence[Heading] = [Heading(s.start, s.end, s.rank + 1) for s in document.sections]
        self._first = 0
        if document.body and not (self.headings and self.headings[0].start < document.body):
            self.headings = [Heading(document.body, document.body, 0), *self.headings]
            self._first = 1
        self._least = min((s.rank for s in document.sections), default=0)
        self.blocks = _outermost(Block("environment", a, b) for a, b in sorted(document.blocks))

    def title(self, number: int) -> str:
        """The title of a heading, on one line."""
        return "" if number < self._first else self._layout.title(number - self._first)

    def line(self, number: int) -> str:
        """A heading as it stands in front of a chunk."""
        name = self.title(number)
        return f"{'#' * (self.headings[number].level - self._least)} {name}" if name else ""

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        """What of a stretch fits and so is not cut."""
        return self._layout.whole(start, end, measure, limit)

    def frames(self, start: int, end: int, measure: Measure, limit: float) -> Iterator[Frame]:
        """The long tables and code blocks of a stretch."""
        return iter(())

    def levels(self, start: int, end: int, keep: Sequence[Span]) -> list[Level]:
        """Where to cut a stretch below its headings."""
        return self._layout.inner(keep, start, end, self.segmenter)


def _outermost(blocks: Iterator[Block]) -> list[Block]:
    found: list[Block] = []
    for block in blocks:
        if not found or block.start >= found[-1].end:
            found.append(block)
    return found
