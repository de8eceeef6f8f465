"""What the engine needs to know of a document, whatever its format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from ..chunk import Cut, Span
from ..lengths import Measure, within
from ..packing import Frame, Level
from .references import Definition

__all__ = ["Block", "Heading", "Outline", "Piece", "fitting"]


class Heading(NamedTuple):
    """A heading, `[start, end)`, and its level, 1 for the outermost."""

    start: int
    end: int
    level: int


class Block(NamedTuple):
    """A stretch that is not cut while it fits. `kind` is what it is: code, table, list, quote, ..."""

    kind: str
    start: int
    end: int


class Piece(NamedTuple):
    """A chunk by its positions: `text[start:end]`, the overlap included, between the frame's `lead` and `tail`.

    `own` is where its own text begins, after the overlap. `follows` says that it goes on where the one before ended.
    """

    start: int
    end: int
    own: int
    follows: bool
    cut: Cut | None = None
    lead: Span | None = None
    tail: Span | None = None

    @property
    def spans(self) -> tuple[Span, ...]:
        """The stretches that the chunk is made of, a line end between each two."""
        return tuple(span for span in (self.lead, (self.start, self.end), self.tail) if span is not None)


class Outline(Protocol):
    """The headings and blocks of a text. All positions are code points of `text`, ends exclusive."""

    text: str
    """The text that is looked at for places to cut."""
    shown: str
    """What the chunks are cut out of; mostly the same, always as long."""

    @property
    def headings(self) -> Sequence[Heading]:
        """The headings, in order. One of level 0 without a title is a border and no heading."""
        ...

    @property
    def blocks(self) -> Sequence[Block]:
        """Top-level blocks but paragraphs, ascending and disjoint."""
        ...

    @property
    def definitions(self) -> Sequence[Definition] | None:
        """Link and footnote definitions; None where the format has none."""
        ...

    def title(self, number: int) -> str:
        """The title of the heading with this number, on one line."""
        ...

    def line(self, number: int) -> str:
        """The heading as it is written in front of a chunk: `## Title`."""
        ...

    def whole(self, start: int, end: int, measure: Measure, limit: float) -> list[Span]:
        """The stretches of a region that fit and so are not cut, ascending and disjoint."""
        ...

    def frames(self, start: int, end: int, measure: Measure, limit: float) -> Iterable[Frame]:
        """The tables and code blocks of a region that are longer than the limit, in order."""
        ...

    def levels(self, start: int, end: int, keep: Sequence[Span]) -> list[Level]:
        """Where to cut a region below its headings, strongest first, and not in what is to be kept."""
        ...


def fitting(spans: Iterable[Span], measure: Measure, limit: float) -> list[Span]:
    """Those of some stretches that are within the limit."""
    return [(a, b) for a, b in spans if within(measure, a, b, limit)]
