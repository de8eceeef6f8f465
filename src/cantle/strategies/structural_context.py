"""`structural-context`: sections and blocks that know their place, with the headings around them in front."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from .. import checks
from ..blocks.sentences import Segmenter, segmenter
from ..chunk import Chunk
from ..chunks import Chunks
from ..errors import OptionError
from ..hookspecs import hookimpl
from ..places import Paths
from ..source import Source
from ..strategy import MAX_SIZE, Sized, Strategy, option
from ..structure import Cutter, Outline, Piece, Plan
from ..structure.markdown import MarkdownOutline
from ..structure.text import TextOutline

__all__ = ["StructuralContext"]


@dataclass(frozen=True, kw_only=True)
class StructuralContext(Sized):
    """Sections, cut at their blocks where they are too long, with the headings around each chunk in its `prefix`."""

    name: ClassVar[str] = "structural-context"
    drops: ClassVar[tuple[str, ...]] = ("comment", "data-uri", "zero-width", "running-line", "page-number", "hyphen")
    unused: ClassVar[tuple[str, ...]] = ("separator_position",)

    max_size: float | tuple[float, float] | None = option(1024, MAX_SIZE, "length units")
    overlap: float | None = option(
        0,
        "How much of the end of a chunk is repeated at the start of the next, at most, in whole sentences; within a "
        "section only, and never code or tables.",
        "length units",
    )
    min_chunk_size: float | None = option(
        None,
        "A section shorter than this is joined with its subsections and siblings where the result fits. "
        "None: a quarter of max_size.",
        "length units",
    )
    context_size: float = option(
        0, "Room to leave free for a note that `contextualize` puts in front later.", "length units"
    )
    prepend_heading: bool = option(True, "Put the headings around a chunk in front of it, in `chunk.prefix`.")
    heading_path: bool = option(True, "Put all of them there, outermost first. False: the nearest one alone.")
    split_on_headings: bool = option(
        True, "Begin a new chunk at a heading. False: headings are no borders, and chunks are filled up."
    )

    def __post_init__(self) -> None:
        for name in ("prepend_heading", "heading_path", "split_on_headings"):
            checks.boolean(name, getattr(self, name))
        super().__post_init__()
        if self.min_chunk_size is not None:
            checks.number("min_chunk_size", self.min_chunk_size, least=0)
            if isinstance(self.max_size, tuple):
                raise OptionError("give the minimum once: min_chunk_size, or a pair (min, max) as max_size.")
        checks.number("context_size", self.context_size, least=0)
        if self.context_size >= self.limit:
            raise OptionError(f"context_size must be smaller than max_size ({self.limit}), got {self.context_size}.")

    @cached_property
    def _segmenter(self) -> Segmenter:
        return segmenter("rules", "any")

    @property
    def _plan(self) -> Plan:
        least = self.limit / 4 if self.min_chunk_size is None else self.min_chunk_size
        return Plan(
            limit=self.limit,
            least=min(self.least if isinstance(self.max_size, tuple) else least, self.limit),
            overlap=self.repeat,
            reserved=self.context_size,
            prepend_heading=self.prepend_heading,
            heading_path=self.heading_path,
            split_on_headings=self.split_on_headings,
            strip=self.strip_whitespace,
            explain=self.explain,
        )

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`."""
        outline: Outline
        if source.kind == "markdown":
            outline = MarkdownOutline(source.text, self._segmenter)
        else:
            outline = TextOutline(source.text, self._segmenter)
        length = self.length
        cutter = Cutter(outline, length.measure(source.text), length, self._segmenter, self._plan)
        pieces = cutter.run()
        headings = outline.headings
        paths = Paths(((h.start, h.level) for h in headings), outline.title)
        chunks = []
        end = 0
        for piece in pieces:
            chunks.append(_chunk(cutter, piece, paths, end))
            end = piece.end
        return Chunks(source, chunks, dropped=())


def _chunk(cutter: Cutter, piece: Piece, paths: Paths, before: int) -> Chunk:
    spans = [span for span in (piece.lead, (piece.start, piece.end), piece.tail) if span is not None]
    return Chunk(
        cutter.content(piece),
        piece.start,
        piece.end,
        spans=tuple(spans) if len(spans) > 1 else None,
        overlap=max(0, before - piece.start),
        prefix=cutter.prefix(piece),
        path=paths(piece.own),
        cut=piece.cut,
    )


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [StructuralContext]
