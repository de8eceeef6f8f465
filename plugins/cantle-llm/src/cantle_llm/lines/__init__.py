"""The lines that partition numbers: sentences, headings, rows; each a stretch of the source."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from .capping import capped
from .titles import PARAGRAPH, level_of, with_titles

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["MAX_WORDS", "PARAGRAPH", "Line", "lines_of"]

MAX_WORDS = 50


class Line(NamedTuple):
    """A stretch `[start, end)` of the source's text, in code points, without white space around it.

    `kind` is what it is part of: `sentence`, `heading`, `table`, `code`, ... (the kinds of `cantle.units`), or `other`:
    markup alone, link definitions, running lines, JSON. `opens` says that it begins a paragraph, a heading, a table;
    `level` is a heading's level from 1, where the markup or its number tells, else 0.
    """

    start: int
    end: int
    kind: str = "sentence"
    opens: bool = False
    level: int = 0


class _Piece(NamedTuple):
    """A unit with the markup that goes with it; `lead` is where the unit itself begins."""

    start: int
    end: int
    kind: str
    lead: int


_HOLDING = ("list", "quote", "environment")
_PROSE = ("sentence", "heading", "list", "quote", "environment")
"""Kinds in which a blank line ends a line."""
_APART = ("heading", "table", "code", "html", "formula")
"""Kinds that begin something of their own."""
_MOST_MARKUP = 200
"""Longer stretches between two units are lines of their own."""

_LINE_BREAK = re.compile(r"[\r\n\u2028\u2029]\s*")
"""A line break with what is blank after it."""
_CLOSING = re.compile(r"(?:</[^<>]{0,100}>)+")
_HTML_BLOCK = re.compile(
    r"</?(?:p|div|section|article|main|header|footer|nav|aside|ul|ol|li|dl|dt|dd|blockquote|pre|table|tr|hr|h[1-6]|"
    r"figure|figcaption|body|form|details|summary)\b",
    re.IGNORECASE,
)
_HTML_ROW = re.compile(r"<tr\b", re.IGNORECASE)
_RULES = frozenset(" \t|:->\r\n")
"""What the row below the head of a Markdown table is made of: it stays with the head."""


def lines_of(source: Source, max_words: int = MAX_WORDS) -> list[Line]:
    """The lines of a document: its sentences, headings, rows of tables, lines of code, in order.

    Every character of the text from `source.body` on that is not blank lies in exactly one line. A line has at most
    `max_words` words: what is longer is divided evenly, at line breaks, clauses or words where it can be. Long words
    count once for each 32 characters; in scripts without blanks two characters count as a word. A blank line ends a
    line, code and tables apart. A short paragraph such as "Chapter 1. The Beginning." is one line, a heading. Where
    `cantle.units` finds no sentence (JSON), lines end at line breaks. Takes linear time for any text.
    """
    from cantle.text import is_blank, next_boundary, previous_boundary, trim

    text = source.text
    found: list[Line] = []
    before = source.body
    for piece in _pieces(source):
        is_heading, first = piece.kind == "heading", True
        level = level_of(text, piece.start, piece.lead, piece.end, source.kind) if is_heading else 0
        for a, b in _divided(text, piece, source.kind):
            if text[a:b].isspace():
                continue
            for c, d in capped(text, a, b, max_words):
                # Units need not begin or end between grapheme clusters; lines do.
                low, high = previous_boundary(text, max(c, before), before - 1), next_boundary(text, d)
                low = low if low <= max(c, before) else before
                start, end = trim(text, low, max(low, high))
                if start >= end or is_blank(text[start:end]):
                    continue
                opens = not found or (first and (piece.kind in _APART or found[-1].kind in _APART))
                if not opens and (first or piece.kind not in _APART):
                    opens = _opens(text, before, start, source.kind)
                found.append(Line(start, end, piece.kind, opens, level))
                before, first = end, False
    return found


def _opens(text: str, before: int, start: int, kind: str) -> bool:
    """Whether what stands at `start` begins a paragraph, with a line that ends at `before` above it."""
    if PARAGRAPH.search(text, before, start):
        return True
    if kind != "html":
        return False
    # The tags went to the lines on both sides of the border.
    around = text[max(0, before - 12) : before].rpartition("<")
    if around[1] and around[2].startswith("/") and _HTML_BLOCK.match(f"<{around[2]}"):
        return True
    return bool(_HTML_BLOCK.match(text, start))


def _pieces(source: Source) -> Iterator[_Piece]:
    """The units that hold no other, with the markup between them, so that nothing is left out."""
    from cantle.units import units

    text = source.text
    leaves = [(u.start, u.end, u.kind) for u in units(source) if u.kind not in _HOLDING and u.start < u.end]
    if source.kind not in ("html", "latex", "json"):
        leaves = with_titles(text, source.body, leaves, plain=source.kind != "markdown")
    at, held = source.body, None
    for start, end, kind in leaves:
        if end <= at:
            continue
        start = max(start, at)
        head, tail = _parted(text, at, start, source.kind, held is not None)
        if held is not None:
            yield held._replace(end=head)
        if head < tail or (held is None and at < tail):
            yield _Piece(head if held is not None else at, tail, "other", tail)
        held = _Piece(tail, end, kind, start)
        at = end
    head, _ = _parted(text, at, len(text), source.kind, held is not None)
    if held is not None:
        yield held._replace(end=head)
    if head < len(text):
        yield _Piece(head, len(text), "other", len(text))


def _parted(text: str, start: int, end: int, kind: str, has_before: bool) -> tuple[int, int]:
    """Where the unit before and where the unit after a gap takes markup to and from; the rest is neither's."""
    gap = text[start:end]
    if not gap or gap.isspace():
        return start, end
    breaks = list(_LINE_BREAK.finditer(gap))
    if breaks:
        head, tail = start + breaks[0].start(), start + breaks[-1].end()
    else:
        closing = _CLOSING.match(gap) if kind == "html" else None
        head = tail = start + closing.end() if closing else start
        if end == len(text):
            head = tail = end
    if not has_before or head - start > _MOST_MARKUP:
        head = start
    if end - tail > _MOST_MARKUP:
        tail = end
    return head, tail


def _divided(text: str, piece: _Piece, kind: str) -> Iterable[tuple[int, int]]:
    """The stretches of a piece that begin on lines of their own."""
    start, end = piece.start, piece.end
    if piece.kind == "table":
        rows = [m.start() for m in _HTML_ROW.finditer(text, start, end)] if kind == "html" else []
        return _between(start, end, rows[1:]) if rows else _rows(text, start, end)
    if piece.kind in _PROSE:
        return _between(start, end, [m.end() for m in PARAGRAPH.finditer(text, start, end)])
    if piece.kind == "formula":
        return [(start, end)]
    return _between(start, end, [m.end() for m in _LINE_BREAK.finditer(text, start, end)])


def _between(start: int, end: int, borders: Iterable[int]) -> Iterator[tuple[int, int]]:
    at = start
    for border in borders:
        if border > at:
            yield at, border
            at = border
    yield at, end


def _rows(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The rows of a table that are lines of text; the one with the dashes stays with the head above it."""
    waiting: tuple[int, int] | None = None
    for low, high in _between(start, end, [m.end() for m in _LINE_BREAK.finditer(text, start, end)]):
        if waiting and "-" in text[low:high] and _RULES.issuperset(text[low:high]):
            waiting = (waiting[0], high)
            continue
        if waiting:
            yield waiting
        waiting = (low, high)
    if waiting:
        yield waiting
