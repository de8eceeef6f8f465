"""Tables for people: the rows that a command would otherwise write as JSON or CSV."""

from __future__ import annotations

import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click

from cantle.commands import printable

__all__ = ["chosen_format", "format_option", "in_utf8", "show_table"]


def format_option(*formats: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add -f/--format with `formats`, the first of which is for people: the function gets `format_`."""
    return click.option(
        "-f",
        "--format",
        "format_",
        type=click.Choice(formats),
        help=f"The format of the output. Default: {formats[0]} on a terminal, else {formats[1]}.",
    )


def chosen_format(wanted: str | None, *formats: str) -> str:
    """The format asked for; else the first on a terminal and the second in a pipe."""
    return wanted or formats[0 if sys.stdout.isatty() else 1]


def show_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    *,
    title: str = "",
    right: str = "",
    spare: Sequence[str] = (),
) -> None:
    """Write a table as wide as the terminal. `right` names columns of numbers, with blanks between them.

    Where a table is too wide, its `spare` columns are left out, the last first, before words are broken. Cells may be
    `rich.text.Text`, made of what `printable` gives.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    in_utf8()
    width = None if sys.stdout.isatty() else _columns()
    console = Console(width=width, highlight=False)
    cells = [[cell if isinstance(cell, Text) else Text(printable(str(cell))) for cell in row] for row in rows]
    numbers, left = right.split(), list(spare)
    kept = list(columns)
    while True:
        table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
        for column in kept:
            is_number = column in numbers
            table.add_column(column, justify="right" if is_number else "left", overflow="fold", no_wrap=is_number)
        for row in cells:
            table.add_row(*(cell for column, cell in zip(columns, row, strict=True) if column in kept))
        natural = console.measure(table, options=console.options.update(max_width=10_000)).maximum
        if not left or natural <= console.width:
            break
        kept.remove(left.pop())
    console.print(table)


def in_utf8() -> None:
    """Write standard output in UTF-8 from here on, as all output of cantle is, whatever the locale says."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.encoding.lower() not in ("utf-8", "utf8"):
        sys.stdout.reconfigure(encoding="utf-8", errors="replace")


def _columns() -> int:
    """How wide a table is where there is no terminal: as COLUMNS says, where it says a width."""
    said = os.environ.get("COLUMNS", "").strip()
    return int(said) if re.fullmatch("[0-9]{1,6}", said) and int(said) > 0 else 100
