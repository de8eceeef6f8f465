"""A result as a table of plain text."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

from .cleaning import clean
from .figures import ranges, state, unlabelled

if TYPE_CHECKING:
    from .result import PartitionResult

__all__ = ["as_text"]

_WIDTH, _LEAST = 80, 20
"""The width where there is no terminal, and what a label has of it at least."""


def as_text(result: PartitionResult, *, ends_with_state: bool = True) -> str:
    """The blocks, a line for each: number, sentences, characters, label; and a line about them all.

    Labels are cut to the width of the terminal, or to 80 characters where standard output is none.
    """
    rows = [("block", "sentences", "characters", "label")]
    for number, block in enumerate(result.blocks):
        label = f"({unlabelled(block)})" if block.label is None else block.label
        rows.append((str(number), ranges(block.lines), f"{block.start}:{block.end}", label))
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    most = max(_LEAST, _width() - sum(widths) - 6)
    said = ["  ".join([*map(str.ljust, row[:3], widths), clean(row[3], most)]) for row in rows]
    return "\n".join([*said, state(result)] if ends_with_state else said)


def _width() -> int:
    # Without a terminal the variable COLUMNS of whoever started us has no say: the output is the same everywhere.
    return shutil.get_terminal_size((_WIDTH, 24)).columns if sys.stdout is not None and sys.stdout.isatty() else _WIDTH
