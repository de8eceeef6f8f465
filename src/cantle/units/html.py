"""The units of an HTML page."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator

from ..blocks.html import Page
from ..blocks.html.names import LEAVES, NUMBER, members
from ..chunk import Span
from ..structure.html import HtmlOutline
from .unit import HOLDING, Unit, between, nested, rules, sentences

__all__ = ["html_units"]

_INLINE = frozenset(NUMBER[name] for name in LEAVES | {"br", "wbr", "img"})
"""Elements that a sentence goes on over, although `br` begins a line."""


def html_units(text: str) -> Iterator[Unit]:
    """Headings, tables, preformatted text and lists, and the sentences outside of headings, tables and code."""
    outline = HtmlOutline(text, rules())
    page, tree = outline.page, outline.tree
    found = [Unit("heading", heading.start, heading.end) for heading in outline.headings]
    starts = [heading.start for heading in outline.headings]
    for low, high in _regions(page, _innermost(tree.tables)):
        if bisect_left(starts, low) == bisect_left(starts, high):  # else the page is laid out in it
            found.append(Unit("table", low, high))
    found += [Unit("code", *span) for span in _regions(page, tree.kept_space)]
    solid = sorted((unit.start, unit.end) for unit in found)
    found += [Unit(block.kind, block.start, block.end) for block in outline.blocks if block.kind in HOLDING]
    stretches = between(0, len(outline.text), solid, _breaks(page))
    for kind, start, end in [*nested(found), *sentences(outline.text, stretches)]:
        spans = page.spans(start, end)
        if spans:
            yield Unit(kind, spans[0][0], spans[-1][1])


def _regions(page: Page, elements: Iterable[Span]) -> Iterator[Span]:
    """The stretches of the shown text that elements hold, given by their tags."""
    for opens, closes in elements:
        region = page.region(opens + 1, closes)
        if region is not None:
            yield region


def _innermost(elements: Iterable[Span]) -> list[Span]:
    ordered = sorted(elements)
    following = [*ordered[1:], (1 << 62, 0)]
    return [element for element, after in zip(ordered, following, strict=False) if after[0] >= element[1]]


def _breaks(page: Page) -> list[int]:
    """Where a line begins, `br` apart: no sentence goes on over the border of a block."""
    import numpy

    codes = page.texts.tokens.codes
    hard = numpy.concatenate(([0], numpy.cumsum(~members(_INLINE, numpy.abs(codes)))))
    numbers = page.numbers
    return [
        page.starts[i] - page.before.get(i, 0)
        for i, joint in enumerate(page.joints[: len(numbers)])
        if i and "\n" in joint and hard[numbers[i]] > hard[numbers[i - 1]]
    ]
