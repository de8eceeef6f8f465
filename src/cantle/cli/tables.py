"""How commands print lists: for people in two columns, for programs as JSON."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable
from typing import Any

import click

from ..written import to_json, without_surrogates

__all__ = ["as_json", "counted", "definitions", "printable"]


def counted(number: int, thing: str) -> str:
    """The number with the thing: `1 chunk`, `2 chunks`."""
    return f"{number} {thing}{'' if number == 1 else 's'}"


def as_json(value: Any) -> None:
    """Write a value as indented JSON."""
    click.echo(to_json(value, indent=2))


# On a terminal a document's control characters would be commands.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """The text with what would command the terminal as U+FFFD, and with lone surrogates as `?`."""
    return without_surrogates(_CONTROLS.sub("\ufffd", text))


def definitions(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write terms with their explanations under a title, wrapped at the width of the terminal."""
    formatter = click.HelpFormatter(max_width=min(shutil.get_terminal_size((100, 24)).columns, 120))
    with formatter.section(title):
        formatter.write_dl([(printable(a), printable(b)) for a, b in rows] or [("(none)", "")])
    click.echo(formatter.getvalue().rstrip("\n"))
