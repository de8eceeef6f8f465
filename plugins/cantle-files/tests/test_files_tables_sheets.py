"""Spreadsheets: XLSX by openpyxl, XlsxWriter and LibreOffice, ODS by odfpy and LibreOffice, XLS by LibreOffice."""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from table_files import EXPECTED, book, of_rows, openpyxl, saved

from cantle import MDocument
from cantle_files import HiddenCellsWarning, read_file
from cantle_files.tables.number_format import shown


def text_of(data: bytes, name: str = "a.xlsx", **options: Any) -> str:
    return read_file(data, name=name, **options).text


def test_sheets_are_sections_with_tables() -> None:
    with pytest.warns(HiddenCellsWarning, match=r"a\.xlsx has hidden cells.*1 row of 'Prices', the sheet 'Secret'"):
        document = read_file(saved(book()), name="a.xlsx")
    assert document.text == EXPECTED
    assert document.kind == "markdown"
    assert document.metadata == {"title": "Stock", "author": "Ana", "sheet_count": 2, "page_count": 2}


@pytest.mark.filterwarnings("ignore::cantle_files.HiddenCellsWarning")
def test_chunks_know_their_sheet_and_page(tmp_path: Path) -> None:
    path = tmp_path / "stock.xlsx"
    path.write_bytes(saved(book()))
    chunks = MDocument.from_file(path).chunk(max_size=200, overlap=0)
    assert [(chunk.path, chunk.metadata["page"]) for chunk in chunks][-1] == (("Second",), 2)
    assert chunks[0].path == ("Prices",)
    assert chunks[0].metadata["page"] == 1
    assert chunks[0].metadata["title"] == "Stock"


@pytest.mark.filterwarnings("ignore::cantle_files.HiddenCellsWarning")
def test_an_old_file_says_the_same() -> None:
    data = (Path(__file__).parent / "tables.xls").read_bytes()  # made of book() by LibreOffice
    document = read_file(data, name="tables.xls")
    assert document.text == EXPECTED
    assert document.metadata == {"sheet_count": 2, "page_count": 2}


@pytest.fixture(scope="module")
def converted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    office = shutil.which("soffice")
    if office is None:
        pytest.skip("LibreOffice (soffice) is not installed")
    folder = tmp_path_factory.mktemp("office")
    (folder / "a.xlsx").write_bytes(saved(book()))
    (folder / "b.csv").write_text('name,price,day\n"Ana, Maria",1.5,2024-01-31\n', encoding="utf-8")
    home = f"-env:UserInstallation={(folder / 'home').as_uri()}"
    for kind, names in (("ods", ["a.xlsx", "b.csv"]), ("xls", ["a.xlsx"]), ("xlsx", ["b.csv"])):
        files = [str(folder / name) for name in names]
        command = [office, home, "--headless", "--convert-to", kind, "--outdir", str(folder), *files]
        subprocess.run(command, check=True, capture_output=True, timeout=240)
    return folder


@pytest.mark.filterwarnings("ignore::cantle_files.HiddenCellsWarning")
@pytest.mark.parametrize("suffix", ["ods", "xls"])
def test_what_libreoffice_writes_says_the_same(converted: Path, suffix: str) -> None:
    document = read_file(converted / f"a.{suffix}")
    assert document.text == EXPECTED
    assert document.metadata["sheet_count"] == 2


@pytest.mark.parametrize("suffix", ["ods", "xlsx"])
def test_what_libreoffice_makes_of_csv(converted: Path, suffix: str) -> None:
    lines = read_file(converted / f"b.{suffix}").text.split("\n")
    assert lines[2:5] == ["| name | price | day |", "| --- | --- | --- |", "| Ana, Maria | 1.5 | 2024-01-31 |"]


def test_files_of_xlsxwriter() -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    file = io.BytesIO()
    made = xlsxwriter.Workbook(file)
    sheet = made.add_worksheet("Rich")
    bold, euro = made.add_format({"bold": True}), made.add_format({"num_format": "[$€-407]#,##0.00"})
    sheet.write_rich_string(0, 0, "one ", bold, "two", " three")
    sheet.write(0, 1, "head")
    sheet.write_number(1, 0, -5, euro)
    sheet.write_formula(1, 1, "=A2*2", None, -10)
    sheet.write_boolean(2, 0, False)
    sheet.write_formula(2, 1, "=1/0", None, "#DIV/0!")
    sheet.write(3, 0, "filtered away")
    sheet.write(3, 1, "kept")
    sheet.autofilter("A1:B4")
    sheet.filter_column(0, "x == -5")
    sheet.set_row(3, options={"hidden": True})
    made.add_chartsheet()
    made.close()
    assert text_of(file.getvalue()).split("\n")[2:] == [
        "| one two three | head |",
        "| --- | --- |",
        "| -€5.00 | -10 |",
        "| FALSE | #DIV/0! |",
        "| filtered away | kept |",
        "",
    ]


