"""Forms that draw forms: those that use up all memory are refused before PDFium sees them."""

from __future__ import annotations

import io
import sys
import time
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

from pdf_bytes import FONT, written

from cantle.errors import DocumentError
from cantle_files import read_pdf
from cantle_files.pdf.forms import drawn_most

WORDS = "BT /F1 12 Tf 72 700 Td (words) Tj ET"


def form(content: str, resources: str, *, packed: bool = True, subtype: str = "/Form") -> str:
    held = zlib.compress(content.encode()).decode("latin-1") if packed else content
    more = "/Filter /FlateDecode " if packed else ""
    return (
        f"<< /Type /XObject /Subtype {subtype} /BBox [0 0 612 792] {resources} {more}/Length {len(held)} >>\n"
        f"stream\n{held}\nendstream"
    )


def of_forms(*forms: str, more: tuple[str, ...] = ()) -> bytes:
    """A page that draws the object 6 as /X, which is the first form."""
    content = f"{WORDS} /X Do"
    return written(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            FONT,
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R "
            "/Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            *forms,
            *more,
        ]
    )


def draws(number: int) -> str:
    return f"/Resources << /Font << /F1 3 0 R >> /XObject << /X {number} 0 R >> >>"


BOMBS = {
    "itself": of_forms(form("/X Do " * 10, draws(6))),
    "not packed": of_forms(form("/X Do " * 10, draws(6), packed=False)),
    "one another": of_forms(form("/X Do /X Do", draws(7)), form("/X Do", draws(6))),
    "ten by ten": of_forms(*(form("/X Do " * 10, draws(7 + n)) for n in range(9)), form(WORDS, draws(3))),
    "resources elsewhere": of_forms(
        form("/X Do " * 10, "/Resources 7 0 R"), more=("<< /XObject 8 0 R >>", "<< /X 6 0 R >>")
    ),
    "resources of the page": of_forms(form("/X Do " * 10, "")),
    "another spelling": of_forms(form("/#58 Do " * 10, draws(6), subtype="/F#6frm")),
}


@pytest.mark.parametrize("case", BOMBS)
def test_forms_without_end_are_refused(case: str) -> None:
    assert len(BOMBS[case]) < 5000
    with pytest.raises(DocumentError, match=r"^bomb\.pdf holds forms that draw one another without end"):
        read_pdf(BOMBS[case], name="bomb.pdf")


def test_forms_that_end_are_read() -> None:
    nested = of_forms(form("/X Do " * 3, draws(7)), form("/X Do " * 3, draws(8)), form(WORDS, draws(3)))
    assert drawn_most(nested) == 1 + 3 * (1 + 3)
    assert "words" in read_pdf(nested).text
    shared = of_forms(*(form("/X Do", draws(7 + n)) for n in range(30)), form(WORDS, draws(3)))
    assert drawn_most(shared) == 31
    assert drawn_most(of_forms(form("/X Do " * 10, "/Resources << /XObject << /X 99 0 R >> >>"))) == 1


def test_forms_of_reportlab() -> None:
    canvas = pytest.importorskip("reportlab.pdfgen.canvas")
    out = io.BytesIO()
    page = canvas.Canvas(out)
    for number in range(4):
        page.beginForm(f"f{number}")
        page.drawString(72, 700 - 20 * number, f"form {number}")
        if number:
            page.doForm(f"f{number - 1}")
        page.endForm()
    page.doForm("f3")
    page.showPage()
    page.save()
    assert drawn_most(out.getvalue()) == 4
    assert {str(number) for number in range(4)} <= set(read_pdf(out.getvalue()).text.split())


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(sorted(BOMBS)), st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=9)), max_size=8))
def test_any_bytes_are_counted(case: str, changes: list[tuple[int, bytes]]) -> None:
    data = BOMBS[case]
    for place, put in changes:
        data = data[:place] + put + data[place + len(put) // 2 :]
    assert 0 <= drawn_most(data) <= 10**12


@pytest.mark.parametrize(
    "flood",
    [b"1 0 obj ", b"1 0 obj<</Subtype/Form>>stream\n/X Do ", b"((((", b"<<", b"/X 1 0 R ", b"/Flate Do <00", b"1 " * 4],
)
def test_floods_take_linear_time(flood: bytes) -> None:
    begun = time.process_time()
    drawn_most(b"%PDF-1.4 1 0 obj << /Subtype /Form /Resources << /XObject " + flood * (2_000_000 // len(flood)))
    assert time.process_time() - begun < 15
