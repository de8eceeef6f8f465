"""Paragraphs, lists and tables of RTF, once their text is known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..markup.writing import Writer, clean
from .body import Body

__all__ = ["Place", "RtfBody", "State", "whole_text"]

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_NUMBER = re.compile(r"(\d{1,9})[.)]?$")
_CODE = ("html preformatted", "preformatted text", "source code", "code", "plain text")
_PRIVATE = re.compile("[\ue000-\uf8ff]")


@dataclass(slots=True)
class State:
    """What holds until the end of a group."""

    into: list[str] | None
    """Where text goes; None where it is left out."""
    destination: str = ""
    starts: bool = False
    """The group began the destination."""
    skip: int = 1
    """Characters behind `\\u` that stand for it."""
    encoding: str = ""
    hidden: bool = False
    deleted: bool = False
    style: int = 0
    outline: int | None = None
    level: int = 0
    in_table: bool = False
    page_before: bool = False


@dataclass(slots=True)
class Place:
    """A text of its own: the body, a footnote, a text box."""

    writer: Writer
    text: list[str] = field(default_factory=list)
    label: list[str] = field(default_factory=list)
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    boxes: list[str] = field(default_factory=list)


class RtfBody(Body):
    """Writes the paragraphs whose text its reader puts into `place`, as `state` says."""

    def __init__(self, writer: Writer) -> None:
        super().__init__(writer)
        self.place = Place(writer)
        self.places: list[Place] = []
        self.state = State(self.place.text)
        self.styles: dict[int, str] = {}
        self.outlines: dict[int, int] = {}
        self.title = ""
        self.section_ends = False

    def end_of(self, word: str) -> None:
        """End a paragraph, section, cell or row."""
        place = self.place
        if word in ("par", "sect"):
            if self.state.in_table and word == "par":
                place.cell.append(whole_text("".join(place.text)))
                place.text.clear()
            else:
                self.paragraph()
            if word == "sect" and not self.places:
                self.section_ends = True
        elif word in ("cell", "nestcell"):
            lines = [*place.cell, whole_text("".join(place.text))]
            label = self.label("".join(place.label))
            if label and lines[0].strip():
                lines[0] = f"{label} {lines[0]}"
            place.cells.append("\n".join(lines).replace("\f", "\n"))
            for kept in (place.cell, place.text, place.label):
                kept.clear()
        else:
            place.rows.append(place.cells)
            place.cells = []

    def end_table(self) -> None:
        """Write the table of the rows that are kept. One of a single column is layout."""
        place = self.place
        rows, place.rows = [*place.rows, *([place.cells] if place.cells else [])], []
        place.cells = []
        if max(map(len, rows), default=0) > 1:
            place.writer.table(rows)
        else:
            for row in rows:
                for line in "\n".join(row).split("\n"):
                    place.writer.paragraph(line)
        if rows and not self.places:
            self.fresh = False

    def paragraph(self) -> None:
        """Write a paragraph, and behind it the text boxes in it."""
        place, state = self.place, self.state
        self.end_table()
        text, label = whole_text("".join(place.text)), "".join(place.label).strip()
        boxes = place.boxes
        place.boxes = []
        place.text.clear()
        place.label.clear()
        self.writer, outer = place.writer, self.writer
        if state.page_before and text.strip() and not self.places:
            self.fresh_page()
        name = self.styles.get(state.style, "")
        found = _HEADING.match(name)
        outline = self.outlines.get(state.style) if state.outline is None else state.outline
        level = outline + 1 if outline is not None and 0 <= outline < 9 else int(found[1]) if found else 0
        if name == "title":
            level = 1
            self.title = self.title or " ".join(text.split())
        if level:
            before = f"{self.label(label)} " if self.label(label) not in ("", "-") else ""
            self.marked(text, lambda part: place.writer.heading(level, before + part))
        elif name in _CODE:
            self.marked(text, place.writer.code)
        elif label and (number := _NUMBER.match(label)) is not None:
            self.marked(text, lambda part: place.writer.item(state.level, part, int(number[1])))
        elif label:
            sign = self.label(label)
            self.marked(text, lambda part: place.writer.item(state.level, part if sign == "-" else f"{sign} {part}"))
        else:
            self.marked(text, place.writer.paragraph)
        for line in boxes:
            place.writer.paragraph(line)
        self.writer = outer

    @staticmethod
    def label(text: str) -> str:
        """The label of an item as it is printed; `-` for one without letters and digits, which is a bullet."""
        if not text.strip():
            return ""
        text = " ".join(whole_text(text).split())
        return text if any(map(str.isalnum, text)) and len(text) > 1 else "-"


def whole_text(text: str) -> str:
    """Text with its surrogates joined, and without signs of symbol fonts."""
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    parts = re.split("([\f\v])", text)
    return "".join(part if part in ("\f", "\v") else _PRIVATE.sub("", clean(part)) for part in parts)
