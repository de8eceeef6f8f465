"""The same documents as LibreOffice writes them: DOCX, ODT, RTF, PPTX, ODP; and DOC and PPT, which are refused."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from cantle.errors import DocumentError
from cantle_files import read_file

SOFFICE = shutil.which("soffice")
pytestmark = pytest.mark.skipif(SOFFICE is None, reason="soffice (LibreOffice) is not installed")

PAGE = """<html><head><title>Harbour guide</title></head><body><h1>Arriving</h1>
<p>Ships<sup><a class="sdfootnoteanc" name="sdfootnote1anc" href="#sdfootnote1sym">1</a></sup> come in.</p>
<ul><li>lights<ul><li>white</li></ul></li><li>flags</li></ul><ol><li>call</li><li>wait</li></ol>
<h2>Fees</h2><table border="1"><tr><td>Length</td><td>Fee</td></tr><tr><td>60 m</td><td>10|20</td></tr></table>
<pre>x = 1
y = 2</pre>
<h1 style="page-break-before: always">Leaving</h1><p>See <a href="https://e.org/">there</a>, Zoë 😀.</p>
<div id="sdfootnote1"><p><a class="sdfootnotesym" name="sdfootnote1sym" href="#sdfootnote1anc">1</a> Of 60 m.</p></div>
</body></html>"""

TEXT = (
    "# Arriving\n\nShips[^1] come in.\n\n- lights\n  - white\n- flags\n\n1. call\n2. wait\n\n[^1]: Of 60 m.\n\n"
    "## Fees\n\n| Length | Fee |\n| --- | --- |\n| 60 m | 10\\|20 |\n\n```\nx = 1\ny = 2\n```\n\n\f\n\n# Leaving\n\n"
    "See [there](https://e.org/), Zoë 😀.\n"
)


def convert(kind: str, *files: Path, into: Path, more: tuple[str, ...] = ()) -> None:
    profile = f"-env:UserInstallation=file://{into.parent}/profile"
    command = [
        str(SOFFICE),
        profile,
        "--headless",
        *more,
        "--convert-to",
        kind,
        "--outdir",
        str(into),
        *map(str, files),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=240)


def same(text: str) -> str:
    """Lists directly behind one another may or may not have a blank line between them."""
    return text.replace("- flags\n\n1.", "- flags\n1.")


def test_texts(tmp_path: Path) -> None:
    page, out = tmp_path / "guide.html", tmp_path / "out"
    page.write_text(PAGE, encoding="utf-8")
    convert("odt:writer8", page, into=out, more=("--infilter=HTML (StarWriter)",))
    for kind in ("docx", "rtf", "doc"):
        convert(kind, out / "guide.odt", into=out)
    for kind in ("odt", "docx", "rtf"):
        document = read_file(out / f"guide.{kind}")
        assert same(document.text) == same(TEXT), kind
        assert document.metadata["page_count"] == 2, kind
        last = document.chunk(max_size=100)[-1]
        assert (last.path, last.metadata["page"]) == (("Leaving",), 2), kind
    with pytest.raises(DocumentError, match=r"guide\.doc is a Word file .*soffice --headless --convert-to docx"):
        read_file(out / "guide.doc")


def test_slides(tmp_path: Path) -> None:
    pptx = pytest.importorskip("pptx")
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text, frame = "Pilots", slide.placeholders[1].text_frame
    frame.text = "ships"
    paragraph = frame.add_paragraph()
    paragraph.text, paragraph.level = "of 60 m", 1
    slide.notes_slide.notes_text_frame.text = "Speak slowly."
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Hidden"
    slide._element.set("show", "0")
    slide = deck.slides.add_slide(deck.slide_layouts[6])
    for top, text in ((5, "below"), (1, "above")):
        slide.shapes.add_textbox(*map(pptx.util.Inches, (1, top, 3, 1))).text_frame.text = text
    first, out = tmp_path / "deck.pptx", tmp_path / "out"
    deck.save(first)
    convert("odp", first, into=out)
    convert("ppt", first, into=out)
    convert("pptx", out / "deck.odp", into=out)
    expected = (
        "# Pilots\n\n- ships\n  - of 60 m\n\nNotes:\n\nSpeak slowly.\n\n\f\n\n\f\n\n# Slide 3\n\nabove\n\nbelow\n"
    )
    for kind in ("odp", "pptx"):
        document = read_file(out / f"deck.{kind}")
        assert document.text == expected, kind
        assert (document.metadata["page_count"], document.metadata["hidden_slides"]) == (3, 1), kind
    with pytest.raises(DocumentError, match=r"deck\.ppt is a PowerPoint file .*--convert-to pptx"):
        read_file(out / "deck.ppt")
