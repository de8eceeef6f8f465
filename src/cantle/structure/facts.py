"""What a chunk says about itself: the kinds of its blocks, the sections that it touches, its pages, its references."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any

from ..places import Paths
from ..whitespace import is_blank
from .outline import Outline
from .references import References

__all__ = ["Facts"]


class Facts:
    """Tells the metadata of a stretch of a document. `pages` is where each page begins."""

    def __init__(self, outline: Outline, paths: Paths, pages: Sequence[int] = ()) -> None:
        self.outline, self.paths, self.pages = outline, paths, pages
        self._headings = [heading.start for heading in outline.headings]
        self._references: References | None = None

    def of(self, start: int, end: int) -> dict[str, Any]:
        """The metadata of `text[start:end]`.

        `blocks`: the kinds of its blocks. `sections`: the paths of all sections in it, when there are several.
        `page` and `pages`: where it begins, and all that it is on, from 1. `references`: the link and footnote
        definitions that it uses and does not hold, by their labels.
        """
        found: dict[str, Any] = {"blocks": self._kinds(start, end)}
        first, last = bisect_right(self._headings, start), bisect_left(self._headings, end)
        if first < last:
            places = [start, *self._headings[first:last]]
            sections = [" > ".join(path) for path in dict.fromkeys(map(self.paths, places)) if path]
            if sections:
                found["sections"] = sections
        if self.pages:
            page = max(1, bisect_right(self.pages, start))
            found["page"], found["pages"] = page, list(range(page, max(page, bisect_left(self.pages, end)) + 1))
        if self.outline.definitions is not None:
            if self._references is None:
                self._references = References(self.outline.text, self.outline.definitions)
            used = self._references.of(start, end)
            if used:
                found["references"] = used
        return found

    def _kinds(self, start: int, end: int) -> list[str]:
        outline = self.outline
        blocks = outline.blocks
        low = bisect_right(blocks, start, key=lambda block: block.end)
        high = bisect_left(blocks, end, key=lambda block: block.start)
        headings = outline.headings
        first = bisect_right(headings, start, key=lambda heading: heading.end)
        last = bisect_left(self._headings, end)
        stretches = sorted(
            [
                *((block.start, block.end, block.kind) for block in blocks[low:high]),
                *((heading.start, heading.end, "heading") for heading in headings[first:last] if heading.level),
            ]
        )
        kinds: dict[str, None] = {}
        at = start
        for a, b, kind in stretches:
            if a > at and not is_blank(outline.text[at:a]):
                kinds["paragraph"] = None
            kinds[kind] = None
            at = max(at, b)
        if at < end and not is_blank(outline.text[at:end]):
            kinds["paragraph"] = None
        return list(kinds)
