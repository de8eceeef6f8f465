"""Where LaTeX is cut, and how strongly; what of it is not cut while it fits."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

from .blocks import latex as blocks
from .blocks.latex_titles import title
from .blocks.sentences import Segmenter
from .chunk import Span
from .lengths import Measure, within
from .packing import Borders, Breaks, Clusters, Level, Literal, Outside, Pieces, Sentences, encloses, held
from .places import Paths

__all__ = ["Layout"]

_NEAR = 200
"""How far from an environment's ends what belongs to them is looked for."""
_SOLID, _LINE = re.compile(r"\S"), re.compile(rf"[^\r\n]{{0,{_NEAR}}}(?=[\r\n])")


class Layout:
    """The sections, environments and formulas of a document, and what follows from them for cutting it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.document = blocks.scan(text)
        self._blocks = sorted(self.document.blocks)
        self._mixed = "\r" in text

    def title(self, number: int) -> str:
        """The title of a section, as Unicode text."""
        return title(self.text[slice(*self.document.sections[number].title)])

    def paths(self) -> Paths | None:
        """The titles of the sections around a position; None when there is no section."""
        sections = self.document.sections
        return Paths(((s.start, s.rank) for s in sections), self.title) if sections else None

    def levels(self, measure: Measure, limit: float) -> list[Level]:
        """Where to cut, strongest first: the preamble, sections, then what `inner` says.

        A title goes with the beginning of what follows it.
        """
        document = self.document
        whole = fitting(document.groups, measure, limit)
        keep = held(whole, self._ties(whole), measure, limit)
        found: list[Level] = []
        if document.body:
            found.append(Borders([document.body], "preamble"))
        for name, rank in blocks.RANKS.items():
            starts = [s.start for s in document.sections if s.rank == rank and not encloses(keep, s.start)]
            if starts:
                found.append(Borders(starts, "section", name))
        return [*found, *self.inner(keep)]

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        """What of a stretch is not cut while it fits, ascending and disjoint."""
        groups = self.document.groups
        inside = groups[bisect_left(groups, (start, -1)) : bisect_left(groups, (end, -1))]
        return fitting([group for group in inside if group[1] <= end], measure, limit)

    def inner(
        self, keep: Sequence[Span], start: int = 0, end: int | None = None, segmenter: Segmenter | None = None
    ) -> list[Level]:
        """Where to cut in a section: at paragraphs, environments, items, sentences (if asked for), lines, words."""
        last = len(self._blocks) if end is None else bisect_left(self._blocks, (end, -1))
        inside = self._blocks[bisect_left(self._blocks, (start, -1)) : last]
        around = sorted({at for block in inside for at in block if not encloses(keep, at)})
        found: list[Level] = [self._paragraphs(keep)]
        if around:
            found += [Borders(around, "environment"), _Items(keep)]
        if segmenter is not None:
            found.append(_SentencesOutsideFormulas(segmenter, keep))
        found += [_OutsideFormulas("\n", keep), _OutsideFormulas(" ", keep)]
        lines: Level = Breaks(1) if self._mixed else Literal("\n")
        return [*found, self._paragraphs(()), lines, Literal(" "), Clusters()]

    def _paragraphs(self, keep: Sequence[Span]) -> Level:
        return Breaks(2, keep) if self._mixed else Outside(Literal("\n\n"), keep)

    def _ties(self, whole: Sequence[Span]) -> Iterable[Span]:
        """A title goes with what follows, an environment's `\\begin` too, its `\\end` with what is before."""
        text, document = self.text, self.document
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


def fitting(groups: Sequence[Span], measure: Measure, limit: float) -> list[Span]:
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
        fits[i] = fits[i] and within(measure, *groups[i], limit)
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

    def __init__(self, keep: Sequence[Span]) -> None:
        self.keep = keep

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when no item begins inside it."""
        found = [at for at in blocks.items(text, start, end) if not encloses(self.keep, at)]
        return Borders(found, self.kind).on(text, start, end, strip)


class _OutsideFormulas:
    """Cut at line ends or blanks, but not in formulas; they are looked up where the level is reached."""

    kind = "separator"

    def __init__(self, detail: str, keep: Sequence[Span]) -> None:
        self.detail, self.keep = detail, keep

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when nothing outside of formulas cuts it."""
        whole = _with_formulas(text, start, end, self.keep)
        if self.detail == "\n" and text.find("\r", start, end) >= 0:
            return Breaks(1, whole).on(text, start, end, strip)
        return Outside(Literal(self.detail), whole).on(text, start, end, strip)


class _SentencesOutsideFormulas:
    """Cut between sentences, but not in formulas."""

    kind, detail = "sentence", ""

    def __init__(self, segmenter: Segmenter, keep: Sequence[Span]) -> None:
        self.segmenter, self.keep = segmenter, keep

    def on(self, text: str, start: int, end: int, strip: bool) -> Pieces | None:
        """The pieces of a region, or None when no sentence ends outside of formulas inside it."""
        return Sentences(self.segmenter, _with_formulas(text, start, end, self.keep)).on(text, start, end, strip)


def _with_formulas(text: str, start: int, end: int, keep: Sequence[Span]) -> list[Span]:
    """The stretches to keep in a region and its formulas."""
    low = max(0, bisect_right(keep, (start, -1)) - 1)
    return _disjoint(sorted([*keep[low : bisect_right(keep, (end, -1))], *blocks.formulas(text, start, end)]))


def _disjoint(stretches: Iterable[Span]) -> list[Span]:
    result: list[Span] = []
    for start, end in stretches:
        if result and start < result[-1][1]:
            result[-1] = (result[-1][0], max(end, result[-1][1]))
        else:
            result.append((start, end))
    return result
