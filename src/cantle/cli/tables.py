"""How commands print lists: for people in two columns, for programs as JSON."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from typing import Any

import click

__all__ = ["as_json", "definitions"]


def as_json(value: Any) -> None:
    """Write a value as indented JSON."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def definitions(title: str, rows: Iterable[tuple[str, str]]) -> None:
    """Write terms with their explanations under a title, wrapped at the width of the terminal."""
    formatter = click.HelpFormatter(max_width=min(shutil.get_terminal_size((100, 24)).columns, 120))
    with formatter.section(title):
        formatter.write_dl(list(rows) or [("(none)", "")])
    click.echo(formatter.getvalue().rstrip("\n"))
