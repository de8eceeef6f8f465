"""`csv`: whole rows of a table in a text, with its header in front of each further chunk."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from cantle import Chunk, Chunks, Cut, Sized, Source, option
from cantle.errors import OptionError
from cantle.lengths import Measure
from cantle.text import cut, is_blank, is_boundary

from .records import Layout, fields, layout

__all__ = ["Csv"]

_SHARE = 0.4
"""A header that takes more than this of the limit is not repeated."""

_ROW, _FIELD, _CHARACTERS = Cut("row", 0), Cut("field", 1), Cut("characters", 2)
_LINE_ENDS = "\r\n"


@dataclass(frozen=True, kw_only=True)
class Csv(Sized):
    """Cut CSV and TSV between rows, and put the header in front of each further chunk.

    A row with line breaks in quotation marks is one row. One that is too long is cut between its fields, and a field
    that is too long at its lines, between words, and then between characters. Content is a literal slice of the text.
    """

    name: ClassVar[str] = "csv"
    kind: ClassVar[str] = "csv"
    drops: ClassVar[tuple[str, ...]] = ()
    unused: ClassVar[tuple[str, ...]] = ("separator_position",)

    overlap: float | None = option(
        0,
        "How much of the end of a chunk is repeated at the start of the next, at most, in whole rows.",
        "length units",
        least=0,
    )
    strip_whitespace: bool = option(
        True,
        "Leave out blank lines around a chunk and its last line end. Other white space is that of cells and stays, "
        "except where a field is cut.",
    )
    delimiter: str | None = option(
        None,
        r"The character between fields; \t is a tab. None: the one of , ; | and tab that divides most rows alike.",
    )
    header: bool | None = option(
        None,
        "Whether the first row names the columns. None: it does when no value of it is a number, a date or an address, "
        "except for years in a row.",
    )
    quote: str | None = option(
        '"', "The character around fields that hold delimiters or line breaks. None: there is none."
    )
    max_rows: int | None = option(None, "So many rows make a chunk at most. None: as many as fit.", "rows", least=1)

    def __post_init__(self) -> None:
        for name in ("delimiter", "quote"):
            value = getattr(self, name)
            if name == "delimiter" and value == r"\t":
                value = "\t"
                object.__setattr__(self, name, value)
            if value is not None and not (isinstance(value, str) and len(value) == 1 and value not in _LINE_ENDS):
                example = r"',', ';' or '\t'" if name == "delimiter" else "'\"'"
                raise OptionError(
                    f"{name} must be one character that ends no line, such as {example}, or None, got {value!r}."
                )
        if self.quote is not None and self.quote == self.delimiter:
            raise OptionError(f"delimiter and quote must be two characters, got {self.quote!r} for both.")
        if self.header is not None and not isinstance(self.header, bool):
            raise OptionError(f"header must be True, False or None (guess), got {self.header!r}.")
        rows = self.max_rows
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 1):
            raise OptionError(f"max_rows must be a whole number of at least 1, or None, got {rows!r}.")
        super().__post_init__()

    @property
    def repeat(self) -> float:
        """The overlap in force: None is none."""
        return self.overlap or 0

    def split(self, source: Source) -> Chunks:
        """The chunks of `source`: literal slices of its text, the header as prefix of all but the first."""
        text = source.text
        if is_blank(text):
            return Chunks(source)
        found = layout(text, self.delimiter, self.header, self.quote)
        chunks = [_chunk(text, piece, self.explain) for piece in _Pieces(self, text, found).pieces()]
        return Chunks(source, chunks, dropped=())


class _Piece(NamedTuple):
    """A chunk to be. `first` and `last` are the numbers of its rows, from 1; 0 where it has none."""

    start: int
    end: int
    prefix: str
    first: int
    last: int
    overlap: int
    cut: Cut


def _chunk(text: str, piece: _Piece, explain: bool) -> Chunk:
    return Chunk(
        text[piece.start : piece.end],
        piece.start,
        piece.end,
        overlap=piece.overlap,
        prefix=piece.prefix,
        metadata={"rows": [piece.first, piece.last]} if piece.last else None,
        cut=piece.cut if explain else None,
    )


class _Pieces:
    """Fills chunks with the rows of one text. Rows are numbered by their records: `head` is the first one."""

    def __init__(self, options: Csv, text: str, found: Layout) -> None:
        self.text, self.options, self.found = text, options, found
        self.length, self.limit, self.most = options.length, options.limit, options.max_rows
        self.measure: Measure = self.length.measure(text)
        self.starts, self.ends = found.starts, found.ends
        if not options.strip_whitespace:
            self.starts = array("q", [0, *found.starts[1:]])
            self.ends = array("q", [*found.starts[1:], len(text)])
        header = text[found.header.start : found.header.next] if found.header else ""
        size = self.length(header)
        self.prefix = header if size <= _SHARE * self.limit and not is_blank(header) else ""
        self.room = self.limit - (size if self.prefix else 0)

    def pieces(self) -> Iterator[_Piece]:
        """The chunks, in order; those below the minimum joined."""
        least = self.options.least
        before: _Piece | None = None
        for piece in self._pieces():
            if before is not None and least and (joined := self._joined(before, piece, least)) is not None:
                before = joined
                continue
            if before is not None:
                yield before
            before = piece
        if before is not None:
            yield before

    def _joined(self, before: _Piece, piece: _Piece, least: float) -> _Piece | None:
        if min(self.measure.length(before.start, before.end), self.measure.length(piece.start, piece.end)) >= least:
            return None
        first = before.first or piece.first
        if self.most is not None and piece.last and piece.last - first >= self.most:
            return None
        if self.length(before.prefix + self.text[before.start : piece.end]) > self.limit:
            return None
        return _Piece(before.start, piece.end, before.prefix, first, piece.last, before.overlap, piece.cut)

    def _pieces(self) -> Iterator[_Piece]:
        head, count = self.found.head, len(self.starts)
        row = done = new = 0  # the chunk begins with `row`; up to `new` it repeats; the text up to `done` is in chunks
        while new < count:
            prefix = self.prefix if row >= head else ""
            last = self._last(row, new, prefix)
            if last < new and row < new:  # nothing new fits behind what is repeated
                fitting = bisect_left(self.starts, self.measure.fit_back(self.ends[new], self.room))
                row = min(max(row + 1, fitting), new)
                continue
            if last >= new:
                start, end = self.starts[row], self.ends[last]
                yield self._piece(start, end, prefix, row, last, max(0, done - start), _ROW)
                done, new = end, last + 1
                row = self._repeated(row, last) if self.options.repeat else new
                continue
            # A long head is cut as one, or its lines would be chunks.
            last = max(new, head - 1) if row < head else new
            for start, end, why in self._cut(self.starts[new], self.ends[last], prefix):
                if is_blank(self.text[start:end]):  # empty cells of a TSV file
                    continue
                fits = not prefix or self.length(prefix + self.text[start:end]) <= self.limit
                yield self._piece(start, end, prefix if fits else "", row, last, 0, why)
                done = end
            row = new = last + 1

    def _piece(self, start: int, end: int, prefix: str, row: int, last: int, overlap: int, why: Cut) -> _Piece:
        head = self.found.head
        return _Piece(
            start, end, prefix, max(1, row - head + 1) if last >= head else 0, max(0, last - head + 1), overlap, why
        )

    def _last(self, row: int, new: int, prefix: str) -> int:
        """The last row that fits into a chunk which begins with `row`; less than `new` when none does."""
        start = self.starts[row]
        most = self.measure.fit(start, self.room if prefix else self.limit)
        last = bisect_right(self.ends, most + (0 if self.measure.exact else 1)) - 1
        if self.most is not None:
            last = min(last, max(row, self.found.head) + self.most - 1)
        while last >= new and self.length(prefix + self.text[start : self.ends[last]]) > self.limit:
            last -= 1
        # A head is not parted, unless it does not fit by itself.
        return new - 1 if row < self.found.head and last < self.found.head - 1 else last

    def _repeated(self, row: int, last: int) -> int:
        """The row that the chunk behind `last` begins with: the first of those to repeat, or the next one."""
        overlap, end = self.options.repeat, self.ends[last]
        least = max(row + 1, self.found.head)
        if self.most is not None:
            least = max(least, last + 2 - self.most)
        first = max(least, bisect_left(self.starts, self.measure.fit_back(end, overlap)))
        while first <= last and self.length(self.text[self.starts[first] : end]) > overlap:
            first += 1
        return min(first, last + 1)

    def _cut(self, start: int, end: int, prefix: str) -> Iterator[tuple[int, int, Cut]]:
        """The pieces of a record that is too long: whole fields as far as they fit, and parts of those that do not."""
        text, measure, room = self.text, self.measure, self.room if prefix else self.limit
        delimiter, quote = self.found.delimiter, self.options.quote
        inner = [at + 1 for _, at in fields(text, start, end, delimiter, quote) if at + 1 < end]
        stops = [*(at for at in inner if is_boundary(text, at)), end]
        i = 0
        while i < len(stops):
            last = bisect_right(stops, measure.fit(start, room)) - 1
            while last >= i and measure.length(start, stops[last]) > room:
                last -= 1
            if last >= i:
                yield start, stops[last], _ROW if stops[last] == end else _FIELD
            else:
                last = i
                parts = cut(text, measure, room, start=start, end=stops[i], separators=("\n\n", "\n", " "))
                for a, b in parts:
                    yield a, b, _CHARACTERS if b < parts[-1][1] else _ROW if stops[i] == end else _FIELD
            start, i = stops[last], last + 1
