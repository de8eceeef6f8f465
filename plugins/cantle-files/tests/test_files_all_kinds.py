"""A guide of three chapters in files of many kinds, by real writers: each sentence has its heading and page."""

from __future__ import annotations

import csv
import io
import shutil
import subprocess
from collections.abc import Callable
from email.message import EmailMessage
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cantle import MDocument

CHAPTERS = {
    "Arrival": [
        "Vessels report on channel twelve.",
        "The outer buoy shows a white light, at night too – também à noite.",
    ],
    "Berths": ["North berth takes ships of 120 metres.", "Fishing boats lie at the south quay: 南码头."],
    "Fees": ["The fee goes by gross tonnage.", "Payment is due before departure, in euros (€)."],
}
ROWS = {name: [[f"{name} {i}", f"{i * 7} m"] for i in range(1, 31)] for name in CHAPTERS}
HEADER = ["Place", "Depth"]


class Made(NamedTuple):
    """A file, and what holds for it: do its chapters begin pages of their own."""

    data: bytes
    paged: bool = False


def saved(save: Callable[[Any], Any]) -> bytes:
    file = io.BytesIO()
    save(file)
    return file.getvalue()


# -- texts ----------------------------------------------------------------------------------


def pdf_by_reportlab() -> Made:
    styles = pytest.importorskip("reportlab.lib.styles").getSampleStyleSheet()
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate

    pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
    story: list[Any] = []
    for number, (title, sentences) in enumerate(CHAPTERS.items(), 1):
        story.append(Paragraph(f"{number} {title}", styles["Heading1"]))
        story += [
            Paragraph(one.replace("南码头", '<font name="STSong-Light">南码头</font>'), styles["Normal"])
            for one in sentences
        ]
        story.append(PageBreak())
    return Made(saved(lambda file: SimpleDocTemplate(file, invariant=1).build(story)), paged=True)


def docx_by_python_docx(*, breaks: bool = True) -> Made:
    document = pytest.importorskip("docx").Document()
    for number, (title, sentences) in enumerate(CHAPTERS.items()):
        if number and breaks:
            document.add_page_break()
        document.add_heading(title, 1)
        for one in sentences:
            document.add_paragraph(one)
    return Made(saved(document.save), paged=breaks)


def odt_by_odfpy() -> Made:
    pytest.importorskip("odf.text")
    from odf import style, text
    from odf.opendocument import OpenDocumentText

    document = OpenDocumentText()
    heading = style.Style(name="Heading 1", family="paragraph", defaultoutlinelevel="1")
    heading.addElement(style.TextProperties(fontsize="18pt", fontweight="bold"))
    document.styles.addElement(heading)
    broken = style.Style(name="Broken", family="paragraph", parentstylename=heading)
    broken.addElement(style.ParagraphProperties(breakbefore="page"))
    document.automaticstyles.addElement(broken)
    for number, (title, sentences) in enumerate(CHAPTERS.items()):
        named = {"stylename": broken if number else heading}
        document.text.addElement(text.H(outlinelevel=1, text=title, **named))
        for one in sentences:
            document.text.addElement(text.P(text=one))
    return Made(saved(document.write), paged=True)


def epub_by_ebooklib() -> Made:
    epub = pytest.importorskip("ebooklib.epub")
    book = epub.EpubBook()
    book.set_identifier("guide")
    book.set_title("Harbour guide")
    book.set_language("en")
    pages = []
    for number, (title, sentences) in enumerate(CHAPTERS.items()):
        page = epub.EpubHtml(title=title, file_name=f"c{number}.xhtml")
        page.content = f"<h1>{title}</h1>" + "".join(f"<p>{one}</p>" for one in sentences)
        book.add_item(page)
        pages.append(page)
    book.toc, book.spine = pages, ["nav", *pages]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    return Made(saved(lambda file: epub.write_epub(file, book)))


def mail_of(html: bool) -> Made:
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = "Harbour guide", "harbour@example.org", "you@example.org"
    if html:
        body = "".join(f"<h1>{t}</h1>" + "".join(f"<p>{one}</p>" for one in s) for t, s in CHAPTERS.items())
        message.set_content(f"<html><body>{body}</body></html>", subtype="html")
    else:
        message.set_content("".join(f"# {t}\n\n" + "\n\n".join(s) + "\n\n" for t, s in CHAPTERS.items()))
    return Made(message.as_bytes())


