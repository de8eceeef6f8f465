"""The outline of plain text: numbered headings and paragraphs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..blocks.lines import view
from ..blocks.sentences import Segmenter
from ..blocks.text import TextBlock, text_blocks
from ..chunk import Span
from ..lengths import Measure
from ..packing import Frame, Level
from .ladder import ladder
from .outline import Block, Heading
from .references import Definition

__all__ = ["TextOutline"]

_MAY = re.compile(r"^ {0,3}[0-9]{1,2}(?:\.|[ \t])", re.MULTILINE)
_ITEM = re.compile(r"(?:[-+*\u2022\u2013]|[0-9]{1,9}[.)])[ \t]")
_SENTENCE = ".!?:;,\u2026\u3002"
"""What a heading does not end with, and a line that a heading follows without a blank line mostly does."""


class TextOutline:
    """Numbered headings such as `3.1 Installation`, with paragraphs between them.

    A line of a numbered list is none, nor a wrapped line that happens to begin with a number: a heading has no full
    stop at its end, and one with a single number stands behind a blank line, another heading, or the end of a sentence.
    """

    definitions: Sequence[Definition] | None = None
    blocks: Sequence[Block] = ()

    def __init__(self, text: str, segmenter: Segmenter) -> None:
        self.text, self.shown, self.segmenter = text, text, segmenter
        self._found = list(_headings(view(text))) if _MAY.search(view(text)) else []
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
        return ladder(self.text, start, end, keep, self.segmenter, is_item=self._is_item)

    def _is_item(self, position: int) -> bool:
        line = position
        while line and self.text[line - 1] in " \t":
            line -= 1
        return (not line or self.text[line - 1] in "\r\n") and _ITEM.match(self.text, position) is not None


def _headings(text: str) -> Iterator[TextBlock]:
    """The blocks that are headings and no items of a list or wrapped lines."""
    before: TextBlock | None = None
    heads = False  # whether the one before is a heading
    for block in text_blocks(text):
        heads = bool(block.level) and block.title[-1] not in _SENTENCE and _may_follow(text, before, heads, block)
        if heads:
            yield block
        before = block


def _may_follow(text: str, before: TextBlock | None, heads: bool, block: TextBlock) -> bool:
    if block.level > 1 or before is None or heads or before.end + 1 < block.start:
        return True
    if before.level:  # an item of a list is before it
        return False
    last = text[before.start : before.end].rstrip()
    return not last or last[-1] in ".!?\u2026\u3002"
