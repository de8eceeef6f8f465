"""The units of plain text, and of the text of a PDF."""

from __future__ import annotations

from collections.abc import Iterator

from ..cleaning import clean_pdf
from ..structure.text import TextOutline
from .unit import Unit, between, rules, sentences

__all__ = ["pdf_units", "plain_units"]


def plain_units(text: str) -> Iterator[Unit]:
    """Numbered headings and the sentences between them."""
    headings = TextOutline(text, rules()).headings
    yield from (Unit("heading", heading.start, heading.end) for heading in headings)
    yield from sentences(text, between(0, len(text), [(heading.start, heading.end) for heading in headings]))


def pdf_units(text: str) -> Iterator[Unit]:
    """Those of the text without running lines, page numbers and hyphens at line ends, at their places in the text."""
    cleaned = clean_pdf(text, join_across_pages=True, joiners=False)
    for kind, start, end in plain_units(cleaned.text):
        stretches = cleaned.offsets.stretches(start, end)
        if stretches:
            yield Unit(kind, stretches[0][0], stretches[-1][1])
