"""A chunk of a rewritten text as a chunk of the document that the text was made from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .chunk import Chunk, Span
from .graphemes import is_boundary
from .source import OffsetMap, Source
from .whitespace import is_blank

if TYPE_CHECKING:
    from .chunks import Chunks

__all__ = ["Moved", "moved", "rewritten", "shift"]


def shift(document: Source, offsets: OffsetMap) -> int | None:
    """How far all positions move, when the text is what follows the body's start, unchanged; else None."""
    if not offsets.copies:
        return document.body if offsets.new_length == 0 and offsets.old_length == document.body else None
    new, old, length = offsets.copies[0]
    whole = new == 0 and length == offsets.new_length and old + length == offsets.old_length
    return old if whole and old == document.body else None


def _joined(spans: Iterable[Span]) -> tuple[Span, ...]:
    result: list[Span] = []
    for start, end in spans:
        if result and result[-1][1] == start:
            result[-1] = (result[-1][0], end)
        else:
            result.append((start, end))
    return tuple(result)


def _snapped(text: str, span: Span) -> Span:
    """A stretch without the white space at its ends that is a part of a cluster with what was left out.

    White space that was rewritten and that its first character is a part of a cluster with belongs to it.
    """
    start, end = span
    while 0 < start < end and text[start - 1].isspace() and not text[start].isspace() and not is_boundary(text, start):
        start -= 1
    while start < end and text[start].isspace() and not is_boundary(text, start):
        start += 1
    while start < end and text[end - 1].isspace() and not is_boundary(text, end):
        end -= 1
    return start, end


def moved(chunk: Chunk, document: Source, offsets: OffsetMap) -> Chunk:
    """A chunk of the rewritten text as one of `document`."""
    spans = _joined(
        piece
        for start, end in ([(chunk.start, chunk.end)] if chunk.spans is None else chunk.spans)
        for stretch in offsets.stretches(start, end)
        if (piece := _snapped(document.text, stretch))[0] < piece[1]
    )
    # A chunk may begin with a repeated stretch from far before it: its own bounds are mapped, not its spans'.
    bounds = offsets.stretches(chunk.start, chunk.end)
    start = _snapped(document.text, bounds[0])[0] if bounds else offsets.to_old(chunk.start)
    end = bounds[-1][1] if bounds else start
    exact = chunk.exact and len(spans) == 1 and document.text[start:end] == chunk.content
    new = Chunk(
        chunk.content,
        start,
        end,
        spans=None if exact else spans,
        overlap=chunk.overlap,
        prefix=chunk.prefix,
        path=chunk.path,
        metadata=chunk._extra if chunk._metadata is None else chunk._metadata,
        oversize=chunk.oversize,
        cut=chunk.cut,
    )
    new.embedding = chunk.embedding
    return new


def rewritten(document: Source, offsets: OffsetMap) -> Iterator[tuple[int, int, str]]:
    """What a rewriting left out of the document, front matter included."""
    at = document.body
    if at:
        yield 0, at, "front-matter"
    for _, old, length in (*offsets.copies, (0, offsets.old_length, 0)):
        if old > at and not is_blank(document.text[at:old]):
            yield at, old, "rewritten"
        at = max(at, old + length)


@dataclass
class Moved:
    """The chunks of a rewritten text, each made one of `document` when it is asked for."""

    chunks: Chunks
    document: Source
    offsets: OffsetMap

    def make(self, text: str, i: int) -> Chunk:
        """The chunk with the number `i`."""
        return moved(self.chunks[i], self.document, self.offsets)

    def texts(self, text: str) -> list[str]:
        """What to embed of every chunk: moving does not change it."""
        return self.chunks.texts
