"""From a cleaned text to chunks: blocks, pieces, packs, dictionaries."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from ...whitespace import BLANKS
from ..settings import Settings
from .emit import Emitter
from .grammar import Block, markdown_blocks, numbered_blocks, tables_in
from .measures import Sizes
from .packs import Pack, Packing
from .places import Places
from .split import Splitter

__all__ = ["chunk_cleaned"]


def chunk_cleaned(text: str, kind: str, pages: Sequence[int], settings: Settings) -> list[dict[str, Any]]:
    """The chunks of a cleaned text of a kind (`markdown`, `text`, `pdf`), by resolved settings.

    `pages` is where each page begins in it, in code points, empty when there are none.
    """
    if not text.strip(BLANKS):
        return []
    blocks = markdown_blocks(text) if kind == "markdown" else numbered_blocks(text)
    sizes = Sizes(text, settings.length, settings.unit == "tokens")
    places = Places(settings, sizes)
    splitter, packing = Splitter(text, sizes, places), Packing(text, settings, sizes)
    packs = packing.packs(splitter.pieces(blocks))
    held = _tables(text, blocks, places, sizes) if kind == "markdown" else {}
    opened = _cut(packs, held)
    if opened:
        packs = packing.packs(splitter.pieces(blocks, opened))
        if not _cut(packs, held) <= opened:  # the chunks have moved into other tables
            packs = packing.packs(splitter.pieces(blocks, held))
    return Emitter(text, kind, pages, settings, sizes, places).chunks(packs)


def _tables(text: str, blocks: Sequence[Block], places: Places, sizes: Sizes) -> dict[int, list[tuple[int, int]]]:
    """The paragraphs above their budget that hold tables, by number, with the stretches of the tables."""
    found = {}
    for i, block in enumerate(blocks):
        if block.label == "paragraph" and text.find("|", block.start, block.end) >= 0:
            tables = tables_in(text, block.at, block.end)
            if tables and sizes.span(block.at, block.end) > places[block.path].budget:
                found[i] = tables
    return found


def _cut(packs: Sequence[Pack], held: dict[int, list[tuple[int, int]]]) -> set[int]:
    """Those of the paragraphs that have a table in which a chunk begins."""
    starts = [pack.pieces[0].start for pack in packs]
    return {
        i
        for i, tables in held.items()
        if any(bisect_right(starts, low) < bisect_left(starts, high) for low, high in tables)
    }