def test_files_of_odfpy() -> None:
    opendocument = pytest.importorskip("odf.opendocument")
    table, text = pytest.importorskip("odf.table"), pytest.importorskip("odf.text")
    made = opendocument.OpenDocumentSpreadsheet()
    sheet = table.Table(name="Odd")
    for line in [["a", "b"], [1.5, None], ["x", "y"]]:
        row = table.TableRow(numberrowsrepeated=2 if line[0] == "x" else 1)
        for value in line:
            if value is None:
                row.addElement(table.TableCell(numbercolumnsrepeated=3))
            elif isinstance(value, float):  # without the text that is shown
                row.addElement(table.TableCell(valuetype="float", value=value))
            else:
                cell = table.TableCell(valuetype="string")
                cell.addElement(text.P(text=value))
                row.addElement(cell)
        sheet.addElement(row)
    sheet.addElement(table.TableRow(numberrowsrepeated=1_000_000))
    made.spreadsheet.addElement(sheet)
    file = io.BytesIO()
    made.write(file)
    assert text_of(file.getvalue(), "a.ods") == (
        "## Odd\n\n| a | b |\n| --- | --- |\n| 1.5 |  |\n| x | y |\n| x | y |\n"
    )


def test_a_formula_that_nobody_worked_out_is_shown() -> None:
    assert "| 3 | =A2*2 |" in text_of(of_rows([["a", "b"], [3, "=A2*2"]]))


def test_tables_are_divided_by_empty_rows() -> None:
    data = of_rows([["First"], ["a", "b"], [1, 2], [], [], ["c", "d"], [3, None], ["total", 5], [], ["The end."]])
    assert text_of(data).split("\n\n")[1:] == [
        "First",
        "| a | b |\n| --- | --- |\n| 1 | 2 |",
        "| c | d |\n| --- | --- |\n| 3 |  |\n| total | 5 |",
        "The end.\n",
    ]


def test_a_column_that_is_empty_divides_only_what_are_tables() -> None:
    data = of_rows([["city", "area", None, "north", "south"], ["A", 1, None, 2, 3], ["B", 4, None, 5, 6]])
    assert "| A | 1 | 2 | 3 |" in text_of(data)


def test_hidden_columns_are_left_out() -> None:
    made = openpyxl.load_workbook(io.BytesIO(of_rows([["a", "b", "c"], [1, 2, 3]])))
    made.active.column_dimensions["B"].hidden = True
    with pytest.warns(HiddenCellsWarning, match="1 column of 'S'"):
        assert text_of(saved(made)) == "## S\n\n| a | c |\n| --- | --- |\n| 1 | 3 |\n"


def test_a_large_sheet_is_cut_with_its_header() -> None:
    data = of_rows([["id", "name"], *([i, f"Person {i}"] for i in range(5000))])
    document = read_file(data, name="a.xlsx")
    chunks = document.chunk("structural-context", max_size=500)
    assert all("## S\n\n| id | name |\n| --- | --- |\n" in chunk.text for chunk in chunks)
    assert max(len(chunk.text) for chunk in chunks) <= 500
    assert sum(chunk.content.count("| Person ") for chunk in chunks) == 5000
    repeated = document.chunk("markdown", max_size=500, repeat_table_header=True, overlap=0)
    assert repeated[0].content == "## S"
    assert all(chunk.content.startswith("| id | name |\n") for chunk in repeated[1:])


@pytest.mark.parametrize(
    ("value", "code", "expected"),
    [
        (0.256, "0%", "26%"),
        (0.2567, "0.00%", "25.67%"),
        (1234567.891, "#,##0.00", "1,234,567.89"),
        (-1234.5, "#,##0.00;[Red](#,##0.00)", "(1,234.50)"),
        (-0.001, "0.00", "0.00"),
        (2.5, "0", "3"),
        (7, "00000", "00007"),
        (1234.5, "[$€-407]#,##0.00", "€1,234.50"),
        (1500000, '0.0,,"M"', "1.5M"),
        (12345, "0.00E+00", "1.23E+04"),
        (0, '_(* #,##0_);_(* \\(#,##0\\);_(* "-"??_);_(@_)', "-"),
        (5, '[>3]"big";"small"', "big"),
        (0.5, "# ?/?", "0.5"),
        (0.1 + 0.2, "General", "0.3"),
        (123456789012.0, "", "123456789012"),
        (45292, "dd/mm/yyyy", "2024-01-01"),
        (45292.5, "m/d/yy h:mm", "2024-01-01 12:00"),
        (45292, "mmm-yy", "2024-01"),
        (0.75, "h:mm:ss AM/PM", "18:00:00"),
        (1.5, "[h]:mm", "36:00"),
        (1, "yyyy-mm-dd", "1900-01-01"),
        (-5, "yyyy-mm-dd", "-5"),
        (float("inf"), "0.00", "inf"),
        (1.5, '0"' * 200, "1.5"),
    ],
)
def test_numbers_are_shown_by_their_format(value: float, code: str, expected: str) -> None:
    assert shown(value, code) == expected


def test_days_may_count_from_1904() -> None:
    assert shown(0, "yyyy-mm-dd", from_1904=True) == "1904-01-01"
