"""A table as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cantle.html_view import escaped

__all__ = ["html_table"]


def html_table(columns: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """A table with `str()` of every cell, all of it escaped: nothing in a cell can act, and nothing is hidden.

    Numbers (`int` and `float`) stand at the right; None is an empty cell. A row needs a cell for each of `columns`.
    """
    head = "".join(f'<th scope="col">{escaped(name)}</th>' for name in columns)
    body = "".join(f"<tr>{''.join(_cell(cell) for _, cell in zip(columns, row, strict=True))}</tr>" for row in rows)
    said = f"<caption>{escaped(caption)}</caption>" if caption else ""
    return f"<table>{said}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return "<td></td>"
    number = isinstance(value, int | float) and not isinstance(value, bool)
    style = ' style="text-align:right"' if number else ""
    return f"<td{style}><bdi>{escaped(str(value))}</bdi></td>"
