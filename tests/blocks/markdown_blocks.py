"""All top-level blocks of a Markdown text: those of the outline, and what lies between them."""

from __future__ import annotations

from collections.abc import Iterator

from cantle.blocks.lines import view
from cantle.blocks.markdown import Block, outline
from cantle.blocks.markdown.definitions import definition_end, text_end
from cantle.blocks.markdown.patterns import INDENTED, is_blank, line_end


def blocks(text: str) -> list[Block]:
    """All blocks, in order. What is in none of them is blank lines, and a BOM at the start."""
    seen, at = view(text), int(text.startswith("\ufeff"))
    found: list[Block] = []
    for block in outline(text):
        found += _between(seen, at, block.start)
        found.append(block)
        at = block.end
    return [*found, *_between(seen, at, len(seen))]


def _between(text: str, at: int, stop: int) -> Iterator[Block]:
    """Paragraphs, indented code and definitions in a stretch of whole lines."""
    end = limit = at
    while at < stop:
        line = min(line_end(text, at) + 1, stop)
        if is_blank(text, at, line):
            at = line
            continue
        if INDENTED.match(text, at):
            line = _code_end(text, at, stop)
            yield Block("code", at, line)
            at = line
            continue
        if at >= end:
            end = _paragraph_end(text, line, stop)
        if text[at : at + 4].lstrip(" ").startswith("["):
            if at >= limit:
                limit = min(text_end(text, at), end)
            while at < limit and (after := definition_end(text, at, limit)) is not None:
                yield Block("definition", at, after)
                at = after
        # After definitions the rest is looked at anew: it may be indented code.
        if at < end and not INDENTED.match(text, at):
            yield Block("paragraph", at, end)
            at = end


def _code_end(text: str, at: int, stop: int) -> int:
    last = at
    while at < stop:
        end = min(line_end(text, at) + 1, stop)
        if is_blank(text, at, end):
            at = end
        elif INDENTED.match(text, at):
            last = at = end
        else:
            break
    return last


def _paragraph_end(text: str, at: int, stop: int) -> int:
    while at < stop:
        end = min(line_end(text, at) + 1, stop)
        if is_blank(text, at, end):
            break
        at = end
    return at
