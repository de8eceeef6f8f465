"""Paragraphs that are titles, although no markup says so; and the levels of headings."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

__all__ = ["PARAGRAPH", "level_of", "titles"]

_MOST_WORDS, _MOST_CHARACTERS = 12, 100

_WORDS = (
    "chapter|part|section|appendix|annex|article|book|volume|unit|lesson|act|scene|title|"
    "capítulo|capitulo|parte|seção|secção|sección|seccion|anexo|apêndice|apéndice|artigo|artículo|livro|libro|"
    "título|titulo|tomo|unidade|lição|ato|cena|chapitre|partie|annexe|livre|kapitel|teil|abschnitt|anhang|buch|"
    "capitolo|sezione|hoofdstuk|deel"
)
_NUMBERS = (
    "[0-9]{1,4}(?:[.][0-9]{1,4}){0,8}|[ivxlcdm]{1,8}|[a-z]|one|two|three|four|five|six|seven|eight|nine|ten|"
    "eleven|twelve|um|dois|três|quatro|cinco|seis|sete|oito|nove|dez|"
    "primeir[oa]|segund[oa]|terceir[oa]|quart[oa]|quint[oa]|sext[oa]|sétim[oa]|oitav[oa]|non[oa]|décim[oa]"
)
_CHAPTER = re.compile(rf"(?:{_WORDS})\s{{1,4}}(?:{_NUMBERS})(?!\w)(?P<mark>\s?[.:)|–—-])?", re.IGNORECASE)

PARAGRAPH = re.compile(r"(?:\r\n|\r(?!\n)|\n)\s*[\r\n]|[\u2029\f]")
"""Where a paragraph ends in plain text."""
_HTML_LEVEL = re.compile(r"<h([1-6])\b", re.IGNORECASE)
_LATEX_LEVEL = re.compile(r"\\(part|chapter|section|subsection|subsubsection|paragraph|subparagraph)(?![a-z])")
_LATEX_LEVELS = ("part", "chapter", "section", "subsection", "subsubsection", "paragraph", "subparagraph")
_NUMBERED = re.compile(r"[0-9]{1,4}((?:\.[0-9]{1,4}){0,8})(?!\w)")
_HASHES = re.compile(r"[\s>]{0,20}(#{1,6})(?:\s|$)")


def titles(text: str, body: int, solid: Sequence[tuple[int, int]], *, plain: bool) -> list[tuple[int, int]]:
    """The paragraphs of one short line each that are titles, outside of the `solid` stretches.

    A word such as `Chapter` in one of ten languages with a number makes one. In `plain` text so does a line that begins
    with a capital or a digit and ends in a letter or a digit, above a paragraph that is longer: as titles stand above
    what they are about, at most two in a row.
    """
    found: list[tuple[int, int]] = []
    waiting: list[tuple[int, int]] = []
    starts = [start for start, _ in solid]
    at = body
    for border in (*(match.span() for match in PARAGRAPH.finditer(text, body)), (len(text), len(text))):
        start, end = _trimmed(text, at, border[0])
        at = border[1]
        if start >= end:
            continue
        i = bisect_left(starts, end) - 1
        kind = "" if i >= 0 and solid[i][1] > start else _kind(text, start, end)
        if kind == "chapter":
            found.append((start, end))
            waiting = []
        elif kind == "title" and plain:
            waiting.append((start, end))
        else:
            if len(waiting) <= 2 and kind != "title":
                found += [(a, b) for a, b in waiting if end - start > b - a and (i < 0 or solid[i][1] <= start)]
            waiting = []
    return sorted(found)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    from cantle.text import trim

    return trim(text, start, end)


def _kind(text: str, start: int, end: int) -> str:
    if end - start > _MOST_CHARACTERS:
        return ""
    line = text[start:end]
    if "\n" in line or "\r" in line or len(line.split()) > _MOST_WORDS:
        return ""
    chapter = _CHAPTER.match(line)
    if chapter:
        rest = line[chapter.end() :].lstrip()
        if not rest or chapter["mark"] or (rest[0].isupper() and line[-1] not in ".!?;,"):
            return "chapter"
    if (line[0].isupper() or line[0].isdigit()) and line[-1].isalnum() and any(map(str.isalpha, line)):
        return "title"
    return ""


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
    if _CHAPTER.match(line):
        return 1
    number = _NUMBERED.match(line)
    return 1 + number[1].count(".") if number else 0
