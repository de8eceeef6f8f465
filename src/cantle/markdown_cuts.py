"""What the strategies for Markdown share: where to cut it, and the titles around a position."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .blocks.markdown import Block, line_gaps, nested_fences, outline, title, view
from .chunk import Chunk, Cut, Span
from .packing import Borders, Clusters, Gaps, Level, Literal, Outside, Spans, level
from .separators import DEFAULT

__all__ = ["Layout", "Path", "Paths", "literal_chunks"]

Path = tuple[str, ...]

_WHOLE = ("fence", "maths", "comment", "front-matter")
"""Blocks that are not cut while they fit."""


class Layout:
    """The blocks of a text, and what follows from them for cutting it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = outline(text)
        self.headings = [block for block in self.blocks if block.kind == "heading"]

    def paths(self) -> Paths:
        """The titles of the headings around a position."""
        text = self.text
        return Paths((block.start, block.level, title(text, block)) for block in self.headings)

    def levels(self) -> list[Level]:
        """Where to cut, strongest first: headings, then paragraphs, lines and words, first outside of what is whole."""
        text, keep = self.text, self.whole()
        borders = [block.start for block in self.headings]
        if borders and borders[0] == 1 and text[0] == "\ufeff":
            del borders[0]  # a BOM is no piece of its own
        headings: list[Level] = [Borders(borders, "heading")] if borders else []
        if "\r" in text:
            paragraphs, lines = line_gaps(text, 2), line_gaps(text, 1)
            outside: list[Level] = [Gaps(paragraphs, "\n\n", keep), Gaps(lines, "\n", keep)] if keep else []
            outside += [Outside(Literal(" "), keep)] if keep else []
            return [*headings, *outside, Gaps(paragraphs, "\n\n"), Gaps(lines, "\n"), Literal(" "), Clusters()]
        outside = [Outside(Literal(separator), keep) for separator in DEFAULT if separator] if keep else []
        return [*headings, *outside, *map(level, DEFAULT)]

    def whole(self) -> list[Span]:
        """The stretches that are not cut while they fit, ascending and disjoint; their last line end is left out."""
        found: list[Span] = []
        seen = view(self.text)
        for block in self.blocks:
            if block.kind in _WHOLE:
                found.append((block.start, block.end))
            elif block.kind in ("list", "quote"):
                found += nested_fences(seen, block)
        return [(start, self._without_line_end(end)) for start, end in found]

    def _without_line_end(self, end: int) -> int:
        text = self.text
        if text.endswith("\r\n", 0, end):
            return end - 2
        return end - 1 if text[end - 1] in "\r\n" else end


class Paths:
    """The titles around a position, from `(position, level, title)` of headings in order."""

    def __init__(self, headings: Iterable[tuple[int, int, str]]) -> None:
        self._starts: list[int] = []
        self._paths: list[Path] = []
        around: list[tuple[int, Path]] = [(0, ())]
        for start, depth, name in headings:
            while len(around) > 1 and around[-1][0] >= depth:
                around.pop()
            path = (*around[-1][1], name) if name else around[-1][1]
            around.append((depth, path))
            self._starts.append(start)
            self._paths.append(path)

    def __call__(self, position: int) -> Path:
        """The titles of the headings that enclose a position, outermost first; of one that begins there too."""
        i = bisect_right(self._starts, position)
        return self._paths[i - 1] if i else ()


def literal_chunks(
    text: str, spans: Spans, paths: Paths | Path, metadata: Sequence[Mapping[str, Any] | None] | None = None
) -> list[Chunk]:
    """Chunks that are literal slices, with their place among the headings and metadata of their own."""
    chunks: list[Chunk] = []
    cuts: Sequence[Cut | None] = spans.cuts if spans.cuts is not None else [None] * len(spans.starts)
    own = metadata if metadata is not None else [None] * len(spans.starts)
    before = 0
    for start, end, cut, more in zip(spans.starts, spans.ends, cuts, own, strict=True):
        overlap = min(before, end) - start if before > start else 0
        path = paths if isinstance(paths, tuple) else paths(start)
        chunks.append(Chunk(text[start:end], start, end, overlap=overlap, path=path, metadata=more, cut=cut))
        before = end
    return chunks
