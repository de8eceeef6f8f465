"""`html`: the text that a browser shows, cut at headings or at the borders of blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from .. import checks
from ..blocks import html as blocks
from ..chunk import Chunk, Cut, Span
from ..chunks import Chunks
from ..errors import OptionError
from ..hookspecs import hookimpl
from ..packing import Borders, Level, Literal, Outside, Packer, Spans, encloses, held, level
from ..separators import DEFAULT
from ..source import Source
from ..strategy import DEFAULT_SIZE, MAX_SIZE, NO_LIMIT, Sized, Strategy, option
from ..whitespace import STRIP

__all__ = ["Html"]

_TITLE = "#TITLE#"
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_Pairs = list[tuple[str, str]] | tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Html(Sized):
    """Cut a page at its headings, or, with neither `headers` nor `sections`, where blocks end.

    What is cut is the text that a browser shows: once, in the order of the source, inline elements in
    their sentence, blocks apart, tables as rows, preformatted text as it stands. A section is what
    follows a heading up to the next listed one, wherever the two stand in the page; it has the
    heading's text in its metadata and the titles above it in `path`.
    """

    name: ClassVar[str] = "html"
    kind: ClassVar[str] = "html"
    drops: ClassVar[tuple[str, ...]] = ("markup", "comment", "hidden", "heading-in-metadata")
    separator_patterns: ClassVar[tuple[str, ...]] = ()
    decode = staticmethod(blocks.of_span)

    headers: _Pairs = option(
        (),
        "Where sections begin: pairs of a CSS selector (h1, h2.title, main > [role=heading]) and the metadata key "
        "that the heading's text goes under. Tags of headings nest by their number, others by their place in the list.",
    )
    sections: _Pairs = option(
        (),
        "The same, with the heading's text trimmed and neighbours with the same heading never joined. "
        "headers goes before it.",
    )
    return_each_line: bool = option(
        False, "With headers: keep neighbouring sections with the same heading apart, instead of joining them."
    )
    tables: str = option(
        "plain",
        "How a table is written: 'plain' puts a tab between cells, 'markdown' writes pipes and a line of dashes.",
        choices=("plain", "markdown"),
    )
    max_size: float | tuple[float, float] | None = option(
        None,
        MAX_SIZE + f" None: no limit with headers or sections, {DEFAULT_SIZE} without.",
        "length units",
        above=0,
    )

    def __post_init__(self) -> None:
        for name in ("headers", "sections"):
            object.__setattr__(self, name, checks.pairs(name, getattr(self, name), "[('h1', 'title')]"))
            if any(key == "xpath" for _, key in getattr(self, name)):
                raise OptionError(f"{name} cannot have the key 'xpath': the heading's place goes there. Rename it.")
        checks.boolean("return_each_line", self.return_each_line)
        checks.choice("tables", self.tables, ("plain", "markdown"))
        self._check_overlap_alone()
        super().__post_init__()
        self._selectors  # noqa: B018  # a wrong selector is an error now, not at the first document

    def _check_overlap_alone(self) -> None:
        """As Mastra does with sections: an overlap above the usual size is a mistake although it has no effect."""
        alone = self.sections and not self.headers and self.max_size is None
        if alone and isinstance(self.overlap, int | float) and self.overlap >= DEFAULT_SIZE:
            raise OptionError(
                f"overlap must be smaller than {DEFAULT_SIZE} with sections, got {self.overlap}. It has an effect "
                "with max_size only: give one, or leave overlap out."
            )

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.headers and self.sections:
            found["sections"] = "with headers, which go before it"
        if self.return_each_line and not self.headers:
            found["return_each_line"] = "without headers"
        if self._unlimited:
            names = self._given(("overlap", "separator_position", "length_function"))
            found |= dict.fromkeys(names, "without max_size, as sections are not cut further")
        return found

    @property
    def limit(self) -> float:
        """The most a chunk may measure."""
        if self.max_size is None:
            return NO_LIMIT if self._listed else DEFAULT_SIZE
        return super().limit

    @property
    def made(self) -> str:
        """The characters that are written between those of the source."""
        return blocks.MADE_BY_MARKDOWN if self.tables == "markdown" else ""

    @property
    def _listed(self) -> _Pairs:
        return self.headers or self.sections

    @property
    def _unlimited(self) -> bool:
        return self.max_size is None and bool(self._listed)

    @cached_property
    def _selectors(self) -> tuple[list[blocks.Selector], list[str], list[int]]:
        """The selectors of what divides the page, with the key and the rank of each."""
        pairs = self._listed or [(name, "") for name in _HEADINGS]
        name = "headers" if self.headers else "sections"
        found = [(selector, key, i) for i, (text, key) in enumerate(pairs) for selector in blocks.parse(text, name)]
        selectors = [selector for selector, _, _ in found]
        ranks = [i for _, _, i in found]
        if all(selector.subject.tag in _HEADINGS for selector in selectors):
            ranks = [_HEADINGS.index(selector.subject.tag) for selector in selectors]
        return selectors, [key for _, key, _ in found], ranks

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`."""
        # Most never ask what was dropped. It is worked out anew then: keeping the page would take much more room. Who
        # asks most often does so at once: the page that was cut last is at hand, if it is not long.
        cutting = _Cutting(self, source)
        if len(source.text) <= _KEPT:
            _last[:] = [cutting]
        return Chunks(source, cutting.result, dropped=lambda: _cutting(self, source).dropped())


