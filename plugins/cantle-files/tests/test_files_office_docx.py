"""DOCX: files by python-docx, and by hand what it cannot write."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from office_bytes import MACROS, STRICT, W, docx_of, p, r

from cantle import MDocument
from cantle_files import read_file

BREAK = r('<w:br w:type="page"/>')
NOTED = r("<w:lastRenderedPageBreak/>")


def text_of(body: str, parts: dict[str, str] | None = None, **more: Any) -> str:
    return read_file(docx_of(body, parts, **more)).text


def written(document: Any) -> bytes:
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


@pytest.fixture
def guide() -> Any:
    docx = pytest.importorskip("docx")
    document = docx.Document()
    document.core_properties.title, document.core_properties.author = "The guide", "A. Pilot"
    document.add_heading("Harbour guide", 0)
    document.add_heading("Arriving", 1)
    document.add_paragraph("Ships come in at high water.")
    for style, text in (("List Bullet", "lights"), ("List Bullet 2", "white"), ("List Bullet", "flags")):
        document.add_paragraph(text, style=style)
    document.add_heading("Fees", 2)
    table = document.add_table(3, 2)
    for row, cells in enumerate([("Length", "Fee"), ("60 m", "10|20"), ("more", "30\n40")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_page_break()
    document.add_heading("Leaving", 1)
    for text in ("Call the tower.", "Leave."):
        document.add_paragraph(text, style="List Number")
    return document


def test_a_document_of_python_docx(guide: Any) -> None:
    document = read_file(written(guide), name="guide.docx")
    assert document.text == (
        "# Harbour guide\n\n# Arriving\n\nShips come in at high water.\n\n- lights\n  - white\n- flags\n\n## Fees\n\n"
        "| Length | Fee |\n| --- | --- |\n| 60 m | 10\\|20 |\n| more | 30<br>40 |\n\n\f\n\n# Leaving\n\n"
        "1. Call the tower.\n2. Leave.\n"
    )
    assert (document.kind, document.source) == ("markdown", "guide.docx")
    assert document.metadata == {"title": "The guide", "author": "A. Pilot", "page_count": 2}


def test_chunks_have_paths_and_pages(guide: Any) -> None:
    chunks = read_file(written(guide)).chunk(max_size=60)
    assert [(chunk.path, chunk.metadata["page"]) for chunk in chunks][-1] == (("Leaving",), 2)
    assert {chunk.metadata["page"] for chunk in chunks} == {1, 2}
    whole = read_file(written(guide)).chunk("recursive", max_size=10_000)
    assert [chunk.metadata["pages"] for chunk in whole] == [[1, 2]]


def test_files_of_other_loaders_get_no_pages() -> None:
    for document in (
        MDocument.from_markdown("a\n\n\f\n\nb", metadata={"page_count": 3}),
        MDocument.from_markdown("a\n\n\f\n\nb"),
        MDocument.from_markdown("a\n\n\f\n\nb", metadata={"page_count": "2"}),
    ):
        assert all("page" not in chunk.metadata for chunk in document.chunk(max_size=10))


def test_headers_and_footers_are_left_out(guide: Any) -> None:
    guide.sections[0].header.paragraphs[0].text = "RUNNING HEAD"
    guide.sections[0].footer.paragraphs[0].text = "page 1"
    text = read_file(written(guide)).text
    assert "RUNNING" not in text
    assert "page 1" not in text


def test_merged_cells_are_said_once(guide: Any) -> None:
    table = guide.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 0).merge(table.cell(0, 1)).text = "wide"
    table.cell(1, 2).merge(table.cell(2, 2)).text = "high"
    text = read_file(written(guide)).text
    assert text.endswith("| wide |  | 02 |\n| --- | --- | --- |\n| 10 | 11 | high |\n| 20 | 21 |  |\n")


def test_a_table_of_one_cell_is_no_table() -> None:
    cell = f"<w:tbl><w:tr><w:tc>{p('boxed')}{p('more')}</w:tc></w:tr></w:tbl>"
    assert text_of(cell) == "boxed\n\nmore\n"


def test_a_table_in_a_cell_is_lines_of_it() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr></w:tbl>"
    outer = f"<w:tbl><w:tr><w:tc>{p('x')}{inner}</w:tc><w:tc>{p('y')}</w:tc></w:tr></w:tbl>"
    assert text_of(outer) == "| x<br>a; b | y |\n| --- | --- |\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (p("a ", more=f"<w:ins>{r('<w:t>b</w:t>')}</w:ins>"), "a b\n"),
        (p("a", more=f"<w:del>{r('<w:delText>b</w:delText>')}</w:del>"), "a\n"),
        (p("a", more=f"<w:moveFrom>{r('<w:t>b</w:t>')}</w:moveFrom>"), "a\n"),
        (p("a ", more=f"<w:moveTo>{r('<w:t>b</w:t>')}</w:moveTo>"), "a b\n"),
        (p("a ", "<w:rPr><w:del/></w:rPr>") + p("b"), "a b\n"),
        (p("a ", "<w:rPr><w:del/></w:rPr>"), "a\n"),
        (p("a", more=r("<w:rPr><w:vanish/></w:rPr><w:t>b</w:t>")), "a\n"),
        (p("a", more=r('<w:rPr><w:vanish w:val="0"/></w:rPr><w:t>b</w:t>')), "ab\n"),
        (
            "<w:tbl>"
            + "".join(
                f"<w:tr>{x}<w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr>" for x in ("", "<w:trPr><w:del/></w:trPr>")
            )
            + "</w:tbl>",
            "| a | b |\n| --- | --- |\n",
        ),
    ],
    ids=["inserted", "deleted", "moved-from", "moved-to", "joined", "joined-to-nothing", "hidden", "shown", "row"],
)
def test_tracked_changes_are_as_accepted(body: str, expected: str) -> None:
    assert text_of(body) == expected


@pytest.mark.parametrize(
    ("body", "pages"),
    [
        (p("a") + p("", more=BREAK) + p("b"), ["a", "b"]),
        (p("a", more=BREAK + r("<w:t>b</w:t>")), ["a", "b"]),
        (p("a", more=BREAK + BREAK) + p("b"), ["a", "", "b"]),
        (p("a") + p("b", "<w:pageBreakBefore/>"), ["a", "b"]),
        (p("b", "<w:pageBreakBefore/>"), ["b"]),
        (p("a") + p("", more=BREAK) + p("", more=NOTED + r("<w:t>b</w:t>")), ["a", "b"]),
        (p("a") + p("", more=NOTED + r("<w:t>b</w:t>")), ["a", "b"]),
        (p("a", more=NOTED + r("<w:t>b</w:t>")) + p("c"), ["ab", "c"]),
        (p("a", "<w:sectPr/>") + p("b") + "<w:sectPr/>", ["a", "b"]),
        (p("a", "<w:sectPr/>") + p("b") + '<w:sectPr><w:type w:val="continuous"/></w:sectPr>', ["a\n\nb"]),
        (p("", more=NOTED + r("<w:t>a</w:t>")), ["a"]),
        (p("a") + f"<w:tbl><w:tr><w:tc>{p('', more=NOTED + r('<w:t>x</w:t>'))}</w:tc></w:tr></w:tbl>", ["a", "x"]),
    ],
    ids=[
        "break", "inside", "blank-page", "before", "first", "noted-too", "noted", "noted-inside", "section",
        "continuous", "noted-first", "noted-in-box",
    ],
)  # fmt: skip
def test_pages(body: str, pages: list[str]) -> None:
    document = read_file(docx_of(body))
    assert [page.strip() for page in document.text.split("\f")] == pages
    assert document.metadata.get("page_count", 1) == len(pages)


def test_a_page_that_ends_in_a_table_ends_behind_it() -> None:
    row = f"<w:tr><w:tc>{p('a')}</w:tc><w:tc>{p('b')}</w:tc></w:tr>"
    late = "".join(f"<w:tc>{p('', more=NOTED + r(f'<w:t>{text}</w:t>'))}</w:tc>" for text in "cd")
    late = f"<w:tr>{late}</w:tr>"
    text = text_of(p("x") + f"<w:tbl>{row}{late}</w:tbl>" + p("y"))
    assert text == "x\n\n| a | b |\n| --- | --- |\n| c | d |\n\n\f\n\ny\n"


def level(at: int, form: str, text: str, more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}<w:lvlText w:val="{text}"/></w:lvl>'
    )


NUMBERING = (
    f"<w:numbering {W}><w:abstractNum w:abstractNumId='0'>"
    + level(0, "decimal", "%1.", '<w:pStyle w:val="H1"/>')
    + level(1, "decimal", "%1.%2", '<w:pStyle w:val="H2"/>')
    + level(2, "lowerLetter", "(%3)")
    + level(3, "upperRoman", "%4.")
    + "</w:abstractNum><w:abstractNum w:abstractNumId='1'>"
    + level(0, "bullet", "\uf0b7")
    + "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='0'/></w:num>"
    "<w:num w:numId='2'><w:abstractNumId w:val='1'/></w:num>"
    "<w:num w:numId='3'><w:abstractNumId w:val='0'/><w:lvlOverride w:ilvl='0'>"
    "<w:startOverride w:val='7'/></w:lvlOverride></w:num></w:numbering>"
)
STYLES = (
    f"<w:styles {W}>"
    "<w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/></w:style>"
    + "".join(
        f"<w:style w:styleId='H{n}'><w:name w:val='heading {n}'/><w:pPr><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>"
        "</w:style>"
        for n in (1, 2)
    )
    + "<w:style w:styleId='Own'><w:name w:val='My head'/><w:basedOn w:val='H3'/></w:style>"
    "<w:style w:styleId='H3'><w:name w:val='x'/><w:pPr><w:outlineLvl w:val='2'/></w:pPr></w:style>"
    "<w:style w:styleId='C'><w:name w:val='Source Code'/></w:style>"
    "<w:style w:styleId='T1'><w:name w:val='toc 1'/></w:style>"
    "<w:style w:styleId='L'><w:name w:val='loop'/><w:basedOn w:val='L'/></w:style>"
    "</w:styles>"
)
PARTS = {"numbering": NUMBERING, "styles": STYLES}


def item(text: str, number: int, at: int = 0) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{number}"/></w:numPr>')


def styled(text: str, style: str) -> str:
    return p(text, f'<w:pStyle w:val="{style}"/>')


def test_headings_have_the_numbers_that_are_printed() -> None:
    body = styled("A", "H1") + styled("B", "H2") + styled("C", "H2") + styled("D", "H1") + styled("E", "H2")
    assert text_of(body, PARTS) == "# 1. A\n\n## 1.1 B\n\n## 1.2 C\n\n# 2. D\n\n## 2.1 E\n"


def test_labels_of_lists() -> None:
    body = (
        item("a", 1) + item("b", 1, 2) + item("c", 1, 2) + item("d", 1, 3) + item("e", 1) + item("f", 3) + item("g", 2)
    )
    assert text_of(body, PARTS) == "1. a\n   - (a) b\n   - (b) c\n     - I. d\n2. e\n7. f\n- g\n"


def test_headings_by_outline_level_and_by_the_style_that_a_style_is_based_on() -> None:
    body = (
        styled("A", "Own")
        + p("B", '<w:outlineLvl w:val="3"/>')
        + p("C", '<w:outlineLvl w:val="9"/>')
        + styled("D", "L")
    )
    assert text_of(body, PARTS) == "### A\n\n#### B\n\nC\n\nD\n"


def test_code_and_tables_of_contents() -> None:
    body = styled("Arriving 3", "T1") + styled("x = 1", "C") + styled("# y", "C") + p("end")
    assert text_of(body, PARTS) == "```\nx = 1\n# y\n```\n\nend\n"
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    assert text_of(f"<w:sdt>{gallery}<w:sdtContent>{p('Contents')}</w:sdtContent></w:sdt>{p('a')}") == "a\n"


def test_notes_stand_at_the_end_of_their_section() -> None:
    notes = {
        "footnotes": f"<w:footnotes {W}><w:footnote w:id='2'>{p('The note.')}</w:footnote></w:footnotes>",
        "endnotes": f"<w:endnotes {W}><w:endnote w:id='2'>{p('The end.')}</w:endnote></w:endnotes>",
        "styles": STYLES,
    }
    body = p("a", more=r('<w:footnoteReference w:id="2"/>') + r('<w:endnoteReference w:id="2"/>')) + p("b")
    text = text_of(body + styled("C", "H3") + p("d", more=r('<w:footnoteReference w:id="2"/>')), notes)
    assert text == "a[^1][^e1]\n\nb\n\n[^1]: The note.\n\n[^e1]: The end.\n\n### C\n\nd[^1]\n"


def test_a_note_that_refers_to_itself_ends() -> None:
    inner = p("x", more=r('<w:footnoteReference w:id="2"/>'))
    notes = {"footnotes": f"<w:footnotes {W}><w:footnote w:id='2'>{inner}</w:footnote></w:footnotes>"}
    assert text_of(p("a", more=r('<w:footnoteReference w:id="2"/>')), notes) == "a[^1]\n\n[^1]: x\n"


def field(instruction: str, shown: str) -> str:
    return "".join(
        r(x)
        for x in (
            '<w:fldChar w:fldCharType="begin"/>',
            f"<w:instrText>{instruction}</w:instrText>",
            '<w:fldChar w:fldCharType="separate"/>',
            f"<w:t>{shown}</w:t>",
            '<w:fldChar w:fldCharType="end"/>',
        )
    )


def test_links_and_fields(guide: Any) -> None:
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    where = guide.part.relate_to("https://e.org/a(b)", f"{relation}/hyperlink", is_external=True)
    from docx.oxml import parse_xml

    paragraph = guide.add_paragraph("see ")
    run = '<w:r><w:t xml:space="preserve">this </w:t></w:r>'
    paragraph._p.append(parse_xml(f'<w:hyperlink {W} xmlns:r="{relation}" r:id="{where}">{run}</w:hyperlink>'))
    assert read_file(written(guide)).text.endswith("see [this](https://e.org/a%28b%29)\n")
    assert text_of(p("a ", more=field('HYPERLINK "https://f.org"', "f"))) == "a [f](https://f.org)\n"
    assert text_of(p("a ", more=field("PAGE", "7"))) == "a 7\n"
    assert text_of(p("", more=field('HYPERLINK "https://f.org"', "https://f.org"))) == "https://f.org\n"


def test_text_boxes_stand_behind_their_paragraph() -> None:
    box = f"<txbxContent>{p('in the box')}</txbxContent>".replace("txbxContent", "w:txbxContent")
    drawing = f"<w:drawing><docPr descr='A ship'/>{box}</w:drawing>"
    both = f"<mc:Choice>{drawing}</mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback>"
    both = f"<mc:AlternateContent xmlns:mc='m'>{both}</mc:AlternateContent>"
    assert text_of(p("a ", more=r(both)) + p("b")) == "a ![A ship]()\n\nin the box\n\nb\n"


def test_equations_are_on_one_line() -> None:
    m = "xmlns:m='http://schemas.openxmlformats.org/officeDocument/2006/math'"

    def run(text: str) -> str:
        return f"<m:r><m:t>{text}</m:t></m:r>"

    fraction = f"<m:f><m:num>{run('a+b')}</m:num><m:den>{run('c')}</m:den></m:f>"
    power = f"<m:sSup><m:e>{run('x')}</m:e><m:sup>{run('2')}</m:sup></m:sSup>"
    assert text_of(p("y = ", more=f"<m:oMath {m}>{fraction}{run('+')}{power}</m:oMath>")) == "y = (a+b)/c+x^2\n"


def test_text_that_looks_like_markdown_stays_text() -> None:
    lines = [
        "# no heading",
        "- no item",
        "1. no item",
        "&gt; no quotation",
        "```",
        "| a | b |",
        "[x]: y",
        "&lt;b&gt;",
        "---",
    ]
    text = text_of("".join(map(p, lines)))
    assert text.split("\n\n") == [
        "\\# no heading", "\\- no item", "1\\. no item", "\\> no quotation", "\\```", "\\| a | b |", "\\[x]: y",
        "\\<b>", "\\---\n",
    ]  # fmt: skip
    assert text_of(p("a * b # c - d | e")) == "a * b # c - d | e\n"
    chunks = MDocument.from_markdown(text).chunk()
    assert [chunk.path for chunk in chunks] == [()]


def test_signs() -> None:
    signs = r("<w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t>")
    signs += r('<w:sym w:font="x" w:char="2022"/><w:sym w:font="Wingdings" w:char="F0FC"/>')
    assert text_of(p("a", more=signs)) == "a\tb\nc\u2011d\u2022\n"


@pytest.mark.parametrize("kind", ["macros", "strict"])
def test_other_kinds_of_docx(kind: str) -> None:
    body = p("a", '<w:pStyle w:val="H3"/>')
    if kind == "macros":
        data = docx_of(body, PARTS, kind=MACROS)
    else:
        data = docx_of(body, {"styles": STYLES.replace(W, STRICT)}, space=STRICT)
    assert read_file(data).text == "### a\n"