def notebook_of(version: int) -> Made:
    nbformat = pytest.importorskip("nbformat")
    new = nbformat.v4
    cells = []
    for title, sentences in CHAPTERS.items():
        cells += [new.new_markdown_cell(f"# {title}\n\n{sentences[0]}"), new.new_code_cell(f"note = {sentences[1]!r}")]
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new.new_notebook(cells=cells, metadata={"kernelspec": kernel})
    if version < 4:
        notebook = nbformat.convert(notebook, version)
    return Made(nbformat.writes(notebook, version=nbformat.NO_CONVERT).encode())


def slides_by_python_pptx() -> Made:
    deck = pytest.importorskip("pptx").Presentation()
    for title, sentences in CHAPTERS.items():
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text_frame.text = "\n".join(sentences)
    return Made(saved(deck.save), paged=True)


TEXTS: dict[str, Callable[[], Made]] = {
    "reportlab.pdf": pdf_by_reportlab,
    "python-docx.docx": docx_by_python_docx,
    "unpaged.docx": lambda: docx_by_python_docx(breaks=False),
    "odfpy.odt": odt_by_odfpy,
    "ebooklib.epub": epub_by_ebooklib,
    "html.eml": lambda: mail_of(html=True),
    "nbformat-4.ipynb": lambda: notebook_of(4),
    "nbformat-3.ipynb": lambda: notebook_of(3),
    "python-pptx.pptx": slides_by_python_pptx,
}


def check_text(name: str, made: Made) -> None:
    """Every sentence is in a chunk of its chapter, and on its page, whichever strategy cuts."""
    document = MDocument.from_bytes(made.data, name)
    cuts: list[tuple[str | None, dict[str, Any]]] = [(None, {})]
    if document.kind == "markdown":
        cuts += [("markdown", {"overlap": 0}), ("structural-context", {})]
    for strategy, options in cuts:
        chunks = document.chunk(strategy, max_size=120, **options)
        found = [chunk.content for chunk in chunks]
        order = []
        for number, (title, sentences) in enumerate(CHAPTERS.items(), 1):
            for sentence in sentences:
                at = [i for i, content in enumerate(found) if sentence in " ".join(content.split())]
                assert len(at) == 1, (name, strategy, sentence, found)
                chunk = chunks[at[0]]
                # A chunk may begin with the title of all, which has no text of its own.
                under = [*chunk.path[-1:], *chunk.metadata.get("sections", [])[-1:]]
                assert any(one.rpartition(" > ")[2].removeprefix(f"{number} ") == title for one in under), (name, under)
                if made.paged:
                    assert chunk.metadata["page"] == number, (name, strategy, sentence, chunk.metadata)
                order += at
        assert order == sorted(order)


@pytest.mark.parametrize("name", TEXTS)
def test_texts(name: str) -> None:
    check_text(name, TEXTS[name]())


def test_plain_mail_has_its_subject_and_all_sentences() -> None:
    document = MDocument.from_bytes(mail_of(html=False).data, "plain.eml")
    assert document.metadata["title"] == "Harbour guide"
    joined = " ".join(" ".join(chunk.content.split()) for chunk in document.chunk(max_size=200, overlap=0))
    for sentences in CHAPTERS.values():
        assert all(sentence in joined for sentence in sentences)


# -- tables ---------------------------------------------------------------------------------


def sheets_by_openpyxl() -> Made:
    book = pytest.importorskip("openpyxl").Workbook()
    book.remove(book.active)
    for name, rows in ROWS.items():
        sheet = book.create_sheet(name)
        for row in [HEADER, *rows]:
            sheet.append(row)
    return Made(saved(book.save))


def sheets_by_xlsxwriter() -> Made:
    file = io.BytesIO()
    with pytest.importorskip("xlsxwriter").Workbook(file, {"in_memory": True}) as book:
        for name, rows in ROWS.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate([HEADER, *rows]):
                sheet.write_row(i, 0, row)
    return Made(file.getvalue())


def sheets_by_odfpy() -> Made:
    pytest.importorskip("odf.table")
    from odf import table, text
    from odf.opendocument import OpenDocumentSpreadsheet

    document = OpenDocumentSpreadsheet()
    for name, rows in ROWS.items():
        sheet = table.Table(name=name)
        for row in [HEADER, *rows]:
            line = table.TableRow()
            for value in row:
                cell = table.TableCell(valuetype="string")
                cell.addElement(text.P(text=value))
                line.addElement(cell)
            sheet.addElement(line)
        document.spreadsheet.addElement(sheet)
    return Made(saved(document.write))


