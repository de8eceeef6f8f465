"""The cells of one sheet, and what of them stands together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ..markup.writing import clean

__all__ = ["LAST_COLUMN", "MOST_CELLS", "Grid"]

MOST_CELLS = 5_000_000
"""Cells that hold something, of all sheets; each takes some 150 bytes while the file is read."""

LAST_COLUMN = 16_383
"""The last column, from 0: XFD."""

_MOST_FILLED = 10_000
"""Cells that one merged cell is written into at most. A larger one keeps its text in the first."""

_MOST_FILLED_IN_ALL = 1_000_000

_NUMBER = re.compile(r"[^\w\s]?[+\-(]?[^\w\s]?\d[\d.,:/%\-]*\D?\)?")

Block = list[list[str]]


class Grid:
    """The cells of one sheet that hold text. Rows and columns count from 0.

    `count` is told the length of each text that is kept; it raises when there is too much.
    """

    def __init__(self, title: str, count: Callable[[int], None]) -> None:
        self.title = title
        self._count = count
        self._rows: dict[int, dict[int, str]] = {}
        self._merged: list[tuple[int, int, int, int]] = []
        self._hidden_rows: set[int] = set()
        self._hidden_columns: list[tuple[int, int]] = []

    def add(self, row: int, column: int, text: str) -> None:
        """A cell, in place of what stood there; nothing for one without text."""
        text = clean(text).strip()
        if text and 0 <= column <= LAST_COLUMN:
            self._count(len(text))
            self._rows.setdefault(row, {})[column] = text

    def text(self, row: int, column: int) -> str:
        """The text of a cell."""
        return self._rows.get(row, {}).get(column, "")

    def merge(self, top: int, left: int, bottom: int, right: int) -> None:
        """Cells that are shown as one: the text of the first is that of each."""
        self._merged.append((top, left, bottom, right))

    def hide_rows(self, first: int, last: int) -> None:
        """Leave rows out."""
        if last - first < MOST_CELLS:
            self._hidden_rows.update(range(first, last + 1))

    def show_rows(self, first: int, last: int) -> None:
        """Leave rows in after all: they were only filtered away."""
        self._hidden_rows = {row for row in self._hidden_rows if not first <= row <= last}

    def hide_columns(self, first: int, last: int) -> None:
        """Leave columns out."""
        self._hidden_columns.append((first, min(last, LAST_COLUMN)))

    def hidden(self) -> tuple[int, int]:
        """How many rows and columns that hold something are left out."""
        columns = self._hidden_set()
        used = {column for cells in self._rows.values() for column in cells if column in columns} if columns else ()
        return len(self._hidden_rows & self._rows.keys()), len(used)

    def blocks(self, check: Callable[[int, int], None]) -> Iterator[Block]:
        """What stands together, with empty rows around, or beside one another with an empty column between.

        The rows of a block have the same length, and no row or column of it is empty. `check` is told how many rows and
        columns it has before it is made.
        """
        self._fill()
        hidden = self._hidden_set()
        rows: list[dict[int, str]] = []
        before = -1
        for number in sorted(self._rows):
            if number in self._hidden_rows:
                continue
            cells = self._rows[number]
            if hidden:
                cells = {column: text for column, text in cells.items() if column not in hidden}
            if not cells:
                continue
            if rows and not self._follows(before, number):
                yield from _parts(rows, hidden, check)
                rows = []
            rows.append(cells)
            before = number
        if rows:
            yield from _parts(rows, hidden, check)

    def _follows(self, before: int, row: int) -> bool:
        """Whether only hidden rows are between two."""
        if row - before - 1 > len(self._hidden_rows):
            return False
        return all(number in self._hidden_rows for number in range(before + 1, row))

    def _hidden_set(self) -> set[int]:
        found: set[int] = set()
        end = 0
        for first, last in sorted(self._hidden_columns):
            found.update(range(max(first, end), last + 1))
            end = max(end, last + 1)
        return found

    def _fill(self) -> None:
        """Write merged cells into each of theirs. One that is alone in its row is a title, and stays as it is."""
        merged, self._merged = self._merged, []
        room = _MOST_FILLED_IN_ALL
        for top, left, bottom, right in merged:
            text = self.text(top, left)
            size = (bottom - top + 1) * (right - left + 1)
            if not text or not 1 < size <= _MOST_FILLED or (top == bottom and len(self._rows[top]) == 1):
                continue
            room -= size
            if room < 0:
                return
            for row in range(top, bottom + 1):
                if row not in self._rows and left == right:
                    continue  # nothing else is in the row
                for column in range(left, right + 1):
                    if not self.text(row, column):
                        self.add(row, column, text)


def _parts(rows: list[dict[int, str]], hidden: set[int], check: Callable[[int, int], None]) -> Iterator[Block]:
    used = sorted({column for cells in rows for column in cells})
    begins = [0]
    for i in range(1, len(used)):
        empty = used[i] - used[i - 1] - 1
        if empty and not all(column in hidden for column in range(used[i - 1] + 1, used[i])):
            begins.append(i)
    parts = [used[a:b] for a, b in zip(begins, [*begins[1:], len(used)], strict=True)]
    if len(parts) == 1 or not all(_is_table(rows, part) for part in parts):
        parts = [used]
    for part in parts:
        check(len(rows), len(part))
        block = [[cells.get(column, "") for column in part] for cells in rows]
        yield [line for line in block if any(line)]


def _is_table(rows: list[dict[int, str]], columns: list[int]) -> bool:
    """Whether columns are a table by themselves: with titles over all of them, and words in the first."""
    if len(columns) < 2 or not all(column in rows[0] for column in columns):
        return False
    first = [cells[columns[0]] for cells in rows[1:] if columns[0] in cells]
    return bool(first) and sum(1 for text in first if _NUMBER.fullmatch(text)) * 2 < len(first)
