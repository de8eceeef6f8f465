"""PPTX by python-pptx."""

from __future__ import annotations

import io
from typing import Any

import pytest

from cantle.errors import DocumentError
from cantle_files import read_file

pptx = pytest.importorskip("pptx")

TITLE, CONTENT, ONLY_TITLE, BLANK = 0, 1, 5, 6


def written(deck: Any) -> bytes:
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


def box(shapes: Any, top: float, text: str, left: float = 1) -> Any:
    made = shapes.add_textbox(*map(pptx.util.Inches, (left, top, 2, 0.5)))
    made.text_frame.text = text
    return made


@pytest.fixture
def deck() -> Any:
    deck = pptx.Presentation()
    deck.core_properties.title, deck.core_properties.author = "Pilots", "A. Pilot"
    slide = deck.slides.add_slide(deck.slide_layouts[TITLE])
    slide.shapes.title.text, slide.placeholders[1].text = "Pilotage", "A deck"
    slide = deck.slides.add_slide(deck.slide_layouts[CONTENT])
    slide.shapes.title.text = "When a\vpilot is needed"
    frame = slide.placeholders[1].text_frame
    frame.text = "ships of 60 m"
    for text, level in (("and more", 1), ("tankers", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    slide.notes_slide.notes_text_frame.text = "Ask who has\nbeen a pilot."
    return deck


def test_a_deck(deck: Any) -> None:
    document = read_file(written(deck), name="deck.pptx")
    assert document.text == (
        "# Pilotage\n\nA deck\n\n\f\n\n# When a pilot is needed\n\n- ships of 60 m\n  - and more\n- tankers\n\n"
        "Notes:\n\nAsk who has\n\nbeen a pilot.\n"
    )
    assert document.metadata == {"title": "Pilots", "author": "A. Pilot", "page_count": 2}
    chunks = document.chunk(max_size=100)
    assert [(chunk.path, chunk.metadata["page"]) for chunk in chunks] == [
        (("Pilotage",), 1),
        (("When a pilot is needed",), 2),
        (("When a pilot is needed",), 2),
    ][: len(chunks)]
    assert len(chunks) >= 2


def test_shapes_are_read_from_top_to_bottom_and_left_to_right(deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[BLANK])
    box(slide.shapes, 5, "last")
    box(slide.shapes, 1, "right", left=5)
    box(slide.shapes, 1.05, "left")
    group = slide.shapes.add_group_shape()
    box(group.shapes, 3, "in a group")
    assert read_file(written(deck)).text.endswith("\f\n\n# Slide 3\n\nleft\n\nright\n\nin a group\n\nlast\n")


def test_tables_charts_and_links(deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[ONLY_TITLE])
    slide.shapes.title.text = "Numbers"
    inches = pptx.util.Inches
    table = slide.shapes.add_table(2, 3, inches(1), inches(2), inches(6), inches(1)).table
    for row in range(2):
        for column in range(3):
            table.cell(row, column).text = f"{row}|{column}"
    table.cell(0, 0).merge(table.cell(0, 1))
    run = box(slide.shapes, 4, "see ").text_frame.paragraphs[0].add_run()
    run.text, run.hyperlink.address = "there", "https://e.org/"
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE

    data = CategoryChartData()
    data.categories = ["small", "large"]
    data.add_series("Fee", (1, 2.5))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, inches(1), inches(5), inches(5), inches(2), data)
    assert read_file(written(deck)).text.split("# Numbers\n\n")[1] == (
        "| 0\\|0<br>0\\|1 |  | 0\\|2 |\n| --- | --- | --- |\n| 1\\|0 | 1\\|1 | 1\\|2 |\n\nsee [there](https://e.org/)\n\n"
        "|  | Fee |\n| --- | --- |\n| small | 1 |\n| large | 2.5 |\n"
    )


def test_hidden_slides_are_pages_without_text(deck: Any) -> None:
    deck.slides[0]._element.set("show", "0")
    slide = deck.slides.add_slide(deck.slide_layouts[ONLY_TITLE])
    slide.shapes.title.text = "Third"
    document = read_file(written(deck))
    assert "Pilotage" not in document.text
    assert (document.metadata["page_count"], document.metadata["hidden_slides"]) == (3, 1)
    assert [chunk.metadata["page"] for chunk in document.chunk(max_size=30) if "Third" in chunk.path] == [3]


def test_numbered_items(deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[CONTENT])
    slide.shapes.title.text = "Steps"
    frame = slide.placeholders[1].text_frame
    frame.text = "call"
    frame.add_paragraph().text = "wait"
    frame.add_paragraph().text = "go"
    for number, paragraph in enumerate(frame.paragraphs):
        kind = "arabicPeriod" if number < 2 else "alphaLcParenR"
        properties = paragraph._p.get_or_add_pPr()
        properties.append(properties.makeelement(f"{{{A}}}buAutoNum", {"type": kind}))
    assert read_file(written(deck)).text.endswith("# Steps\n\n1. call\n2. wait\n- c) go\n")


A = "http://schemas.openxmlformats.org/drawingml/2006/main"


def test_a_deck_without_slides() -> None:
    with pytest.raises(DocumentError, match=r"deck\.pptx has no text: it is blank, or all that it holds are pictures"):
        read_file(written(pptx.Presentation()), name="deck.pptx")
