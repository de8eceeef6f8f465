"""`latex`: cut at sections, then paragraphs; environments and formulas stay whole while they fit."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ..blocks import latex as blocks
from ..chunks import Chunks
from ..hookspecs import hookimpl
from ..latex import Layout
from ..packing import Spans, level
from ..separators import LANGUAGES
from ..source import Source
from ..strategy import Sized, Strategy

__all__ = ["Latex"]


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
    kind: ClassVar[str] = "latex"
    drops: ClassVar[tuple[str, ...]] = ()

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text."""
        text = source.text
        measure = self.length.measure(text)
        if self.separator_position is not None:
            levels = [level(p, regex=True, position=self.separator_position) for p in LANGUAGES["latex"]]
            spans = self.packer(text, levels, measure).pack()
            return Chunks.from_spans(source, spans.starts, spans.ends, cuts=spans.cuts)
        layout = Layout(text)
        spans = self.packer(text, layout.levels(measure, self.limit), measure).pack()
        warnings = _warnings(spans, layout.document) if layout.document.broken else None
        return Chunks.from_spans(
            source, spans.starts, spans.ends, cuts=spans.cuts, paths=layout.paths(), metadata=warnings
        )


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


@hookimpl
def register_strategies() -> Iterable[type[Strategy]]:
    """Our strategy."""
    return [Latex]
