"""The outline of plain text: numbered headings and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..blocks.lines import view
from ..blocks.sentences import Segmenter
from ..blocks.text import TextBlock
from ..chunk import Span
from ..lengths import Measure
from ..packing import Frame, Level
from .ladder import ladder
from .numbered import Numbered
from .outline import Block, Heading
from .references import Definition

__all__ = ["TextOutline"]

_ITEM = re.compile(r"(?:[-+*\u2022\u2013]|[0-9]{1,9}[.)])[ \t]")


class TextOutline:
    """Numbered headings such as `3.1 Installation`, with paragraphs between them.

    `found` are the headings of a text that is the window of another; else they are looked for.
    """

    definitions: Sequence[Definition] | None = None
    blocks: Sequence[Block] = ()

    def __init__(self, text: str, segmenter: Segmenter, found: Sequence[TextBlock] | None = None) -> None:
        self.text, self.shown, self.segmenter = text, text, segmenter
        self._found = list(Numbered().read(view(text), 0, True) if found is None else found)
        self.headings = [Heading(block.start, block.end, block.level) for block in self._found]

    def title(self, number: int) -> str:
        """The title of a heading, on one line."""
        return self._found[number].title

    def line(self, number: int) -> str:
        """A heading as it stands in front of a chunk."""
        block = self._found[number]
        return f"{'#' * block.level} {block.title}"

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        """What of a stretch fits and so is not cut."""
        return []

    def frames(self, start: int, end: int, measure: Measure, limit: float) -> Iterator[Frame]:
        """The long tables and code blocks of a stretch."""
        return iter(())

    def levels(self, start: int, end: int, keep: Sequence[Span]) -> list[Level]:
        """Where to cut a stretch below its headings."""
        return ladder(self.text, start, end, keep, self.segmenter, is_item=self.is_item)

    def is_item(self, position: int) -> bool:
        """Whether an item of a list begins at a position."""
        line = position
        while line and self.text[line - 1] in " \t":
            line -= 1
        return (not line or self.text[line - 1] in "\r\n") and _ITEM.match(self.text, position) is not None
