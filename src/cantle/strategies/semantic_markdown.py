"""`semantic-markdown`: sections of Markdown, small ones joined to those before them, by tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..blocks.lines import view
from ..chunk import Cut
from ..chunks import Chunks
from ..encoded import Encoded
from ..graphemes import trim
from ..hookspecs import hookimpl
from ..lengths import Measure, TokenLength
from ..markdown import Layout
from ..packing import Spans
from ..places import Paths
from ..source import Source
from ..strategy import MAX_SIZE, Strategy, option
from ..whitespace import STRIP, is_blank

__all__ = ["SemanticMarkdown"]

_HEADING = re.compile(rf"^(#{{1,6}})[ \t]+([^{re.escape(STRIP)}][^\n]{{0,1024}})(?:\n|\Z)", re.MULTILINE)
_CLOSING = re.compile(r"(?:(?<=[ \t])|^)#+[ \t]*$")


@dataclass(slots=True)
class _Section:
    start: int
    end: int
    depth: int
    size: int
    mark: str
    """How its heading is written between two contents, in the form that sizes are counted in."""


@dataclass(frozen=True, kw_only=True)
class SemanticMarkdown(Encoded):
    """Every section of Markdown, with its heading; small ones are joined to the section before.

    From the deepest level up, a section is joined to the one before it, when that is of the same or a higher level and
    both together stay below `join_threshold` tokens. Headings are lines that begin with one to six `#`, outside of
    fenced code. `max_size` is no limit unless it is given; a section above it is cut as by `markdown`.
    """

    name: ClassVar[str] = "semantic-markdown"
    kind: ClassVar[str] = "markdown"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("separator_position",)

    max_size: float | tuple[float, float] | None = option(None, MAX_SIZE + " None: no limit.", "length units", above=0)
    join_threshold: float = option(
        500, "Sections are joined as long as the result has fewer tokens.", "tokens", above=0
    )

    def __post_init__(self) -> None:
        checks.number("join_threshold", self.join_threshold, above=0)
        super().__post_init__()

    def _unused_now(self) -> dict[str, str]:
        found = super()._unused_now()
        if self.max_size is None:
            found |= dict.fromkeys(self._given(("overlap", "length_function")), "without max_size")
        return found

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices. Raises `DocumentError` for a disallowed special token."""
        text, length = source.text, self.tokens
        length.special.check(text)
        tokens = length.measure(text)
        layout = Layout(text)
        headings = list(_headings(layout))
        sections = self._joined(list(_sections(text, headings, tokens)), length)
        spans = self._spans(text, sections, layout)
        counts = [{"token_count": int(tokens.length(*span))} for span in zip(spans.starts, spans.ends, strict=True)]
        return Chunks.from_spans(
            source, spans.starts, spans.ends, cuts=spans.cuts, paths=_paths(headings), metadata=counts
        )

    def _joined(self, sections: list[_Section], length: TokenLength) -> list[_Section]:
        """One pass a depth, the deepest first."""
        for depth in sorted({section.depth for section in sections if section.depth}, reverse=True):
            kept: list[_Section] = []
            for section in sections:
                last = kept[-1] if kept else None
                if last is not None and section.depth == depth and last.depth <= depth:
                    size = last.size + section.size + length(section.mark)
                    if size < self.join_threshold:
                        last.size, last.end = size, section.end
                        continue
                kept.append(section)
            sections = kept
        return sections

    def _spans(self, text: str, sections: list[_Section], layout: Layout) -> Spans:
        spans = Spans(text, self.strip_whitespace, self.explain)
        if self.max_size is None:
            for section in sections:
                last = section.end >= len(text)
                spans.add(section.start, section.end, Cut("end" if last else "heading", 0) if self.explain else None)
            return spans
        measure = self.length.measure(text)
        packer = self.packer(text, layout.levels(measure, self.limit), measure)
        for section in sections:
            packer.add_or_cut(section.start, section.end, Cut("heading", 0))
        if self.least:
            packer.spans.join_small(packer.measure, self.least, self.limit)
        return packer.spans


def _headings(layout: Layout) -> Iterator[re.Match[str]]:
    """Lines that begin with one to six `#`, blanks and a title, but not in code or front matter."""
    closed = [block for block in layout.blocks if block.kind in ("fence", "front-matter")]
    i = 0
    for match in _HEADING.finditer(view(layout.text)):
        while i < len(closed) and closed[i].end <= match.start():
            i += 1
        if i == len(closed) or match.start() < closed[i].start:
            yield match


def _sections(text: str, headings: list[re.Match[str]], tokens: Measure) -> Iterator[_Section]:
    """The sections, each with its tokens; the text before the first heading is one unless it is blank."""
    first = headings[0].start() if headings else len(text)
    if not is_blank(text[:first]):
        yield _Section(0, first, 0, _size(tokens, *trim(text, 0, first)), "")
    for i, heading in enumerate(headings):
        end = headings[i + 1].start() if i + 1 < len(headings) else len(text)
        depth = len(heading[1])
        mark = f"\n\n{heading[1]} {text[slice(*heading.span(2))]}\n"
        yield _Section(heading.start(), end, depth, _size(tokens, *trim(text, heading.end(), end)), mark)


def _size(tokens: Measure, start: int, end: int) -> int:
    return int(tokens.length(start, end)) if start < end else 0


def _paths(headings: list[re.Match[str]]) -> Paths:
    return Paths(((m.start(), len(m[1])) for m in headings), lambda i: _CLOSING.sub("", headings[i][2].strip()).strip())


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [SemanticMarkdown]
