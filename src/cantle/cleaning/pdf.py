"""Cleaning of the text of a PDF."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import category

from ..whitespace import BLANKS
from .blanks import edges, line_ends, plain_blanks, tidy, without_width
from .cleaned import Cleaned
from .draft import Draft, Edit
from .hyphens import HYPHENS, divisions, join_words
from .pages import Layout, split
from .running import furniture

__all__ = ["clean_pdf"]


def clean_pdf(text: str, *, join_across_pages: bool = False, joiners: bool = True) -> Cleaned:
    """Make running text of what was extracted from a PDF, where a form feed ends a page.

    Words divided at the end of a line are joined; headers, footers and page numbers that repeat from page to page are
    taken out where they are a page's first or last line; white space is cleaned as `clean_markdown` does it. Pages are
    set apart by a blank line. `joiners` is as there.

    With `join_across_pages` words are joined last: what is left out at the edges of pages joins nothing, and a word
    that a page's end divides is joined too, behind footers and headers; all `HYPHENS` divide. Otherwise words are
    joined first, at `-` alone, and the line that follows a division at the end of a page may be its footer.
    """
    draft = Draft(text)
    line_ends(draft)
    last = join_across_pages and "\f" in draft.text
    if not last:
        join_words(draft, every=join_across_pages)
    plain_blanks(draft, draft.text)
    draft.cut(without_width(draft.text, joiners), "zero-width")
    if "\f" in draft.text:
        return _paginated(draft, last)
    start, end = edges(draft.text)
    if not end:
        start = len(draft.text)
    edits: list[Edit] = [(0, start, "")] if start else []
    edits += tidy(draft.text, start, end)
    if start < len(draft.text) > end:
        edits.append((end, len(draft.text), ""))
    draft.edit(edits)
    return draft.result()


def _paginated(draft: Draft, join: bool) -> Cleaned:
    text = draft.text
    pages, count = split(text)
    edits: list[Edit] = []
    left: list[int] = []  # the ordinals of the pages that left something
    hyphens: list[tuple[int, int]] = []
    dropped: dict[str, list[tuple[int, int]]] = {"running-line": [], "page-number": []}
    until = 0
    for page, (top, bottom, reasons) in zip(pages, furniture(pages, count), strict=True):
        layout, at = page.layout, page.at
        start, end = at + layout.start, at + layout.end
        if reasons:
            if len(reasons) == 1:
                line = layout.top[0] if top else layout.bottom[0]
                dropped[reasons[0]].append((at + line.start, at + line.end))
            else:
                lines = layout.top[:top] + layout.bottom[:bottom]
                for line, reason in sorted(zip(lines, reasons, strict=True)):
                    dropped[reason].append((at + line.start, at + line.end))
            if not layout.lines:
                continue
            start, end = _body(text, at, layout, top, bottom)
            if start >= end:
                continue
        first = _continued(text, until, start, end) if join else 0
        if first:
            hyphens.append((until - 1, until))
            edits.append((until - 1, first, ""))
            start = first
        elif start or left:
            edits.append((until, start, "\n\n" if left else ""))
        if layout.lines:
            found = [*tidy(text, start, end)]
            if join:
                joints, gone = divisions(text, start, end, every=True)
                hyphens += gone
                found = sorted(found + joints) if joints else found
            edits += found
        draft.marks.append(start)
        left.append(page.ordinal)
        until = end
    if until < len(text):
        edits.append((until, len(text), ""))
    for reason, stretches in dropped.items():
        draft.report(stretches, reason)
    draft.report(hyphens, "hyphen")
    draft.edit(edits)
    return draft.result(_starts(left, draft.marks, count, len(draft.text)))


def _body(text: str, at: int, layout: Layout, top: int, bottom: int) -> tuple[int, int]:
    """Where what is left of a page without lines at its top and bottom begins and ends: nowhere if nothing is left."""
    start, end = at + layout.start, at + layout.end
    if bottom:
        end = start + len(text[start : at + layout.bottom[bottom - 1].start].rstrip(BLANKS))
    if top:
        above = at + layout.top[top - 1].end
        rest = text[above:end]
        start = above + rest.rfind("\n", 0, len(rest) - len(rest.lstrip(BLANKS))) + 1
    return start, end


def _continued(text: str, until: int, start: int, end: int) -> int:
    """Where a word that is divided at `until` goes on in `[start, end)`; 0 if there is none."""
    if until < 2 or text[until - 1] not in HYPHENS or not text[until - 2].isalpha():
        return 0
    first = end - len(text[start:end].lstrip(BLANKS))
    return first if category(text[first]) == "Ll" else 0


def _starts(left: Sequence[int], starts: Sequence[int], count: int, end: int) -> list[int]:
    """Where every page begins; one that left nothing begins where the next one does."""
    pages: list[int] = []
    for ordinal, start in zip(left, starts, strict=True):
        pages += [start] * (ordinal - len(pages))
    return pages + [end] * (count - len(pages))
