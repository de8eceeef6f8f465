"""All top-level blocks: those of the outline, and what lies between them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .definitions import definition_end, text_end
from .patterns import INDENTED, is_blank, line_end, view
from .scan import Block, outline

__all__ = ["blocks", "is_atx", "line_gaps", "nested_fences", "title"]

_BREAKS = {1: re.compile(r"\r\n|\n|\r"), 2: re.compile(r"(?:\r\n|\n|\r){2,}")}
_OPENING = r"[ >\t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}+(?=[^`\n]*(?:\n|\Z))|~{3,}+)"
_FIRST, _NESTED = re.compile(_OPENING), re.compile(rf"\n{_OPENING}")
_NESTED_END = re.compile(r"\n[ >\t]*(`{3,}+|~{3,}+)[ \t]*(?=\n|\Z)")


def blocks(text: str) -> list[Block]:
    """All top-level blocks, in order. What is in none of them is blank lines, and a BOM at the start."""
    seen, at = view(text), int(text.startswith("\ufeff"))
    found: list[Block] = []
    for block in outline(text):
        found += _between(seen, at, block.start)
        found.append(block)
        at = block.end
    return [*found, *_between(seen, at, len(seen))]


def _between(text: str, at: int, stop: int) -> Iterator[Block]:
    """Paragraphs, indented code and definitions in a stretch of whole lines."""
    while at < stop:
        end = min(line_end(text, at) + 1, stop)
        if is_blank(text, at, end):
            at = end
            continue
        if INDENTED.match(text, at):
            end = _code_end(text, at, stop)
            yield Block("code", at, end)
            at = end
            continue
        end = _paragraph_end(text, end, stop)
        stop_here = min(text_end(text, at), end) if text[at : at + 4].lstrip(" ").startswith("[") else at
        while at < stop_here and (after := definition_end(text, at, stop_here)) is not None:
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


def title(text: str, heading: Block) -> str:
    """The title of a heading as it is written, without the marks; on one line."""
    written = text[slice(*heading.head)].strip()
    if not is_atx(text, heading):
        return " ".join(line.strip() for line in written.splitlines())
    rest = written.rstrip("#")
    return rest.rstrip() if rest == "" or rest[-1] in " \t" else written


def is_atx(text: str, heading: Block) -> bool:
    """Whether a heading is written with `#`, not underlined."""
    return heading.head[0] != heading.start  # an underlined one begins with its title


def line_gaps(text: str, least: int, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """The stretches of `least` (1 or 2) and more line ends, LF, CR LF or CR; with 1 each by itself."""
    return [match.span() for match in _BREAKS[least].finditer(text, start, len(text) if end is None else end)]


def nested_fences(seen: str, block: Block) -> list[tuple[int, int]]:
    """Whole lines of the fenced code in a list or quote, so far as they can be told from their marks alone.

    `seen` is the `view` of the text.
    """
    start, end = block.start, block.end
    if seen.find("```", start, end) < 0 and seen.find("~~~", start, end) < 0:
        return []
    found: list[tuple[int, int]] = []
    opening = _FIRST.match(seen, start, end) or _NESTED.search(seen, start, end)
    while opening is not None:
        first, at, stop = opening.start(), line_end(seen, opening.end()), end
        for closing in _NESTED_END.finditer(seen, at, end):
            if closing[1].startswith(opening[1]):
                stop = min(closing.end() + 1, end)
                break
        found.append((first + (seen[first] == "\n"), stop))
        opening = _NESTED.search(seen, stop - 1, end) if stop < end else None
    return found
