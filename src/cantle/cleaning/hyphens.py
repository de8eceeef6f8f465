"""Words divided at the end of a line."""

from __future__ import annotations

import re
from unicodedata import category

from .draft import Draft, Edit

__all__ = ["HYPHENS", "divisions", "join_words"]

HYPHENS = "-\u2010\u00ad\x02"
"""What may stand where a word is divided: hyphens, the soft hyphen, and what PDFium writes for hyphen and line end."""

_DIVISION = re.compile("-\n[ \t]*")
_ANY_DIVISION = re.compile("(?:[-\u2010\u00ad]\n|\x02\n?)[ \t]*")


def join_words(draft: Draft, *, every: bool) -> None:
    """Join the two parts of a word that is divided at the end of a line.

    The hyphen goes if a lower-case letter follows, and stays before a capital. With `every`, all `HYPHENS` count.
    """
    edits, hyphens = divisions(draft.text, 0, len(draft.text), every=every)
    draft.report(hyphens, "hyphen")
    draft.edit(edits)


def divisions(text: str, begin: int, stop: int, *, every: bool) -> tuple[list[Edit], list[tuple[int, int]]]:
    """How to join the words that are divided in `[begin, stop)`, and which hyphens that takes out."""
    edits: list[Edit] = []
    hyphens: list[tuple[int, int]] = []
    # A letter that ends one joint does not begin the next of the same kind: `a-\nb-\nc` is joined once.
    taken = {"Ll": -1, "Lu": -1}
    for match in (_ANY_DIVISION if every else _DIVISION).finditer(text, begin, stop):
        start, end = match.span()
        if start == begin or not text[start - 1].isalpha() or end == stop:
            continue
        kind = category(text[end])
        if taken.get(kind, start) >= start - 1:
            continue
        taken[kind] = end
        sign = text[start] == "\x02"
        if kind == "Ll" or sign:
            hyphens.append((start, start + 1))
            edits.append((start, end, "" if kind == "Ll" else "-"))
        else:
            edits.append((start + 1, end, ""))
    return edits, hyphens
