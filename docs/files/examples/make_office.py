"""Make the office files of this directory: python docs/files/examples/make_office.py (python-docx and python-pptx)."""

from datetime import datetime
from pathlib import Path

from docx import Document
from pptx import Presentation

HERE = Path(__file__).parent
THEN = datetime(2024, 5, 1)


def docx() -> None:
    """A text with headings, a list, a table, a comment on it, and a page break."""
    document = Document()
    document.core_properties.title, document.core_properties.author = "Rules of the harbour", "Harbour office"
    document.core_properties.created = document.core_properties.modified = THEN
    document.add_heading("Rules of the harbour", 0)
    document.add_heading("Pilots", 1)
    document.add_paragraph("These ships take a pilot:")
    for text in ("ships of more than 60 metres", "ships with dangerous goods"):
        document.add_paragraph(text, style="List Bullet")
    document.add_heading("What it costs", 2)
    table = document.add_table(3, 2)
    for row, cells in enumerate([("Length", "Fee"), ("up to 80 m", "120"), ("more", "200")]):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    document.add_page_break()
    document.add_heading("Moorings", 1)
    document.add_paragraph("Nobody ties up at the pilots' steps.")
    document.sections[0].footer.paragraphs[0].text = "Rules of the harbour, page 1"
    document.save(str(HERE / "rules.docx"))


def pptx() -> None:
    """Two slides with a list and notes."""
    deck = Presentation()
    deck.core_properties.title, deck.core_properties.author = "For new pilots", "Harbour office"
    deck.core_properties.created = deck.core_properties.modified = THEN
    slide = deck.slides.add_slide(deck.slide_layouts[0])
    slide.shapes.title.text, slide.placeholders[1].text = "For new pilots", "The first week"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "The bar"
    frame = slide.placeholders[1].text_frame
    frame.text = "It moves"
    for text, level in (("after every gale", 1), ("Ask the tower", 0)):
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    slide.notes_slide.notes_text_frame.text = "Show the chart of 2019."
    deck.save(str(HERE / "pilots.pptx"))


docx()
pptx()
