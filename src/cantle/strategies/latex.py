"""`latex`: cut at sections, then paragraphs; environments and formulas stay whole while they fit."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from ..blocks import latex as blocks
from ..blocks.latex_titles import title
from ..chunk import Span
from ..chunks import Chunks
from ..hookspecs import hookimpl
from ..lengths import Measure
from ..packing import Borders, Breaks, Clusters, Level, Literal, Outside, Pieces, Spans, encloses, held, level
from ..places import Paths
from ..separators import LANGUAGES
from ..source import Source
from ..strategy import Sized, Strategy

__all__ = ["Latex"]


_NEAR = 200
"""How far from an environment's ends what belongs to them is looked for."""
_SOLID, _LINE = re.compile(r"\S"), re.compile(rf"[^\r\n]{{0,{_NEAR}}}(?=[\r\n])")


@dataclass(frozen=True, kw_only=True)
class Latex(Sized):
    """Cut at parts, chapters, sections and so on, then at paragraphs, items, lines and words.

    An environment, a display or a formula within a line is not cut while it fits. The preamble is a piece of
    its own. `chunk.path` holds the titles of the sections around the chunk's start, as Unicode text. What does
    not fit together (an environment that is not closed) is cut as text; the chunk in which it begins says so in
    its metadata, as `latex_warning`.

    With `separator_position` the text is cut at the commands that `recursive` knows for `language="latex"`, which
    go where the option says; that is what Mastra does.
    """

    name: ClassVar[str] = "latex"
    drops: ClassVar[tuple[str, ...]] = ()

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text."""
        text = source.text
        measure = self.length.measure(text)
        if self.separator_position is None:
            document = blocks.scan(text)
            levels = _ladder(text, document, measure, self.limit)
        else:
            document = None
            levels = [level(p, regex=True, position=self.separator_position) for p in LANGUAGES["latex"]]
        spans = self.packer(text, levels, measure).pack()
        if document is None:
            return Chunks.from_spans(source, spans.starts, spans.ends, cuts=spans.cuts)
        warnings = _warnings(spans, document) if document.broken else None
        paths = _paths(text, document) if document.sections else None
        return Chunks.from_spans(source, spans.starts, spans.ends, cuts=spans.cuts, paths=paths, metadata=warnings)


def _paths(text: str, document: blocks.Latex) -> Paths:
    sections = document.sections
    return Paths(((s.start, s.rank) for s in sections), lambda i: title(text[slice(*sections[i].title)]))


def _warnings(spans: Spans, document: blocks.Latex) -> list[dict[str, str] | None]:
    """For each chunk the first thing that is broken in what it does not repeat."""
    found: list[dict[str, str] | None] = []
    positions = [position for position, _ in document.broken]
    before = 0
    for start, end in zip(spans.starts, spans.ends, strict=True):
        i = bisect_left(positions, max(start, before))
        broken = i < len(positions) and positions[i] < end
        found.append({"latex_warning": document.broken[i][1]} if broken else None)
        before = end
    return found


def _ladder(text: str, document: blocks.Latex, measure: Measure, limit: float) -> list[Level]:
    """Where to cut, strongest first."""
    whole = _whole(document.groups, measure, limit)
    keep = held(whole, _ties(text, document, whole), measure, limit)
    ladder: list[Level] = []
    if document.body:
        ladder.append(Borders([document.body], "preamble"))
    for name, rank in blocks.RANKS.items():
        found = [s.start for s in document.sections if s.rank == rank and not encloses(keep, s.start)]
        if found:
            ladder.append(Borders(found, "section", name))
    ladder.append(_paragraphs(text, keep))
    around = sorted({at for block in document.blocks for at in block if not encloses(keep, at)})
    if around:
        ladder += [Borders(around, "environment"), _Items(keep)]
    ladder += [_OutsideFormulas("\n", keep), _OutsideFormulas(" ", keep)]
    lines: Level = Breaks(1) if "\r" in text else Literal("\n")
    return [*ladder, _paragraphs(text, ()), lines, Literal(" "), Clusters()]


def _ties(text: str, document: blocks.Latex, whole: Sequence[Span]) -> Iterable[Span]:
    """A title goes with what follows, an environment's `\\begin` too, its `\\end` with what is before."""
    for section in document.sections:
        follows = _SOLID.search(text, section.end)
        if section.start and follows is not None:
            yield section.start, follows.end()
    opened = {start for start, _ in whole}
    for start, end in document.blocks:
        if start in opened or encloses(whole, start + 1):
            continue
        line = _LINE.match(text, start)
        follows = _SOLID.search(text, line.end()) if line is not None else None
        if follows is not None and follows.end() < end:
            yield start, follows.end()
        close = text.rfind("\\", start, end)
        low = max(start, close - _NEAR)
        before = low + len(text[low:close].rstrip())
        if before > low:
            yield before - 1, end


def _paragraphs(text: str, keep: Sequence[Span]) -> Level:
    return Breaks(2, keep) if "\r" in text else Outside(Literal("\n\n"), keep)


def _whole(groups: Sequence[Span], measure: Measure, limit: float) -> list[Span]:
    """The outermost groups that fit: ascending and disjoint.

    From the inside out: what holds one that is too long need not be measured.
    """
    parents: list[int] = []
    around: list[int] = []
    for i, (start, _) in enumerate(groups):
        while around and groups[around[-1]][1] <= start:
            around.pop()
        parents.append(around[-1] if around else -1)
        around.append(i)
    fits = [True] * (len(groups) + 1)  # the last one is the document's
    for i in range(len(groups) - 1, -1, -1):
        fits[i] = fits[i] and measure.length(*groups[i]) <= limit
        fits[parents[i]] = fits[parents[i]] and fits[i]
    keep: list[Span] = []
    done = 0
    for i, (start, end) in enumerate(groups):
        if start >= done and fits[i]:
            keep.append((start, end))
            done = end
    return keep


class _Items:
    """Cut before the items of lists that are not kept whole."""

    kind, detail = "item", "\\item"

    def __init__(self, keep: list[Span]) -> None:
        self.keep = keep

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when no item begins inside it."""
        found = [at for at in blocks.items(text, start, end) if not encloses(self.keep, at)]
        return Borders(found, self.kind).on(text, start, end, strip)


class _OutsideFormulas:
    """Cut at line ends or blanks, but not in formulas; they are looked up where the level is reached."""

    kind = "separator"

    def __init__(self, detail: str, keep: list[Span]) -> None:
        self.detail, self.keep = detail, keep

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when nothing outside of formulas cuts it."""
        low = max(0, bisect_right(self.keep, (start, -1)) - 1)
        stretches = [*self.keep[low : bisect_right(self.keep, (end, -1))], *blocks.formulas(text, start, end)]
        whole = _disjoint(sorted(stretches))
        if self.detail == "\n" and text.find("\r", start, end) >= 0:
            return Breaks(1, whole).on(text, start, end, strip)
        return Outside(Literal(self.detail), whole).on(text, start, end, strip)


def _disjoint(stretches: Iterable[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in stretches:
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Latex]
