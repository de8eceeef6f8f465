"""The outline of plain text: numbered headings and paragraphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..lengths import Measure
from ..packing import Level
from .ladder import ladder
from .outline import Block, Frame, Heading

__all__ = ["TextOutline"]


class TextOutline:
    """Numbered headings such as `3.1 Installation`, with paragraphs between them."""

    def __init__(self, text: str, segmenter: Segmenter) -> None:
        self.text, self.segmenter = text, segmenter
        self._found: list[tuple[Heading, str]] = []
        self.headings: list[Heading] = [heading for heading, _ in self._found]
        self.blocks: Sequence[Block] = ()

    def title(self, number: int) -> str:
        return self._found[number][1]

    def line(self, number: int) -> str:
        heading, title = self._found[number]
        return f"{'#' * heading.level} {title}"

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        return []

    def frames(self, start: int, end: int) -> Iterator[Frame]:
        return iter(())

    def levels(self, start: int, end: int, keep: Sequence[Span]) -> list[Level]:
        return ladder(self.text, start, end, keep, self.segmenter)
