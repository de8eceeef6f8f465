"""The figures of a comparison as rows of text, for all that shows them as a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ..measures.cuts import KINDS
from ..measures.sizes import number

if TYPE_CHECKING:
    from .comparison import Compared, Comparison

__all__ = ["COLUMNS", "Column", "cells"]

NONE = "–"
"""Stands where there is no figure."""


class Column(NamedTuple):
    """A figure of each strategy: its name, a shorter one, and its words."""

    name: str
    short: str
    shown: Callable[[Compared], str]


def _through(kind: str) -> Callable[[Compared], str]:
    def shown(row: Compared) -> str:
        return f"{row.through(kind):,} ({row.share(kind):.0%})" if kind in row.measured else NONE

    return shown


_PLURALS = {"sentence": "sentences", "table": "tables", "code": "code"}

COLUMNS = (
    Column("chunks", "chunks", lambda row: f"{row.total:,}"),
    Column("smallest", "min", lambda row: number(row.sizes.least)),
    Column("median", "median", lambda row: number(row.sizes.median)),
    Column("mean", "mean", lambda row: number(row.sizes.mean)),
    Column("largest", "max", lambda row: number(row.sizes.most)),
    Column("of the limit used", "used", lambda row: NONE if row.sizes.used is None else f"{row.sizes.used:.0%}"),
    Column("repeated (overlap)", "overlap", lambda row: f"{row.overlap:.1%}"),
    Column("dropped characters", "dropped", lambda row: f"{row.losses.characters:,}"),
    *(Column(f"cuts in {_PLURALS[kind]}", _PLURALS[kind], _through(kind)) for kind in KINDS),
)
"""What is said of each strategy; the last, one for each of `KINDS`, count cuts."""


def cells(comparison: Comparison, row: Compared) -> list[str]:
    """A strategy with what sets it apart, and its figures, one for each of `COLUMNS`."""
    return [comparison.title(row), *(NONE if row.error else column.shown(row) for column in COLUMNS)]
