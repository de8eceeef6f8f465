"""Blocks as chunks: whole, or cut where a limit asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .result import Block, PartitionResult

if TYPE_CHECKING:
    from cantle import Chunk, Chunks, Length

__all__ = ["JOINT", "chunks_of"]

JOINT = "\n\n"
"""What stands between the stretches of a block."""


def chunks_of(
    result: PartitionResult,
    *,
    limit: float | None = None,
    length: Length | None = None,
    explain: bool = False,
) -> Chunks:
    """A chunk for each block, or several for one above `limit`, which is then cut at paragraphs, lines and words."""
    from cantle import Chunks

    found: list[Chunk] = []
    measure = None
    for number, block in enumerate(result.blocks):
        metadata = {"label": block.label, "block": number, "fallback": block.fallback}
        if limit is None or length is None or length(block.text) <= limit:
            found.append(_chunk(block, metadata, explain))
            continue
        measure = measure or length.measure(result.source.text)
        found += _pieces(result, block, metadata, measure, limit, explain)
    if limit is not None or any(len(block.ranges) > 1 for block in result.blocks):
        found.sort(key=lambda chunk: chunk.start)
    return Chunks(result.source, found, dropped=_dropped(result))


def _dropped(result: PartitionResult) -> list[tuple[int, int, str]]:
    """Front matter, and lines that are in no block."""
    from cantle.text import is_blank, trim

    text, body = result.source.text, result.source.body
    found = [(0, body, "front-matter")] if not is_blank(text[:body]) else []
    if not result.uncovered_lines.count:
        return found
    at = body
    for start, end in [*sorted(one for block in result.blocks for one in block.ranges), (len(text), len(text))]:
        low, high = trim(text, at, start)
        if not is_blank(text[low:high]):
            found.append((low, high, "uncovered"))
        at = max(at, end)
    return found


def _chunk(block: Block, metadata: dict[str, Any], explain: bool) -> Chunk:
    from cantle import Chunk, Cut

    return Chunk(
        block.text,
        block.start,
        block.end,
        spans=block.ranges if len(block.ranges) > 1 else None,
        metadata=metadata,
        cut=Cut("fallback" if block.fallback else "topic", 0, block.label or "") if explain else None,
    )


def _pieces(
    result: PartitionResult,
    block: Block,
    metadata: dict[str, Any],
    measure: Any,
    limit: float,
    explain: bool,
) -> list[Chunk]:
    from cantle import Chunk, Cut
    from cantle.text import cut

    text = result.source.text
    found: list[Chunk] = []
    for start, end in block.ranges:
        pieces = cut(text, measure, limit, start=start, end=end, separators=("\n\n", "\n", " "))
        for i, (a, b) in enumerate(pieces):
            last = i == len(pieces) - 1
            why = Cut("fallback" if block.fallback else "topic", 0, block.label or "") if last else Cut("limit", 1)
            found.append(Chunk(text[a:b], a, b, metadata=metadata, cut=why if explain else None))
    return found
