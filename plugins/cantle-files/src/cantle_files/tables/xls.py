"""XLS: Excel's files of the years before 2007, by the package xlrd. Its only door."""

from __future__ import annotations

import io
from typing import Any

from cantle import MDocument
from cantle.errors import DocumentError

from ..containers import ole
from ..limits import Limits, too_large
from ..markup.writing import link
from .number_format import shown
from .sheets import Sheets

__all__ = ["read"]

_MOST_ROWS = 1 << 16
_STEP = "Open it with Excel or LibreOffice and save it as XLSX."


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that an XLS file holds, as Markdown.

    Raises `DocumentError`; warns with a `HiddenCellsWarning` where something is left out because it is hidden.
    """
    import xlrd

    sheets = Sheets(name, limits)
    # xlrd would read the container too, but not end where its chain of blocks is a circle.
    held = ole.stream(data, "Workbook", "Book") if data.startswith(ole.MAGIC) else data
    if held is None:
        raise DocumentError(f"{name} is a damaged XLS file. {_STEP}")
    try:
        with xlrd.open_workbook(
            file_contents=held, logfile=io.StringIO(), formatting_info=True, on_demand=True, ragged_rows=True
        ) as book:
            if book.nsheets > limits.max_pages:
                raise too_large(name, "sheets", book.nsheets, limits.max_pages, "max_pages")
            for number in range(book.nsheets):
                _read(book, number, sheets)
    except DocumentError:
        raise
    except Exception as error:  # xlrd raises whatever comes up in a damaged file
        if "encrypted" in str(error).lower():
            raise DocumentError(f"{name} is encrypted. Save it without a password.") from None
        why = str(error).strip().rstrip(".") or type(error).__name__
        raise DocumentError(
            f"{name} is an XLS file that cannot be read ({why:.200}): it is damaged, or no XLS file. {_STEP}"
        ) from None
    return sheets.document({})


def _read(book: Any, number: int, sheets: Sheets) -> None:
    title = book.sheet_names()[number]
    sheet = book.sheet_by_index(number)
    if sheet.visibility:
        sheets.hide(title)
        book.unload_sheet(number)
        return
    grid = sheets.grid(title)
    formats = [_format(book, style) for style in book.xf_list]
    for row in range(min(sheet.nrows, _MOST_ROWS)):
        for column in range(sheet.row_len(row)):
            grid.add(row, column, _value(sheet, row, column, formats, bool(book.datemode)))
    for top, bottom, left, right in sheet.merged_cells:
        grid.merge(top, left, bottom - 1, right - 1)
    for row, info in sheet.rowinfo_map.items():
        if info.hidden:
            grid.hide_rows(row, row)
    for column, info in sheet.colinfo_map.items():
        if info.hidden:
            grid.hide_columns(column, column)
    for (row, column), found in sheet.hyperlink_map.items():
        text = grid.text(row, column)
        if text and found.type == "url" and isinstance(found.url_or_path, str):
            grid.add(row, column, link(text, found.url_or_path))
    sheets.write(grid)
    book.unload_sheet(number)


def _format(book: Any, style: Any) -> str:
    found = book.format_map.get(style.format_key)
    return str(found.format_str) if found is not None else ""


def _value(sheet: Any, row: int, column: int, formats: list[str], from_1904: bool) -> str:
    from xlrd.biffh import (
        XL_CELL_BOOLEAN,
        XL_CELL_DATE,
        XL_CELL_ERROR,
        XL_CELL_NUMBER,
        XL_CELL_TEXT,
        error_text_from_code,
    )

    kind, value = sheet.cell_type(row, column), sheet.cell_value(row, column)
    if kind == XL_CELL_TEXT:
        return str(value)
    if kind in (XL_CELL_NUMBER, XL_CELL_DATE):
        style = sheet.cell_xf_index(row, column)
        return shown(value, formats[style] if 0 <= style < len(formats) else "", from_1904=from_1904)
    if kind == XL_CELL_BOOLEAN:
        return "TRUE" if value else "FALSE"
    return str(error_text_from_code.get(value, "#ERROR")) if kind == XL_CELL_ERROR else ""
