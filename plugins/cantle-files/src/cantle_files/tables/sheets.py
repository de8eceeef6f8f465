"""The sheets of a spreadsheet as Markdown: each with its name as a heading, on a page of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cantle import MDocument
from cantle.errors import CantleWarning, DocumentError
from cantle.warn import warn

from ..limits import Limits, too_large
from ..markup.writing import Writer, clean
from .grid import MOST_CELLS, Grid

__all__ = ["HiddenCellsWarning", "Sheets"]

_NAMED = 5
"""So many hidden things are named in the warning."""


class HiddenCellsWarning(CantleWarning):
    """Sheets, rows or columns of a spreadsheet are hidden, and nothing of them is in the document."""


class Sheets:
    """Writes the sheets of the file `name`, one after another."""

    def __init__(self, name: str, limits: Limits) -> None:
        self._name, self._limits = name, limits
        self._writer = Writer(name, limits)
        self._cells = self._characters = self._shown = 0
        self._hidden: list[str] = []

    def grid(self, title: str) -> Grid:
        """An empty sheet, to be filled and then written."""
        return Grid(title, self._count)

    def expect(self, cells: int) -> None:
        """Refuse more cells than are allowed before they are filled in. Raises `DocumentError`."""
        if self._cells + cells > MOST_CELLS:
            raise DocumentError(
                f"{self._name} has more than {MOST_CELLS:,} cells. Save its sheets as CSV, which is read at more than "
                "that, or divide it."
            )

    def hide(self, title: str) -> None:
        """Leave a sheet out, because it is hidden."""
        self._hidden.append(f"the sheet {title!r}")

    def write(self, grid: Grid) -> None:
        """Write a sheet."""
        if self._shown:
            self._writer.page()
        self._shown += 1
        begun = False
        for block in grid.blocks(self._check):
            if not begun:
                self._writer.heading(2, clean(grid.title))
                begun = True
            self._write(block)
        counts = [
            f"{count:,} {what}{'s' if count > 1 else ''}"
            for count, what in zip(grid.hidden(), ("row", "column"), strict=True)
            if count
        ]
        if counts:
            self._hidden.append(f"{' and '.join(counts)} of {grid.title!r}")

    def document(self, metadata: Mapping[str, Any]) -> MDocument:
        """The document. Raises `DocumentError` where no sheet holds anything, and warns of what is hidden."""
        pages = {"page_count": self._writer.pages} if self._writer.pages > 1 else {}
        document = self._writer.document({**metadata, "sheet_count": self._shown, **pages})
        if not document.text.strip():
            hidden = " or hidden" if self._hidden else ""
            raise DocumentError(f"{self._name} has no text: all of its cells are empty{hidden}.")
        if self._hidden:
            more = f" and {len(self._hidden) - _NAMED} more" if len(self._hidden) > _NAMED else ""
            warn(
                f"{self._name} has hidden cells, and nothing of them is in the document: "
                f"{', '.join(self._hidden[:_NAMED])}{more}. Show them in the file if they matter.",
                HiddenCellsWarning,
            )
        return document

    def _write(self, block: list[list[str]]) -> None:
        # What stands alone above a table is its title, and a column of texts no table.
        while block and block[0][0] and not any(block[0][1:]):
            self._writer.paragraph(block.pop(0)[0])
        self._writer.table(block)

    def _count(self, characters: int) -> None:
        self.expect(1)
        self._cells += 1
        self._characters += characters
        if self._characters > self._limits.max_characters:
            raise too_large(self._name, "characters", None, self._limits.max_characters, "max_characters")

    def _check(self, rows: int, columns: int) -> None:
        """Refuse a table that is huge and nearly empty before it is made."""
        if rows * columns * 3 > self._limits.max_characters:
            raise DocumentError(
                f"{self._name} has a table of {rows:,} rows and {columns:,} columns, more than the limit of "
                f"{self._limits.max_characters:,} characters has room for. Divide it, or allow more: "
                "cantle_files.read_file(path, limits=Limits(max_characters=...))."
            )