_KEPT = 1 << 20
"""Code points of a page that is kept."""
_last: list[_Cutting] = []


def _cutting(strategy: Html, source: Source) -> _Cutting:
    for last in tuple(_last):
        if last.strategy is strategy and last.source is source:
            return last
    return _Cutting(strategy, source)


class _Cutting:
    """One page on its way to chunks."""

    def __init__(self, strategy: Html, source: Source) -> None:
        self.strategy, self.source = strategy, source
        self.selectors, self.keys, self.ranks = strategy._selectors
        self.result: list[Chunk] = []
        tokens = blocks.tokens(source.text)
        tree = blocks.nest(tokens, self.selectors)
        texts = blocks.read(tokens, tree)
        gaps = blocks.gaps_of(texts, tree)
        join = bool(strategy.headers) and not strategy.return_each_line
        self.plan = plan = blocks.plan(texts, tree, gaps, join=join, keep_headings=not strategy._listed)
        markdown = strategy.tables == "markdown"
        self.page = blocks.render(
            texts, tree, gaps, plan.left_out, bare=plan.bare, joints=plan.joints, markdown=markdown
        )
        paths = blocks.titles_at(plan.sections, self.ranks)
        if strategy._listed:
            self._by_section(self.page, plan.sections, paths)
        else:
            self._by_block(self.page, plan.sections, paths)

    def dropped(self) -> list[tuple[int, int, str]]:
        """What is in no chunk, with the reasons."""
        spans = [span for chunk in self.result for span in chunk.spans or ((chunk.start, chunk.end),)]
        return self.page.dropped(spans, self.plan.left_out)

    # -- sections -------------------------------------------------------------------------------

    def _by_section(
        self, page: blocks.Page, sections: Sequence[blocks.Section], paths: Sequence[tuple[str, ...]]
    ) -> None:
        strategy = self.strategy
        packer = None if strategy._unlimited else self._packer(page, self._separators())
        text = page.text if packer is None else packer.text
        for i, (section, path) in enumerate(zip(sections, paths, strict=True)):
            region = page.region(section.first, section.last)
            if region is None:
                continue
            cut = self._end_of(sections, i)
            spans = Spans(text, strategy.strip_whitespace, strategy.explain)
            if packer is None:
                spans.add(*region, cut)
            else:
                packer.spans = spans
                packer.pack_region(*region, cut=cut)
                if strategy.least:
                    spans.join_small(packer.measure, strategy.least, strategy.limit)
            self._add(page, spans, [path] * len(spans.starts), self._metadata(section))

    def _end_of(self, sections: Sequence[blocks.Section], i: int) -> Cut:
        """Why a section ends."""
        heading = sections[i + 1].heading if i + 1 < len(sections) else None
        if heading is None:
            return Cut("end", 0)
        return Cut("heading", self.ranks[heading.selector], self.selectors[heading.selector].text)

    def _metadata(self, section: blocks.Section) -> dict[str, Any]:
        title = self.source.metadata.get("Title")
        found = {name: title for name, value in self.source.metadata.items() if value == _TITLE and title is not None}
        if section.heading is None:
            return found
        text = section.title if self.strategy.headers else section.title.strip(STRIP)
        if text != _TITLE:
            found[self.keys[section.heading.selector]] = text
        elif title is not None:
            found[self.keys[section.heading.selector]] = title
        found["xpath"] = section.heading.xpath
        return found

    # -- blocks ---------------------------------------------------------------------------------

    def _by_block(
        self, page: blocks.Page, sections: Sequence[blocks.Section], paths: Sequence[tuple[str, ...]]
    ) -> None:
        begins = [0 if s.heading is None else page.position_of(s.heading.opens + 1) for s in sections]
        by_rank: list[list[int]] = [[] for _ in _HEADINGS]
        for section, begin in zip(sections, begins, strict=True):
            if section.heading is not None:
                by_rank[section.heading.selector].append(begin)
        keep = held((), _ties(page, sections, begins)) if self.strategy.separator_position is None else []
        levels: list[Level] = [
            Borders([at for at in places if not encloses(keep, at)], kind, detail)
            for places, kind, detail in (
                *((at, "heading", name) for at, name in zip(by_rank, _HEADINGS, strict=True)),
                (page.borders("\n\n"), "block", ""),
                (page.borders("\n"), "line", ""),
            )
        ]
        levels += [Outside(Literal(separator), keep) for separator in DEFAULT if separator] if keep else []
        spans = self._packer(page, [*levels, *self._separators()]).pack()
        found: list[tuple[str, ...]] = []
        at = -1
        for start in spans.starts:
            while at + 1 < len(begins) and begins[at + 1] <= start:
                at += 1
            found.append(paths[at] if at >= 0 else ())
        self._add(page, spans, found, {})

    # -- both -----------------------------------------------------------------------------------

    def _separators(self) -> list[Level]:
        return [level(separator, position=self.strategy.separator_position) for separator in DEFAULT]

    def _packer(self, page: blocks.Page, levels: Sequence[Level]) -> Packer:
        return self.strategy.packer(page.guarded, levels, self.strategy.length.measure(page.text))

    def _add(self, page: blocks.Page, found: Spans, paths: Sequence[tuple[str, ...]], metadata: dict[str, Any]) -> None:
        text, source, before = page.text, self.source.text, 0
        cuts: Sequence[Cut | None] = found.cuts or [None] * len(paths)
        for start, end, path, cut in zip(found.starts, found.ends, paths, cuts, strict=True):
            spans = page.spans(start, end)
            if not spans:  # what a Markdown table writes between its rows
                continue
            content = text[start:end]
            first, last = spans[0][0], spans[-1][1]
            exact = len(spans) == 1 and source[first:last] == content
            self.result.append(
                Chunk(
                    content,
                    first,
                    last,
                    spans=None if exact else spans,
                    overlap=max(0, min(before, end) - start),
                    path=path,
                    metadata=metadata,
                    cut=cut,
                )
            )
            before = end


def _ties(page: blocks.Page, sections: Sequence[blocks.Section], begins: Sequence[int]) -> Iterable[Span]:
    """From each heading to the first character behind it."""
    for section, begin in zip(sections, begins, strict=True):
        if section.heading is not None:
            follows = page.position_of(section.heading.closes + 1)
            if follows < len(page.text):
                yield begin, follows + 1


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Html]
