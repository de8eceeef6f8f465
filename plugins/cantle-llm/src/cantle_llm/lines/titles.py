"""Lines of text that are titles, although no markup says so; and the levels of headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from .looks import SURE, is_roman, look

__all__ = ["PARAGRAPH", "level_of", "with_titles"]

Leaf = tuple[int, int, str]

_MOST_WORDS, _MOST_CHARACTERS = 12, 100

PARAGRAPH = re.compile(r"(?:\r\n|\r(?!\n)|\n)\s*[\r\n]|[\u2029\f]")
"""Where a paragraph ends in plain text."""
_BREAK = re.compile(r"[\r\n\u2028]+")
_ENDING = frozenset(".!?:;…。！？：；”\"’')»")
"""How a line ends that the next one does not go on with."""
_FULL = 0.75
"""A line of so much of a paragraph's longest one may have been broken for its length."""
_HTML_LEVEL = re.compile(r"<h([1-6])\b", re.IGNORECASE)
_LATEX_LEVEL = re.compile(r"\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)(?![a-z])")
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_HASHES = re.compile(r"[\s>]{0,20}(#{1,6})(?:\s|$)")


def with_titles(text: str, body: int, leaves: Sequence[Leaf], *, plain: bool) -> list[Leaf]:
    """The leaves `(start, end, kind)` with each title as one of kind `heading`, cut out of the sentences around it."""
    solid = [(start, end) for start, end, kind in leaves if kind != "sentence"]
    found = _titles(text, body, solid, plain=plain)
    kept: list[Leaf] = [(start, end, "heading") for start, end in found]
    i = 0
    for start, end, kind in leaves:
        while i < len(found) and found[i][1] <= start:
            i += 1
        at = start
        while i < len(found) and found[i][0] < end:
            low, high = found[i]
            if low > at and not text[at:low].isspace():
                kept.append((*_trimmed(text, at, low), kind))
            at = high
            if at > end:  # it goes on into the next leaf
                break
            i += 1
        if at == start:
            kept.append((start, end, kind))
        elif at < end and not text[at:end].isspace():
            kept.append((*_trimmed(text, at, end), kind))
    return sorted(kept)


def _titles(text: str, body: int, solid: Sequence[tuple[int, int]], *, plain: bool) -> list[tuple[int, int]]:
    """The lines that are titles, outside of the `solid` stretches, in order.

    A word such as `Chapter` with a number makes one of a paragraph of one short line, and of a line inside of a
    paragraph that stands between sentences (`_inside`). In `plain` text so do the other looks of headings, above a
    paragraph that is longer: as titles stand above what they are about, at most two in a row.
    """
    found: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    romans: list[tuple[int, int]] = []
    starts = [start for start, _ in solid]
    at = body
    for border in (*(match.span() for match in PARAGRAPH.finditer(text, body)), (len(text), len(text))):
        start, end = _trimmed(text, at, border[0])
        at = border[1]
        if start >= end:
            continue
        i = bisect_left(starts, end) - 1
        is_solid = i >= 0 and solid[i][1] > start
        kind = "" if is_solid else _kind(text, start, end)
        if kind == "chapter":
            found.append((start, end))
            waiting = []
        elif kind and plain:
            waiting.append((start, end))
        else:
            if len(waiting) <= 2 and not kind:
                found += [(a, b) for a, b in waiting if end - start > b - a and (i < 0 or solid[i][1] <= start)]
            waiting = []
            for low, high in _inside(text, start, end, plain):
                j = bisect_left(starts, high) - 1
                if j < 0 or solid[j][1] <= low:
                    (romans if is_roman(text[low:high]) else found).append((low, high))
    if len(romans) > 1:
        found += romans
    return sorted(found)


def _inside(text: str, start: int, end: int, plain: bool) -> Iterator[tuple[int, int]]:
    """The lines of a paragraph that are sure titles, or in `plain` text a Roman number alone.

    The line before must end as a sentence or a paragraph does, and the line after must not go on in small letters: a
    sentence may be broken at `Chapter 3` for its length. Three and more of them in a row are a table of contents.
    """
    lines: list[tuple[int, int]] = []
    at = start
    for low, high in (*(match.span() for match in _BREAK.finditer(text, start, end)), (end, end)):
        span = _trimmed(text, at, low)
        at = high
        if span[0] < span[1]:
            lines.append(span)
    if len(lines) < 2:
        return
    longest = max(b - a for a, b in lines)
    row: list[tuple[int, int]] = []
    for number, (a, b) in enumerate(lines):
        label = text[a:b] if b - a <= _MOST_CHARACTERS else ""
        seen = look(label) if label and len(label.split()) <= _MOST_WORDS else None
        is_title = seen is not None and (seen.strength == SURE or (plain and is_roman(label)))
        if is_title and not row and number:
            is_title = _is_over(text, *lines[number - 1], longest)
        if is_title and number + 1 < len(lines):
            is_title = not text[lines[number + 1][0]].islower() and (
                len(label.split()) < 4 or _is_over(text, a, b, longest)
            )
        if is_title:
            row.append((a, b))
            continue
        if len(row) <= 2:
            yield from row
        row = []
    if len(row) <= 2:
        yield from row


def _is_over(text: str, start: int, end: int, longest: int) -> bool:
    """Whether a line was not broken for its length: it ends in a mark, or is far shorter than the longest one."""
    return text[end - 1] in _ENDING or end - start < _FULL * longest


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    from cantle.text import trim

    return trim(text, start, end)


def _kind(text: str, start: int, end: int) -> str:
    if end - start > _MOST_CHARACTERS:
        return ""
    line = text[start:end]
    if "\n" in line or "\r" in line or len(line.split()) > _MOST_WORDS:
        return ""
    seen = look(line)
    if seen is None or not any(map(str.isalpha, line)):
        return ""
    return "chapter" if seen.strength == SURE else "title"


def level_of(text: str, start: int, lead: int, end: int, kind: str) -> int:
    """The level of the heading in `[start, end)`, whose words begin at `lead`; 0 where nothing tells."""
    if kind == "html":
        tags = _HTML_LEVEL.findall(text, start, lead)
        return int(tags[-1]) if tags else 0
    if kind == "latex":
        command = _LATEX_LEVEL.search(text, start, min(end, start + 1000))
        return 1 + _LATEX_LEVELS.index(command[1]) if command else 0
    line = text[lead : min(end, lead + 200)]
    hashes = _HASHES.match(line) if kind == "markdown" else None
    if hashes:
        return len(hashes[1])
    if kind == "markdown" and end - lead < 10_000:
        last = text[lead:end].rstrip().rpartition("\n")[2].strip()
        if last and not last.strip("="):
            return 1
        if last and not last.strip("-"):
            return 2
    seen = look(line.rstrip())
    if kind == "markdown":  # one that no markup makes
        return 1 if seen and seen.strength == SURE else 0
    return seen.level if seen else 0
