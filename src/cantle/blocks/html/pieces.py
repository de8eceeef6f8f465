"""The pieces that a page's shown text is made of: trimmed, decoded, white space collapsed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ...graphemes import is_boundary
from .references import decode
from .texts import Texts
from .tokens import SPACE

__all__ = ["Pieces"]

_BLANK_LINES = re.compile(r"(?:[ \t\f]*(?:\r\n|\n|\r))+")
_RARE = re.compile("[\t\f\r]")


class Pieces:
    """The texts of some numbers on their way to pieces; arrays and lists have an entry for each.

    `lead` and `trail` say whether white space was trimmed off, `literal` whether it is kept as it stands,
    `replaced` whether references were decoded. `base` to `ends` is the place in the source, `span_starts`
    to `span_ends` what a span must name.
    """

    def __init__(self, texts: Texts, numbers: Any, literal: Any, in_table: Any) -> None:
        import numpy

        count = len(numbers)
        self.texts, self.numbers = texts, numbers
        self.literal = literal[numbers]
        self.in_table = in_table[numbers]
        self.replaced = numpy.zeros(count, bool)
        whole, starts = texts.tokens.texts, texts.tokens.text_at[numbers]
        self.cores = list(map(texts.cores.__getitem__, numbers.tolist()))
        sizes, full = texts.sizes[numbers], texts.tokens.tag_at[numbers] - starts
        lead = numpy.zeros(count, numpy.int64)
        trimmed = numpy.flatnonzero(full > sizes)
        some = list(map(whole.__getitem__, numbers[trimmed].tolist()))
        lead[trimmed] = [len(text) - len(text.lstrip(SPACE)) for text in some]
        literals = numpy.flatnonzero(self.literal)
        for i, number in zip(literals.tolist(), numbers[literals].tolist(), strict=True):
            self.cores[i] = whole[number]
        sizes[self.literal], lead[self.literal] = full[self.literal], 0
        self.base = starts + lead
        self.ends = self.base + sizes
        self.lead, self.trail = lead > 0, lead + sizes < full

    def trim_kept(self, ranges: Sequence[tuple[int, int]]) -> None:
        """Leave out blank lines at the start of preformatted text, and white space at its end."""
        for first in self.literal_at([opens + 1 for opens, _ in ranges]):
            blank = _BLANK_LINES.match(self.cores[first])
            self.shorten(first, blank.end() if blank else 0, 0)
        for last in self.literal_at([closes for _, closes in ranges]):
            core = self.cores[last]
            self.shorten(last, 0, len(core) - len(core.rstrip(SPACE)))

    def literal_at(self, numbers: Sequence[int]) -> list[int]:
        """Where texts of these numbers are; those that are not here or not literal are left out."""
        import numpy

        if not numbers:
            return []
        at = numpy.searchsorted(self.numbers, numbers)
        at = at[at < len(self.numbers)]
        found = at[self.literal[at] & numpy.isin(self.numbers[at], numbers)]
        return found.tolist()  # type: ignore[no-any-return]

    def shorten(self, i: int, front: int, back: int) -> None:
        """Cut characters off a piece that stands as in the source."""
        core = self.cores[i]
        self.cores[i] = core[front : len(core) - back]
        self.base[i] += front
        self.ends[i] -= back if front < len(core) else 0

    def decode(self) -> None:
        """Put in what references stand for, and mask the pipes in a Markdown table's cells."""
        import numpy

        busy = numpy.zeros(self.texts.count, bool)
        busy[self.texts.busy] = True
        for i in numpy.flatnonzero(busy[self.numbers] | self.in_table).tolist():
            core = self.cores[i]
            decoded = decode(core.replace("|", "\\|") if self.in_table[i] else core)
            if decoded == core:
                continue
            self.replaced[i] = True
            if not self.literal[i]:
                trimmed = decoded.lstrip(SPACE)
                self.lead[i] |= trimmed != decoded
                decoded = trimmed.rstrip(SPACE)
                self.trail[i] |= trimmed != decoded
            self.cores[i] = decoded

    def keep(self, chosen: Any) -> None:
        """Go on with some of them."""
        self.numbers, self.literal, self.in_table = self.numbers[chosen], self.literal[chosen], self.in_table[chosen]
        self.replaced, self.base, self.ends = self.replaced[chosen], self.base[chosen], self.ends[chosen]
        self.lead, self.trail = self.lead[chosen], self.trail[chosen]
        self.cores = list(map(self.cores.__getitem__, chosen.tolist()))
        self.span_starts, self.span_ends = self.base.copy(), self.ends.copy()

    def collapse(self) -> None:
        """Make one blank of every run of white space, but for literal pieces."""
        import numpy

        cores = self.cores
        # Tabs and their like are rare; a reference may stand for one.
        rare = self.replaced | any(char in self.texts.tokens.source for char in "\t\f\r")
        some = numpy.flatnonzero(~self.literal)
        for i, is_rare in zip(some.tolist(), rare[some].tolist(), strict=True):
            core = cores[i]
            if "\n" in core or "  " in core or (is_rare and _RARE.search(core)):
                core = _RARE.sub(" ", core) if is_rare else core
                core = core.replace("\n", " ")
                while "  " in core:
                    core = core.replace("  ", " ")
                cores[i] = core

    def widen(self) -> None:
        """See to it that no span begins or ends inside a grapheme cluster of the source.

        A mark joins to white space or to the bracket of a tag before it as it does to a letter. White
        space stays with it; a tag goes into the span, and `references.of_span` leaves it out again.
        """
        source, tokens = self.texts.tokens.source, self.texts.tokens
        edges = [i for i, core in enumerate(self.cores) if core and (core[0] >= "\u0300" or core[-1] >= "\u0300")]
        for i in edges:
            start, end, number = int(self.base[i]), int(self.ends[i]), int(self.numbers[i])
            if not is_boundary(source, start):
                if source[start - 1] in SPACE:
                    self.cores[i] = " " + self.cores[i]
                    self.base[i] -= 1
                    self.span_starts[i] = self.base[i]
                    self.lead[i] = False
                elif number:
                    self.span_starts[i] = tokens.tag_at[number - 1]
            if end < len(source) and not is_boundary(source, end):
                if source[end] in SPACE:
                    self.cores[i] += " "
                    self.ends[i] += 1
                    self.span_ends[i] = self.ends[i]
                    self.trail[i] = False
                elif number < len(tokens):
                    self.span_ends[i] = tokens.text_at[number + 1]
