"""Spreadsheets for tests, made by openpyxl."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest

openpyxl = pytest.importorskip("openpyxl")

__all__ = ["EXPECTED", "book", "of_rows", "saved"]

EXPECTED = """\
## Prices

Price list 2024

| Item | Price | Share | Since |
| --- | --- | --- | --- |
| [Bolt \\| big](https://example.org/bolt) | 1,234.50 € | 25% | 2024-01-31 |
| Nut<br>small | 2 | 50.0% | 2024-02-01 |
| Flag | TRUE |  | 2024-03-01 |

Notes

\f

## Second

| Region | City | Count |
| --- | --- | --- |
| North | Arden | 1 |
| North | Brook | 2 |

| Code | Name |
| --- | --- |
| a | Alpha |
"""


def book() -> Any:
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.title = "Prices"
    sheet["B2"] = "Price list 2024"
    sheet.merge_cells("B2:E2")
    rows = [
        ["Item", "Price", "Share", "Since"],
        ["Bolt | big", 1234.5, 0.25, dt.date(2024, 1, 31)],
        ["Nut\nsmall", 2, 0.5, dt.date(2024, 2, 1)],
        ["Flag", True, None, dt.date(2024, 3, 1)],
    ]
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            sheet.cell(3 + i, 2 + j, value)
    sheet["B4"].hyperlink = "https://example.org/bolt"
    sheet["C4"].number_format = '#,##0.00 "€"'
    sheet["D4"].number_format = "0%"
    sheet["D5"].number_format = "0.0%"
    sheet["B9"] = "Notes"
    sheet["B10"], sheet["C10"] = "hidden by hand", "x"
    sheet.row_dimensions[10].hidden = True
    secret = made.create_sheet("Secret")
    secret["A1"] = "hidden as a whole"
    secret.sheet_state = "hidden"
    second = made.create_sheet("Second")
    for line in [["Region", "City", "Count"], ["North", "Arden", 1], [None, "Brook", 2]]:
        second.append(line)
    second.merge_cells("A2:A3")
    second["F1"], second["G1"], second["F2"], second["G2"] = "Code", "Name", "a", "Alpha"
    made.properties.title = "Stock"
    made.properties.creator = "Ana"
    return made


def saved(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def of_rows(rows: list[list[Any]], name: str = "S") -> bytes:
    made = openpyxl.Workbook()
    made.active.title = name
    for row in rows:
        made.active.append(row)
    return saved(made)
