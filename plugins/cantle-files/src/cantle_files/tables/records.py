"""Where the records and fields of a CSV text are, what divides its fields, and whether it has a header. Nothing is cut.

Read as Python's `csv` reads it (RFC 4180, leniently): a quotation mark opens only at the beginning of a field, two of
them inside stand for one, and what follows the closing one belongs to the field. Lines end with LF, CR LF or CR.
A mark that is never closed is a character like any other, so that it does not swallow the rest of the file.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from cantle.text import is_blank

__all__ = ["DELIMITERS", "Layout", "Record", "delimiter_of", "fields", "layout", "records"]

DELIMITERS = ("\t", ";", "|", ",")
"""What is guessed among. Where two fit alike, the first one: commas are also in numbers and in sentences."""

_SAMPLE, _SAMPLE_RECORDS, _SAMPLE_FIELDS, _SAMPLE_VALUE = 1 << 16, 200, 1000, 200
"""How much is looked at to guess: characters, records, fields of a record, and characters of a field."""

_TITLE_LINES = 20
"""So many records before the header may be titles and comments."""

_LINE = re.compile("\r\n|[\r\n]")
_SEP = re.compile("sep=(.)(?=[\r\n])")
_NUMBER = re.compile(r"[(+\-\u2212]?\s*[$€£¥]?\s*[+\-\u2212]?\d[\d.,'\u00a0\u202f ]*(?:[eE][+\-]?\d+)?\s*[%$€£¥)]?")
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[T ]\d{1,2}:\d{2}\S*)?|\d{1,2}:\d{2}(?::\d{2}\S*)?")
_ADDRESS = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+|https?://\S+")
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d")


class Record(NamedTuple):
    """A record: where it begins, where it ends without its line end, and with it."""

    start: int
    end: int
    next: int


class Layout(NamedTuple):
    """How a text is laid out: its delimiter, and the bounds of its records that are not blank, without line ends.

    `head` of them stand before the rows. The last one of these is the header if there is one: `header` says where.
    """

    delimiter: str
    starts: Sequence[int]
    ends: Sequence[int]
    head: int
    header: Record | None


def layout(text: str, delimiter: str | None, header: bool | None, quote: str | None) -> Layout:
    """The layout of a text; what is None is guessed, but `quote`: then there are no quotation marks."""
    start = len(text) - len(text.lstrip("\ufeff")) if text.startswith("\ufeff") else 0
    said = _SEP.match(text, start)  # Excel's own line
    if delimiter is None:
        delimiter = said[1] if said and said[1] != quote else delimiter_of(text, start, quote)
    starts, ends = array("q"), array("q")
    sample: list[Record] = []
    for record in records(text, start, delimiter, quote):
        low, high, _ = record
        if low < high and ("!" <= text[low] <= "~" or not is_blank(text[low:high])):
            starts.append(low)
            ends.append(high)
            if len(sample) < _SAMPLE_RECORDS:
                sample.append(record)
    said_lines = int(said is not None)
    rows = [values(text, record, delimiter, quote) for record in sample[said_lines:]]
    before = _before(rows)
    if header is None:
        header = _is_header(rows[before:])
    before += said_lines
    if not header or before >= len(sample):
        return Layout(delimiter, starts, ends, min(before, len(sample)), None)
    return Layout(delimiter, starts, ends, before + 1, sample[before])


def records(text: str, start: int, delimiter: str, quote: str | None, end: int | None = None) -> Iterator[Record]:
    """The records of `text[start:end]`, blank lines too, in linear time."""
    end = len(text) if end is None else end
    at = start
    if quote is None or text.find(quote, start, end) < 0:
        for line in _LINE.finditer(text, start, end):
            yield Record(at, *line.span())
            at = line.end()
    else:
        opened = -1
        for token in re.compile(f"{re.escape(quote)}+|\r\n|[\r\n]").finditer(text, start, end):
            low, high = token.span()
            if text[low] != quote:
                if opened < 0:
                    yield Record(at, low, high)
                    at = high
            elif (high - low) % 2:
                if opened >= 0:
                    opened = -1
                elif low == at or text[low - 1] == delimiter:
                    opened = low
        if opened >= 0:  # never closed. All runs of marks behind it are even: none of them opens anything
            for line in _LINE.finditer(text, opened, end):
                yield Record(at, *line.span())
                at = line.end()
    if at < end:
        yield Record(at, end, end)


def fields(text: str, start: int, end: int, delimiter: str, quote: str | None) -> Iterator[tuple[int, int]]:
    """The fields of the record `text[start:end]`, as they are written."""
    at = start
    opened = -1
    marks = f"{re.escape(quote)}+|" if quote is not None else ""
    for token in re.compile(f"{marks}{re.escape(delimiter)}").finditer(text, start, end):
        low, high = token.span()
        if text[low] != quote:
            if opened < 0:
                yield at, low
                at = high
        elif (high - low) % 2:
            if opened >= 0:
                opened = -1
            elif low == at:
                opened = low
    if opened >= 0:
        for match in re.compile(re.escape(delimiter)).finditer(text, opened, end):
            yield at, match.start()
            at = match.end()
    yield at, end


def values(text: str, record: Record, delimiter: str, quote: str | None) -> list[str]:
    """What the first fields of a record say, without quotation marks and blanks around; of long ones the beginning."""
    found = []
    for a, b in islice(fields(text, record.start, record.end, delimiter, quote), _SAMPLE_FIELDS):
        value = text[a : min(b, a + _SAMPLE_VALUE)].strip()
        found.append(value.strip(quote).strip() if quote else value)
    return found


def delimiter_of(text: str, start: int, quote: str | None) -> str:
    """What divides the fields: what does so in the most records alike. A comma where nothing does."""
    end = min(len(text), start + _SAMPLE)
    best, share = ",", 0.0
    for delimiter in DELIMITERS:
        if text.find(delimiter, start, end) < 0:
            continue
        found = [
            record
            for record in islice(records(text, start, delimiter, quote, end), _SAMPLE_RECORDS)
            if not is_blank(text[record.start : record.end])
        ]
        if len(found) > 1 and found[-1].next == end < len(text):
            found.pop()  # it may go on
        counts = Counter(_count(text, record, delimiter, quote) for record in found)
        many = [(number, count) for count, number in counts.items() if count > 1]
        if many and max(many)[0] / len(found) > share:
            best, share = delimiter, max(many)[0] / len(found)
    return best


def _count(text: str, record: Record, delimiter: str, quote: str | None) -> int:
    return sum(1 for _ in islice(fields(text, record.start, record.end, delimiter, quote), _SAMPLE_FIELDS))


def _before(rows: list[list[str]]) -> int:
    """How many rows stand before the table: titles and comments."""
    counts = Counter(map(len, rows))
    if not counts:
        return 0
    usual, often = counts.most_common(1)[0]
    if usual == 1 or often * 2 <= len(rows):
        return 0
    first = next((i for i, row in enumerate(rows) if len(row) == usual and not row[0].startswith("#")), 0)
    if not 0 < first <= _TITLE_LINES or not all(len(row) == 1 or row[0].startswith("#") for row in rows[:first]):
        return 0
    # `#id,name` may be the header.
    return first - 1 if len(rows[first - 1]) == usual and not _is_header(rows[first:]) else first


def _is_header(rows: list[list[str]]) -> bool:
    """Whether the first row names columns: no value of it is one of data, such as a number or a date."""
    if len(rows) < 2 or not any(rows[0]):
        return False
    first, below = rows[0], rows[1:]
    if len(first) == 1:  # a list: a name over it shows only where all below it are of another sort
        return not _is_data(first[0]) and all(_is_data(row[0]) for row in below)
    if sum(not value for value in first) * 2 > len(first):
        return False
    data = [(i, value) for i, value in enumerate(first) if _is_data(value)]
    if not data:
        return True
    years = [value for _, value in data]
    if len(data) == len(first) or not all(_YEAR.fullmatch(year) for year in years):
        return False
    rises = years == sorted(set(years)) or years == sorted(set(years), reverse=True)
    return rises and not all(_YEAR.fullmatch(row[i]) for row in below for i, _ in data if i < len(row))


def _is_data(value: str) -> bool:
    return any(pattern.fullmatch(value) for pattern in (_NUMBER, _DATE, _ADDRESS))
