"""The lines that partition numbers: sentences, headings, rows; each a stretch of the source."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Line"]


class Line(NamedTuple):
    """A stretch `[start, end)` of the source's text, in code points, without white space around it.

    `kind` is what it is part of: `sentence`, `heading`, `table`, `code`, ... (the kinds of `cantle.units`). `opens` says
    that it begins a paragraph, a heading, a table; `level` is a heading's level from 1, where the markup tells, else 0.
    """

    start: int
    end: int
    kind: str = "sentence"
    opens: bool = False
    level: int = 0
