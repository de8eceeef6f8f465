"""ODS: OpenDocument spreadsheets, what the cells of their sheets show. Such a file holds that as text."""

from __future__ import annotations

from typing import NamedTuple

from cantle import MDocument

from ..containers.archive import opened, read_entry
from ..containers.opc import attribute, child, find_all, whole
from ..containers.xml import Element, each, tag
from ..limits import Limits
from ..office.odf import Package, Styles, inline
from .grid import LAST_COLUMN, Grid
from .sheets import Sheets

__all__ = ["read"]

_PART = "content.xml"
_TAGS = ("style", "table", "table-column", "table-row", "table-cell", "covered-table-cell")
_LAST_ROW = 1_048_576
_PLAIN = Styles()


class _Cell(NamedTuple):
    column: int
    repeated: int
    text: str
    rows: int
    columns: int


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that an ODS file holds, as Markdown.

    Raises `DocumentError`; warns with a `HiddenCellsWarning` where something is left out because it is hidden.
    """
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        reader = _Reader(Sheets(name, limits))
        for event, one in each(read_entry(archive, _PART), _PART, name, ("start", "end"), _TAGS):
            reader.take(event, tag(one), one)
        return reader.sheets.document(package.properties())


class _Reader:
    """Takes the elements of a file, one after another."""

    def __init__(self, sheets: Sheets) -> None:
        self.sheets = sheets
        self._hidden: set[str] = set()
        self._grid: Grid | None = None
        self._depth = 0
        self._row = self._column = 0
        self._cells: list[_Cell] = []

    def take(self, event: str, what: str, one: Element) -> None:
        """An element that begins or ends."""
        if what == "style":
            if event == "end" and attribute(child(one, "table-properties"), "display") == "false":
                self._hidden.add(attribute(one, "name") or "")
        elif what == "table":
            self._depth += 1 if event == "start" else -1
            if self._depth == 1 and event == "start":
                self._begin(one)
            elif self._depth == 0 and self._grid is not None:
                self.sheets.write(self._grid)
                self._grid = None
        elif self._grid is not None and self._depth == 1:  # a table in a cell is none of the sheet's
            if what == "table-column":
                if event == "start":
                    self._columns(one)
            elif what == "table-row":
                if event == "start":
                    self._column, self._cells = 0, []
                else:
                    self._end_row(one, self._grid)
            elif event == "end":
                self._cell(one)

    def _begin(self, table: Element) -> None:
        title = attribute(table, "name") or "Sheet"
        if attribute(table, "style-name") in self._hidden:
            self.sheets.hide(title)
            return
        self._grid = self.sheets.grid(title)
        self._row = self._column = 0

    def _columns(self, one: Element) -> None:
        count = _times(one, "number-columns-repeated")
        if attribute(one, "visibility") == "collapse" and self._grid is not None and self._column <= LAST_COLUMN:
            self._grid.hide_columns(self._column, self._column + count - 1)
        self._column += count

    def _cell(self, one: Element) -> None:
        count = _times(one, "number-columns-repeated")
        text = _text(one) if tag(one) == "table-cell" else ""
        if text:
            rows, columns = _times(one, "number-rows-spanned"), _times(one, "number-columns-spanned")
            self._cells.append(_Cell(self._column, min(count, LAST_COLUMN + 1), text, rows, columns))
        self._column = min(self._column + count, LAST_COLUMN + 1)

    def _end_row(self, one: Element, grid: Grid) -> None:
        count = _times(one, "number-rows-repeated")
        if attribute(one, "visibility") == "collapse" and self._cells:
            grid.hide_rows(self._row, self._row + count - 1)
        self.sheets.expect(count * sum(cell.repeated for cell in self._cells))
        for cell in self._cells:
            for row in range(self._row, min(self._row + count, _LAST_ROW)):
                for column in range(cell.column, cell.column + cell.repeated):
                    grid.add(row, column, cell.text)
            if cell.rows > 1 or cell.columns > 1:
                grid.merge(self._row, cell.column, self._row + cell.rows - 1, cell.column + cell.columns - 1)
        self._row = min(self._row + count, _LAST_ROW)


def _times(one: Element, name: str) -> int:
    return max(1, whole(attribute(one, name), 1, _LAST_ROW))


def _text(cell: Element) -> str:
    """What a cell shows, or its value where a program wrote no text for it."""
    lines = [inline(line, _PLAIN, lambda note: "", []) for line in find_all(cell, "p")]
    if lines:
        return "\n".join(lines)
    for name in ("string-value", "date-value", "time-value", "boolean-value", "value"):
        if (value := attribute(cell, name)) is not None:
            return value.upper() if name == "boolean-value" else value
    return ""