SHEETS: dict[str, Callable[[], Made]] = {
    "openpyxl.xlsx": sheets_by_openpyxl,
    "xlsxwriter.xlsx": sheets_by_xlsxwriter,
    "odfpy.ods": sheets_by_odfpy,
}


def check_sheets(name: str, made: Made) -> None:
    """Every row is in one chunk, under its sheet, with the header above it, and pages are sheets."""
    document = MDocument.from_bytes(made.data, name)
    chunks = list(document.chunk("structural-context", max_size=200))
    for number, (sheet, rows) in enumerate(ROWS.items(), 1):
        for first, second in rows:
            holding = [chunk for chunk in chunks if f"| {first} | {second} |" in chunk.content]
            assert len(holding) == 1, (name, first)
            assert holding[0].path == (sheet,), (name, first, holding[0].path)
            assert holding[0].metadata["page"] == number
            assert "| Place | Depth |" in holding[0].text, (name, holding[0].text)
            assert len(holding[0].text) <= 200


@pytest.mark.parametrize("name", SHEETS)
def test_sheets(name: str) -> None:
    check_sheets(name, SHEETS[name]())


def table_of(**form: Any) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, **form)
    writer.writerows([HEADER, *(row for rows in ROWS.values() for row in rows)])
    return file.getvalue().encode("utf-8")


DELIMITED = {
    "excel.csv": table_of(),
    "semicolons.csv": table_of(delimiter=";", lineterminator="\n"),
    "quoted.csv": table_of(quoting=csv.QUOTE_ALL),
    "tabs.tsv": table_of(dialect="excel-tab"),
}


def check_delimited(name: str, data: bytes) -> None:
    document = MDocument.from_bytes(data, name)
    chunks = document.chunk(max_size=150)
    assert (document.kind, len(chunks) > 5) == ("csv", True)
    lines = document.text.splitlines(keepends=True)
    for number, line in enumerate(lines[1:], 1):
        holding = [chunk for chunk in chunks if line.strip() in chunk.content]
        assert len(holding) == 1, (name, line)
        assert holding[0].text.startswith(lines[0]), (name, line)
        first, last = holding[0].metadata["rows"]
        assert first <= number <= last
        assert len(holding[0].text) <= 150


@pytest.mark.parametrize("name", DELIMITED)
def test_delimited(name: str) -> None:
    check_delimited(name, DELIMITED[name])


# -- LibreOffice ----------------------------------------------------------------------------


def converted(folder: Path, source: Path, kinds: list[str]) -> dict[str, bytes]:
    """What LibreOffice makes of a file, by the suffix."""
    found = {}
    for kind in kinds:
        out = folder / f"{source.stem}-{kind.partition(':')[0]}"
        command = ["soffice", f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless"]
        command += ["--convert-to", kind, "--outdir", str(out), str(source)]
        subprocess.run(command, check=True, capture_output=True, timeout=240)
        for path in out.iterdir():
            found[f"libreoffice-{path.name}"] = path.read_bytes()
    return found


def test_what_libreoffice_writes(tmp_path: Path) -> None:
    if shutil.which("soffice") is None:
        pytest.skip("LibreOffice (soffice) is not installed")
    text, deck, sheets = tmp_path / "guide.odt", tmp_path / "deck.pptx", tmp_path / "sheets.xlsx"
    text.write_bytes(odt_by_odfpy().data)
    deck.write_bytes(slides_by_python_pptx().data)
    sheets.write_bytes(sheets_by_openpyxl().data)
    texts = converted(tmp_path, text, ["docx", "rtf", "odt", "epub"]) | converted(tmp_path, deck, ["odp", "pptx"])
    assert len(texts) == 6
    for name, data in texts.items():
        check_text(name, Made(data, paged=not name.endswith("epub")))
    books = converted(tmp_path, sheets, ["ods", "xls", "xlsx"])
    assert len(books) == 3
    for name, data in books.items():
        check_sheets(name, Made(data))
    for name, data in (converted(tmp_path, text, ["pdf"]) | converted(tmp_path, deck, ["pdf"])).items():
        document = MDocument.from_bytes(data, name)
        assert document.metadata["page_count"] == 3
        for number, sentences in enumerate(CHAPTERS.values(), 1):
            pages = [c.metadata["pages"] for c in document.chunk(max_size=60) if sentences[0][:20] in c.content]
            assert [page[-1] for page in pages] == [number], (name, sentences[0])
    for name, data in converted(
        tmp_path, sheets, ["csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,1"]
    ).items():
        document = MDocument.from_bytes(data, name)
        assert all(chunk.text.startswith("Place,Depth") for chunk in document.chunk(max_size=100))
