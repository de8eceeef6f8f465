"""Make the spreadsheet of this directory: python docs/files/examples/make_tables.py (XlsxWriter)."""

from datetime import datetime
from pathlib import Path

import xlsxwriter

HERE = Path(__file__).parent
THEN = datetime(2024, 5, 1)

book = xlsxwriter.Workbook(str(HERE / "dues.xlsx"))
book.set_properties({"title": "Harbour dues", "author": "Harbour office", "created": THEN})
money, share, day = (book.add_format({"num_format": code}) for code in ('#,##0.00 "€"', "0%", "yyyy-mm-dd"))

dues = book.add_worksheet("Dues")
dues.merge_range("A1:D1", "Dues of 2024", None)
dues.write_row("A3", ["Ships", "Due", "At night", "Since"])
for row, (ships, due, night, since) in enumerate(
    [("up to 80 m", 120, 0.5, datetime(2023, 1, 1)), ("more than 80 m", 1200, 0.25, datetime(2024, 1, 1))], 3
):
    dues.write(row, 0, ships)
    dues.write(row, 1, due, money)
    dues.write(row, 2, night, share)
    dues.write(row, 3, since, day)
dues.write("A7", "Nobody pays twice on one day.")

berths = book.add_worksheet("Berths")
berths.write_row("A1", ["Quay", "Berth", "Depth"])
depths = [9.5, 8, 8, 7.5, 11.25, 11.25, 10, 6]
for first, last, quay in ((1, 4, "North"), (5, 8, "South")):
    berths.merge_range(first, 0, last, 0, quay)
for row, depth in enumerate(depths, 1):
    berths.write_row(row, 1, [row, depth])

book.close()
