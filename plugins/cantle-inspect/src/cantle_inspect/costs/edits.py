"""One edit in a document, always the same: what it changes in the chunks is what a re-index pays for."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace

from cantle import MDocument
from cantle.units import units

__all__ = ["SENTENCE", "edited"]

SENTENCE = "This sentence was added to see what one edit costs."

_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"(?P<is_key>\s*+:)?', re.DOTALL)


def edited(document: MDocument) -> MDocument | None:
    """The document with one sentence more, behind the sentence in its middle; None where there is no place for it.

    Where there are no sentences it is a paragraph of its own, behind the line in the middle. In JSON it is added to
    the string in the middle that is no key.
    """
    text = document.text
    middle = (document.body + len(text)) // 2
    if document.kind == "json":
        ends = [match.end() - 1 for match in _STRING.finditer(text, document.body) if match["is_key"] is None]
        return _inserted(document, _from(ends, middle), f" {SENTENCE}") if ends else None
    ends = [unit.end for unit in units(document) if unit.kind == "sentence"]
    if ends:
        return _inserted(document, _from(ends, middle), f" {SENTENCE}")
    if not text[document.body :].strip():
        return None
    line_end = text.find("\n", middle)
    return _inserted(document, len(text) if line_end < 0 else line_end, f"\n\n{SENTENCE}\n\n")


def _from(ends: list[int], middle: int) -> int:
    """The first at or behind the middle, else the last."""
    return ends[min(bisect_left(ends, middle), len(ends) - 1)]


def _inserted(document: MDocument, at: int, what: str) -> MDocument:
    return replace(document, text=document.text[:at] + what + document.text[at:])
