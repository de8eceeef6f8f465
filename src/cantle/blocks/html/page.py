"""The text of a page as it is shown, and where in the source each piece of it stands."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...chunk import Span
from ...graphemes import is_boundary
from ...whitespace import is_blank
from .references import Reference, references
from .texts import Texts
from .tokens import SPACE

__all__ = ["Page", "Piece", "units_of"]

_GAPS = re.compile(r"[\t\n\f\r ]{2,}")
_FLAGS = re.compile("[\U0001f1e6-\U0001f1ff]{2,}")
_MARK = "\u0301"
PIPE = "\\|"
"""A pipe in a cell of a Markdown table."""


@dataclass
class Piece:
    """How a text was rewritten where that is not letter for letter: at `shown[i]` stands what begins at `source[i]`."""

    shown: list[int]
    source: list[int]

    def at(self, offset: int) -> int:
        """The place in the source of a place in the piece."""
        i = bisect_right(self.shown, offset) - 1
        return self.source[i] + offset - self.shown[i]


def units_of(text: str, pipes: bool) -> list[Reference]:
    """What of a text is replaced: its references, and the pipes in the cells of a Markdown table."""
    found = references(text) if "&" in text else []
    if pipes and "|" in text:
        found += [Reference(m.start(), m.end(), PIPE) for m in re.finditer(r"\|", text)]
        found.sort()
    return found


@dataclass
class Page:
    """The shown text: pieces of the source with joints between them. Lists have an entry for each piece.

    Piece `i` is `text[starts[i]:ends[i]]`; it comes from the source at `base[i]`, and the span that names it
    is `span_starts[i]:span_ends[i]`. `numbers[i]` is the number of the text it is. `joints[i]` stands before
    piece `i`. `before` and `after` are what a table row writes
    around its first and last cell. `rewritten` are the pieces that do not stand letter for letter.
    `literal` says for each piece whether its white space is kept, `in_table` whether it is in a table
    that is written in Markdown, where pipes are masked.
    """

    texts: Texts
    text: str
    numbers: list[int]
    starts: list[int]
    ends: list[int]
    base: list[int]
    span_starts: list[int]
    span_ends: list[int]
    joints: list[str]
    before: dict[int, int]
    after: dict[int, int]
    rewritten: frozenset[int]
    literal: Any
    in_table: Any
    _pieces: dict[int, Piece] = field(default_factory=dict)

    def region(self, first: int, last: int) -> tuple[int, int] | None:
        """The stretch of the shown text that holds the texts `first` to `last`; None when none is shown."""
        i, j = bisect_left(self.numbers, first), bisect_right(self.numbers, last) - 1
        if i > j:
            return None
        return self.starts[i] - self.before.get(i, 0), self.ends[j] + self.after.get(j, 0)

    def spans(self, start: int, end: int) -> tuple[Span, ...]:
        """The stretches of the source that `text[start:end]` comes from."""
        i, j = bisect_right(self.ends, start), bisect_left(self.starts, end) - 1
        if i > j:
            return ()
        starts, ends = self.span_starts[i : j + 1], self.span_ends[i : j + 1]
        if start > self.starts[i]:
            starts[0] = self._source(i, start)
        if end < self.ends[j]:
            ends[-1] = self._source(j, end)
            if ends[-1] == starts[-1]:  # nothing but what masks a pipe
                starts, ends = starts[:-1], ends[:-1]
        return tuple(zip(starts, ends, strict=True))

    def borders(self, joint: str) -> list[int]:
        """Where pieces begin that stand behind a line break or, with a blank line as `joint`, behind that."""
        return [
            self.starts[i] - self.before.get(i, 0)
            for i, made in enumerate(self.joints[:-1])
            if made and made != " " and joint in made
        ]

    def position_of(self, number: int) -> int:
        """Where in the shown text a text stands, or the next one that is shown."""
        i = bisect_left(self.numbers, number)
        return self.starts[i] - self.before.get(i, 0) if i < len(self.starts) else len(self.text)

    def _source(self, i: int, position: int) -> int:
        offset = position - self.starts[i]
        if i not in self.rewritten:
            return self.base[i] + offset
        if i not in self._pieces:
            self._pieces[i] = self._piece(i)
        return self.base[i] + self._pieces[i].at(offset)

    def _written(self, i: int) -> str:
        number = self.numbers[i]
        end = self.texts.tokens.text_at[number] + len(self.texts.tokens.texts[number])
        return self.texts.tokens.source[self.base[i] : int(end)]

    def _units(self, i: int) -> list[Reference]:
        """What of a piece is replaced, runs of white space included."""
        text = self._written(i)
        units = units_of(text, bool(self.in_table[i]))
        if not self.literal[i]:
            units = [Reference(s, e, " " if value.strip(SPACE) == "" else value) for s, e, value in units]
            units += [Reference(m.start(), m.end(), " ") for m in _GAPS.finditer(text)]
            units.sort()
        return units

    def _piece(self, i: int) -> Piece:
        shown, source = [0], [0]
        at = made = 0
        blank = not self.literal[i]  # white space at the start is left out, as is more of it after some
        for start, end, value in self._units(i):
            if start > at:
                blank = self._written_blank(i, start - 1)
            made += start - at
            size = len(value)
            if value == " " and not self.literal[i]:
                size, blank = int(not blank), True
            else:
                blank = False
            if value == PIPE and self.in_table[i]:  # the pipe itself stands behind what masks it
                shown.append(made + 1)
                source.append(start)
            made += size
            at = end
            if size != end - start:
                shown.append(made)
                source.append(end)
        return Piece(shown, source)

    def _written_blank(self, i: int, offset: int) -> bool:
        return not self.literal[i] and self.texts.tokens.source[self.base[i] + offset] in SPACE

    # -- grapheme clusters ------------------------------------------------------------------------

    @cached_property
    def guarded(self) -> str:
        """The shown text for one who looks for places to cut: as long, and with marks where none may be.

        No cut may fall where the source has a grapheme cluster although the shown text has none: a mark
        behind a reference to a control character, flags that pair otherwise. There a combining mark takes
        the place of the character.
        """
        guards = sorted({*self._guards_at_references(), *self._guards_in_flags()})
        if not guards:
            return self.text
        pieces, at = [], 0
        for position in guards:
            before = self.text[position - 1]
            if position - 1 > at and is_boundary(before + _MARK, 1):
                pieces += [self.text[at : position - 1], "x"]
            else:
                pieces.append(self.text[at:position])
            pieces.append(_MARK)
            at = position + 1
        return "".join([*pieces, self.text[at:]])

    def _guards_at_references(self) -> list[int]:
        source = self.texts.tokens.source
        found: list[int] = []
        if source.isascii():
            return found
        for i in self.rewritten:
            written = self._written(i)
            if "&" not in written:
                continue
            piece = self._pieces.setdefault(i, self._piece(i))
            for start, end, value in references(written):
                last = self.starts[i] + _shown_at(piece, end)
                for at, position in ((start, last - len(value)), (end, last)):
                    if not is_boundary(source, self.base[i] + at):
                        found.append(position)
        return [p for p in found if 0 < p < len(self.text) and is_boundary(self.text, p)]

    def _guards_in_flags(self) -> list[int]:
        """Flags are pairs of letters, counted from the first; in the source a tag begins the count anew."""
        found: list[int] = []
        if self.texts.tokens.source.isascii():
            return found
        for run in _FLAGS.finditer(self.text):
            i = bisect_right(self.ends, run.start())
            while i < len(self.starts) and self.starts[i] < run.end():
                first = max(self.starts[i], run.start())
                if (first - run.start()) % 2 and i not in self.rewritten:
                    found += range(first + 1, min(self.ends[i], run.end()), 2)
                i += 1
        return found

    # -- what is in no chunk ----------------------------------------------------------------------

    def dropped(self, covered: list[Span], left_out: Any) -> list[tuple[int, int, str]]:
        """What lies outside the `covered` stretches, with the reason. `left_out` are the texts kept in metadata."""
        import numpy

        tokens = self.texts.tokens
        count = self.texts.count
        borders = numpy.empty(2 * count, numpy.int64)
        borders[::2], borders[1::2] = tokens.text_at, tokens.tag_at
        reasons = numpy.zeros(2 * count, numpy.int8)
        reasons[::2] = numpy.where(self.texts.shown, numpy.where(left_out, _IN_METADATA, _MARKUP), _HIDDEN)
        reasons[::2][self.texts.blank] = _BLANK
        reasons[1:-1:2] = numpy.where(self.texts.hidden_tags, _HIDDEN, _MARKUP)
        reasons[1:-1:2][tokens.comments] = _COMMENT
        spans = numpy.array(covered, numpy.int64).reshape(-1, 2)
        spans = spans[numpy.argsort(spans[:, 0], kind="stable")]
        # Between the end so far and the next start there is a gap.
        ends = numpy.maximum.accumulate(spans[:, 1])
        gap_starts = numpy.concatenate(([0], ends))
        gap_ends = numpy.concatenate((spans[:, 0], [len(tokens.source)]))
        real = gap_starts < gap_ends
        gap_starts, gap_ends = gap_starts[real], gap_ends[real]
        points = numpy.sort(numpy.concatenate((borders, gap_starts, gap_ends)), kind="stable")
        points = points[numpy.concatenate(([True], points[1:] > points[:-1]))]
        at = numpy.searchsorted(borders, points[:-1], "right") - 1
        reason = reasons[at]
        gap = numpy.searchsorted(gap_starts, points[:-1], "right") - 1
        inside = (gap >= 0) & (points[:-1] < gap_ends[gap]) if len(gap_ends) else numpy.zeros(len(gap), bool)
        return _merged(tokens.source, points, numpy.where(inside, reason, _COVERED))


_COVERED, _BLANK, _MARKUP, _COMMENT, _HIDDEN, _IN_METADATA = range(6)
_REASONS = ("", "", "markup", "comment", "hidden", "heading-in-metadata")


def _merged(source: str, points: Any, reasons: Any) -> list[tuple[int, int, str]]:
    """Neighbouring stretches of one reason as one; blank ones between them do not part them."""
    import numpy

    starts, ends = points[:-1], points[1:]
    solid = numpy.flatnonzero(reasons != _BLANK)
    reasons, starts, ends = reasons[solid], starts[solid], ends[solid]
    if not len(reasons):
        return []
    first = numpy.concatenate(([True], reasons[1:] != reasons[:-1]))
    last = numpy.concatenate((first[1:], [True]))
    found = zip(starts[first].tolist(), ends[last].tolist(), reasons[first].tolist(), strict=True)
    return [
        (start, end, _REASONS[reason])
        for start, end, reason in found
        if reason != _COVERED and not (reason == _MARKUP and source[start] not in "<" and is_blank(source[start:end]))
    ]


def _shown_at(piece: Piece, offset: int) -> int:
    """The place in the piece of a place in its source."""
    i = bisect_right(piece.source, offset) - 1
    return piece.shown[i] + offset - piece.source[i]
