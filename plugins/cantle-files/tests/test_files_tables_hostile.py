"""Spreadsheets that are odd, broken or made to harm a reader."""

from __future__ import annotations

import io
import random
import sys
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from table_files import book, of_rows, openpyxl, saved

from cantle.errors import DocumentError
from cantle_files import HiddenCellsWarning, Limits, read_file


def text_of(data: bytes) -> str:
    return read_file(data, name="a.xlsx").text


SPREADSHEET = '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'


def changed(data: bytes, **parts: Callable[[bytes], bytes]) -> bytes:
    """An archive in which some entries are others; `sheet1_xml` is any whose name ends in `sheet1.xml`."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            held = old.read(name)
            for end, change in parts.items():
                held = change(held) if name.endswith(end.replace("_", ".")) else held
            new.writestr(name, held)
    return file.getvalue()


def with_sheet(body: str) -> bytes:
    made = f"{SPREADSHEET}{body}</worksheet>".encode()
    return changed(of_rows([["a", "b"], [1, 2]]), sheet1_xml=lambda _: made)


def cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="str"><v>{text}</v></c>'


def letters(column: int) -> str:
    return str(openpyxl.utils.get_column_letter(column))


PAIR = f'<sheetData><row r="1">{cell("A1", "a")}{cell("B1", "b")}</row></sheetData>'
HARMLESS = {
    "a cell in the last corner": (
        f'<sheetData><row r="1">{cell("A1", "a")}</row><row r="1048576">{cell("XFD1048576", "z")}</row></sheetData>',
        "## S\n\na\n\nz\n",
    ),
    "the whole sheet is merged": (
        f'{PAIR}<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>',
        "## S\n\n| a | b |\n| --- | --- |\n",
    ),
    "odd numbers and places": (
        f'<sheetData><row r="x"><c r="ZZZZ1"><v>{"9" * 5000}</v></c><c><v>nan</v></c><c t="s"><v>99</v></c>'
        '<c s="77"><v>2</v></c><c t="b"><v>1</v></c></row></sheetData>',
        "## S\n\n| inf | nan | 2 | TRUE |\n| --- | --- | --- | --- |\n",
    ),
    "escaped characters": (
        f"<sheetData><row>{cell('A1', 'a_x000D__x000A_b_x0007_')}{cell('B1', 'c')}</row></sheetData>",
        "## S\n\n| a<br>b | c |\n| --- | --- |\n",
    ),
}


@pytest.mark.parametrize("name", HARMLESS)
def test_odd_sheets_are_read(name: str) -> None:
    body, expected = HARMLESS[name]
    assert text_of(with_sheet(body)) == expected


def test_many_merged_cells_take_no_long_time() -> None:
    body = f"{PAIR}<mergeCells>{'<mergeCell ref=' + chr(34) + 'A1:CV100' + chr(34) + '/>' * 1}</mergeCells>"
    many = body.replace('<mergeCell ref="A1:CV100"/>', '<mergeCell ref="A1:CV100"/>' * 100_000)
    assert text_of(with_sheet(many)).startswith("## S\n\n| a | b | a |")


@contextmanager
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenCellsWarning)
        yield


ODS_HEAD = (
    '<office:document-content xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
    ' xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"'
    ' xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:spreadsheet>'
    '<table:table table:name="S">'
)
ODS_TAIL = "</table:table></office:spreadsheet></office:body></office:document-content>"


def ods(body: str, *, manifest: str = "<manifest/>", head: str = "") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        made.writestr("META-INF/manifest.xml", manifest)
        made.writestr("content.xml", head + ODS_HEAD + body + ODS_TAIL)
    return file.getvalue()


def diagonal() -> bytes:
    rows = (f'<row r="{i}">{cell(f"{letters(i)}{i}", "d")}</row>' for i in range(1, 6500))
    return with_sheet(f"<sheetData>{''.join(rows)}</sheetData>")


FULL = '<table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell>'
NESTED = "<table:table-cell><text:p>" * 300 + "</text:p></table:table-cell>" * 300

HOSTILE: dict[str, tuple[str, Callable[[], bytes], str]] = {
    "diagonal": ("a.xlsx", diagonal, "6,499 rows and 6,499 columns"),
    "empty": ("a.xlsx", lambda: of_rows([]), "all of its cells are empty"),
    "cut off": ("a.xlsx", lambda: saved(book())[:3000], "ZIP archive"),
    "no archive": ("a.xlsx", lambda: b"name,price\n1,2\n", "ZIP archive"),
    "not closed": ("a.xlsx", lambda: with_sheet("<sheetData><row><c></row></sheetData>"), "no XML"),
    "deep": ("a.xlsx", lambda: with_sheet("<c>" * 3000 + "</c>" * 3000), "too deeply"),
    "entities": (
        "a.xlsx",
        lambda: changed(
            of_rows([["a"]]), sheet1_xml=lambda d: b'<!DOCTYPE x [<!ENTITY a "b">]>' + d.replace(b"<?xml", b"<?y", 1)
        ),
        "document type",
    ),
    "workbook is missing": ("a.xlsx", lambda: changed(of_rows([["a"]]), workbook_xml=lambda _: b""), "no XML"),
    "unpacks to much more": (
        "a.xlsx",
        lambda: with_sheet("<sheetData>" + "<row/>" * 6_000_000 + "</sheetData>"),
        "300 times its size",
    ),
    "repeated": (
        "a.ods",
        lambda: ods(f'<table:table-row table:number-rows-repeated="1048576">{FULL}</table:table-row>'),
        "5,000,000 cells",
    ),
    "deep ODS": ("a.ods", lambda: ods(f"<table:table-row>{NESTED}</table:table-row>"), "too deeply"),
    "entities in ODS": ("a.ods", lambda: ods("", head='<!DOCTYPE x [<!ENTITY a "b">]>'), "document type"),
    "encrypted ODS": (
        "a.ods",
        lambda: ods("", manifest="<manifest><encryption-data/></manifest>"),
        "encrypted",
    ),
    "empty ODS": ("a.ods", lambda: ods(""), "all of its cells are empty"),
    "text as XLS": ("a.xls", lambda: b"name\tprice\n", "cannot be read"),
    "XLS cut off": ("a.xls", lambda: (Path(__file__).parent / "tables.xls").read_bytes()[:2000], "damaged"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name: str) -> None:
    file, make, message = HOSTILE[name]
    with quiet(), pytest.raises(DocumentError, match=message) as raised:
        read_file(make(), name=file)
    assert file in str(raised.value)


def test_a_long_text_in_many_cells_is_refused() -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    file = io.BytesIO()
    made = xlsxwriter.Workbook(file)
    made.add_worksheet().write(0, 0, "text")
    made.close()
    long = b"<t>" + b"x" * 9_000_000 + b"</t>"
    cells = '<c t="s"><v>0</v></c>' * 99
    data = changed(
        file.getvalue(),
        sharedStrings_xml=lambda held: held.replace(b"<t>text</t>", long),
        sheet1_xml=lambda _: f"{SPREADSHEET}<sheetData><row>{cells}</row></sheetData></worksheet>".encode(),
    )
    with pytest.raises(DocumentError, match="more than 100,000,000 characters"):
        read_file(data, name="a.xlsx")


@pytest.mark.filterwarnings("ignore::cantle_files.HiddenCellsWarning")
def test_limits_hold() -> None:
    data = saved(book())
    for limits, message in (
        (Limits(max_pages=1), "more than 1 pages"),
        (Limits(max_characters=50), "more than 50 characters"),
        (Limits(max_bytes=1000), "the limit is 1,000"),
        (Limits(max_entries=3), "more than 3 files"),
    ):
        with pytest.raises(DocumentError, match=message):
            read_file(data, name="a.xlsx", limits=limits)


@pytest.mark.filterwarnings("ignore::cantle_files.HiddenCellsWarning")
def test_damaged_old_files_end_in_a_text_or_in_our_error() -> None:
    data = (Path(__file__).parent / "tables.xls").read_bytes()
    chance = random.Random(3)
    refused = 0
    for _ in range(150):
        held = bytearray(data)
        for _ in range(chance.choice([1, 5, 50])):
            held[chance.randrange(len(held))] = chance.randrange(256)
        try:
            read_file(bytes(held), name="a.xls")
        except DocumentError:
            refused += 1
    assert refused > 10
