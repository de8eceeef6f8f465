"""DOCX as Pandoc writes it, files that show something but say nothing, and what small files may not blow up."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from office_bytes import W, docx_of, odt_of, p, r

from cantle.errors import DocumentError
from cantle_files import read_file

M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
STARTS = "".join(f'<w:lvlOverride w:ilvl="{i}"><w:startOverride w:val="1"/></w:lvlOverride>' for i in range(9))


def style(name: str, based: str = "") -> str:
    on = f'<w:basedOn w:val="{based}"/>' if based else ""
    return f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{name}"/>{on}</w:style>'


def levels(identifier: int, format_: str, text: str) -> str:
    held = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{format_}"/>'
        f'<w:lvlText w:val="{text.replace("N", str(i + 1))}"/></w:lvl>'
        for i in range(9)
    )
    return f'<w:abstractNum w:abstractNumId="{identifier}">{held}</w:abstractNum>'


def number(identifier: int, of: int, overrides: str = "") -> str:
    return f'<w:num w:numId="{identifier}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def item(text: str, number: int, level: int = 0) -> str:
    return p(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def numbering(*parts: str) -> dict[str, str]:
    return {"numbering": f"<w:numbering {W}>{''.join(parts)}</w:numbering>"}


def test_what_stands_below_a_title_is_no_heading() -> None:
    names = ["Title", "Author", "Date", "Subtitle", "Abstract", "Big Title"]
    sheet = f"<w:styles {W}>{style('Title')}{''.join(style(name, 'Title') for name in names[1:])}</w:styles>"
    body = "".join(p(name.lower(), f'<w:pStyle w:val="{name}"/>') for name in names)
    text = read_file(docx_of(body, {"styles": sheet})).text
    assert text == "# title\n\nauthor\n\ndate\n\nsubtitle\n\nabstract\n\n# big title\n"


def test_a_list_goes_on_behind_what_is_set_in() -> None:
    parts = numbering(
        levels(0, "bullet", " "), levels(1, "decimal", "%N."), number(1, 1, STARTS), number(2, 1, STARTS), number(3, 0)
    )
    body = item("one", 1) + item("two", 1) + item("still two", 3) + item("deep one", 2, 1) + item("deep two", 2, 1)
    text = read_file(docx_of(body + item("three", 1), parts)).text
    assert text == "1. one\n2. two\n\n   still two\n   1. deep one\n   2. deep two\n3. three\n"


def test_another_list_of_the_same_kind_begins_anew() -> None:
    parts = numbering(levels(1, "decimal", "%N."), number(1, 1, STARTS), number(2, 1, STARTS))
    text = read_file(docx_of(item("a", 1) + item("b", 1) + p("x") + item("c", 2) + item("d", 2), parts)).text
    assert text == "1. a\n2. b\n\nx\n\n1. c\n2. d\n"


def test_boxes_of_tasks_are_kept() -> None:
    parts = numbering(levels(0, "bullet", "☐"), levels(1, "bullet", "☒"), number(1, 0), number(2, 1))
    assert read_file(docx_of(item("to do", 1) + item("done", 2), parts)).text == "- ☐ to do\n- ☒ done\n"


def test_sums_and_integrals_have_their_sign_and_bounds() -> None:
    def large(sign: str, below: str, above: str) -> str:
        held = f"<m:sub><m:r><m:t>{below}</m:t></m:r></m:sub><m:sup><m:r><m:t>{above}</m:t></m:r></m:sup>"
        return f"<m:nary><m:naryPr>{sign}</m:naryPr>{held}<m:e><m:r><m:t>x</m:t></m:r></m:e></m:nary>"

    body = "".join(
        f"<w:p><m:oMath {M}>{one}</m:oMath></w:p>"
        for one in (large("", "0", "∞"), large('<m:chr m:val="∑"/>', "i=1", "n"), large('<m:chr m:val="∏"/>', "", ""))
    )
    assert read_file(docx_of(body)).text == "∫_0^∞ x\n\n∑_(i=1)^n x\n\n∏ x\n"


def test_a_label_without_end_is_cut_off() -> None:
    parts = numbering(levels(1, "decimal", "%1" * 200_000), number(1, 1))
    begun = time.process_time()
    assert len(read_file(docx_of("".join(item("x", 1) for _ in range(1000)), parts)).text) < 1_000_000
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("blank.docx", docx_of(p() * 3)),
        ("picture.docx", docx_of(p("", "", r("<w:drawing/>")))),
        ("blank.odt", odt_of("<text:p/>")),
        ("blank.rtf", rb"{\rtf1 {\pict\pngblip 89504e47}\par}"),
    ],
    ids=["docx", "picture", "odt", "rtf"],
)
def test_files_without_text_are_refused(name: str, data: bytes) -> None:
    with pytest.raises(DocumentError, match=f"{name} has no text: it is blank, or all that it holds are pictures"):
        read_file(data, name=name)


def test_slides_of_pictures_alone_are_refused() -> None:
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    for _ in range(3):
        deck.slides.add_slide(deck.slide_layouts[6])
    file = io.BytesIO()
    deck.save(file)
    with pytest.raises(DocumentError, match="has no text"):
        read_file(file.getvalue(), name="pictures.pptx")
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "words"
    file = io.BytesIO()
    deck.save(file)
    assert read_file(file.getvalue()).text.startswith("# Slide 1\n\n\f")


def test_what_is_wrong_with_xml_is_said_in_one_line() -> None:
    with pytest.raises(DocumentError) as caught:
        read_file(docx_of(p("a\0b")), name="nul.docx")
    assert "\n" not in str(caught.value)


def test_empty_cells_cost_little() -> None:
    row = "<w:tr>" + "<w:tc><w:tcPr/><w:p><w:pPr/></w:p></w:tc>" * 50 + "</w:tr>"
    equation = f"<w:p><m:oMath {M}><m:r><m:t>b</m:t></m:r></m:oMath></w:p>"
    said = f"<w:tr><w:tc>{p()}</w:tc><w:tc>{p('a')}</w:tc><w:tc>{equation}</w:tc></w:tr>"
    data = docx_of(f"<w:tbl>{row * 6000}{said}</w:tbl>")
    begun = time.process_time()
    assert read_file(data).text == "| a | b |\n| --- | --- |\n"
    assert time.process_time() - begun < 10
