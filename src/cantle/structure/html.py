"""The outline of an HTML page: of the text that a browser shows, with the way back to the source."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

from ..blocks import html as blocks
from ..blocks.lines import line_gaps
from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..lengths import Measure
from ..packing import Borders, Frame, Level, encloses
from .ladder import ladder
from .outline import Block, Heading, fitting
from .references import Definition

__all__ = ["MADE", "HtmlOutline"]

MADE = blocks.MADE_BY_MARKDOWN
"""The characters that tables are written with."""

_SIGNS = " \xb6\uf0c1"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_KINDS = {"table": "table", "pre": "code", "ul": "list", "ol": "list", "dl": "list", "blockquote": "quote"}


def _selectors(names: Sequence[str]) -> list[blocks.Selector]:
    return [selector for name in names for selector in blocks.parse(name, "names")]


_TITLES, _BLOCKS = _selectors(_HEADINGS), _selectors(tuple(_KINDS))


class HtmlOutline:
    """Headings `h1` to `h6`; tables, preformatted text, lists and quotations as blocks.

    `text` is for finding places to cut, `shown` as long, and what chunks hold. Where every table of a page
    has header cells and none is in another, they are written with pipes, as in Markdown, and a long one is cut with its
    header repeated; else with tabs, for a page that is laid out in tables has no use for pipes.
    """

    definitions: Sequence[Definition] | None = None

    def __init__(self, source: str, segmenter: Segmenter) -> None:
        self.segmenter = segmenter
        tokens = blocks.tokens(source)
        self.tree = tree = blocks.nest(tokens, _TITLES, _BLOCKS)
        texts = blocks.read(tokens, tree)
        gaps = blocks.gaps_of(texts, tree)
        plan = blocks.plan(texts, tree, gaps, keep_headings=True)
        self.left_out = plan.left_out
        self._piped = blocks.are_data(tokens, tree)
        self.page = blocks.render(texts, tree, gaps, plan.left_out, markdown=self._piped)
        self.text, self.shown = self.page.guarded, self.page.text
        self._sections = [section for section in plan.sections if section.heading is not None]
        self.headings = list(self._headings())
        self.blocks = [block for block in self._found(tree.others) if block.start < block.end]
        self._starts = [block.start for block in self.blocks]
        self._borders = [at for at in self.page.borders("\n\n") if at]

    def _headings(self) -> Iterator[Heading]:
        for section in self._sections:
            assert section.heading is not None
            region = self.page.region(section.heading.opens + 1, section.heading.closes)
            if region is not None:
                yield Heading(*region, section.heading.selector + 1)
            else:
                start = self.page.position_of(section.heading.opens + 1)
                yield Heading(start, start, section.heading.selector + 1)

    def _found(self, elements: Sequence[blocks.Element]) -> Iterator[Block]:
        kinds = list(_KINDS.values())
        for element in elements:
            region = self.page.region(element.opens + 1, element.closes)
            if region is not None:
                yield Block(kinds[element.selector - len(_TITLES)], *region)

    def title(self, number: int) -> str:
        """The text of a heading, on one line, without the sign of a link to it that generators put at its end."""
        shown = self._sections[number].shown
        return shown.rstrip(_SIGNS) or shown

    def line(self, number: int) -> str:
        """A heading as Markdown writes it."""
        name = self.title(number)
        return f"{'#' * self.headings[number].level} {name}" if name else ""

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        """The blocks of a stretch that are within the limit."""
        return fitting(((b.start, b.end) for b in self._blocks(start, end)), measure, limit)

    def frames(self, start: int, end: int, measure: Measure, limit: float) -> Iterator[Frame]:
        """The long tables of a stretch, by their rows."""
        if not self._piped:
            return
        for block in self._blocks(start, end):
            if block.kind == "table" and measure.length(block.start, block.end) > limit:
                gaps = line_gaps(self.page.text, 1, block.start, block.end)
                head = next((i for i, (a, b) in enumerate(gaps) if self.page.text.startswith("|--", b)), None)
                if head is not None and head + 1 < len(gaps):
                    lead = (gaps[head - 1][1] if head else block.start, gaps[head + 1][0])
                    yield Frame(block.start, block.end, lead, [b for _, b in gaps[head + 1 :]], None)

    def levels(self, start: int, end: int, keep: Sequence[Span]) -> list[Level]:
        """Before blocks that stand apart, then as in plain text."""
        inside = self._borders[bisect_left(self._borders, start + 1) : bisect_left(self._borders, end)]
        borders = [at for at in inside if not encloses(keep, at)]
        found = ladder(self.text, start, end, keep, self.segmenter)
        return [Borders(borders, "block"), *found] if borders else found

    def _blocks(self, start: int, end: int) -> list[Block]:
        found = self.blocks[bisect_left(self._starts, start) : bisect_left(self._starts, end)]
        return [block for block in found if block.end <= end]
