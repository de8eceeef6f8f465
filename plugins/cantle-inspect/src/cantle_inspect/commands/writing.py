"""How results are written: in which format, and tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import click

from cantle.commands import opened

from .tables import chosen_format

__all__ = ["csv_text", "format_of", "write"]

_SUFFIXES = {".txt": "table", ".json": "json", ".jsonl": "jsonl", ".csv": "csv"}


def format_of(wanted: str | None, out: str | None, formats: Sequence[str]) -> str:
    """The format asked for; else that of the suffix of the output; else that for a terminal or a pipe.

    A suffix that says nothing of a format is a usage error.
    """
    suffix = "" if out in (None, "-") else Path(str(out)).suffix.lower()
    if wanted or not suffix:
        return chosen_format(wanted, *formats)
    known = {name: format for name, format in _SUFFIXES.items() if format in formats}
    if suffix not in known:
        raise click.UsageError(
            f"-o {out}: the suffix {suffix} says nothing of the format. Known: {', '.join(known)}. "
            f"Or give -f {'|'.join(formats)}."
        )
    return known[suffix]


def write(format: str, out: str | None, show: Callable[[], object], rendered: Callable[[str], str]) -> None:
    """Write a result to a file or standard output: `show` writes the table there, `rendered` gives all formats."""
    if format == "table" and out in (None, "-"):
        show()
        return
    with opened(out) as output:
        output.stream.write(rendered(format).encode("utf-8", "replace"))
        output.commit()


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """A table as CSV, lines ended by a line feed; what is missing and None are empty.

    A row with a carriage return in it is put into quotes: `csv` leaves it bare when lines end otherwise, and readers
    would end the row there.
    """
    text = io.StringIO()
    plain, quoted = (csv.writer(text, lineterminator="\n", quoting=how) for how in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
    plain.writerow(columns)
    for row in rows:
        cells = ["" if (value := row.get(column)) is None else value for column in columns]
        (quoted if any("\r" in str(cell) for cell in cells) else plain).writerow(cells)
    return text.getvalue()
