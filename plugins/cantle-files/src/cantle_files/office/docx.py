"""DOCX: WordprocessingML (ECMA-376, part 1, clause 17), as it would be printed, without headers and footers.

Pages begin at explicit breaks and where Word noted that one began when it last laid the document out.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from cantle import MDocument

from ..containers.archive import opened
from ..containers.opc import Package, attribute, child, find_all, is_on, whole
from ..containers.xml import Element, tag
from ..limits import Limits
from ..markup.writing import Writer
from .body import TreeBody
from .inline import Inline
from .styles import Label, Numbering, Styles

__all__ = ["read"]

_THROUGH = ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag", "subDoc", "ruby")
_CONTENTS = re.compile(r"toc \d|toc heading|table of figures|contents \d|contents heading|toa heading$")
_CODE = ("html preformatted", "source code", "preformatted text", "code", "code block", "macro", "plain text")
_DEPTH = re.compile(r"list .*?([2-5])$")
_MOST_COLUMNS = 1000


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that a DOCX file holds, as Markdown. Raises `DocumentError`."""
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        main = package.main("word/document.xml")
        writer = Writer(name, limits)
        body = child(package.tree(main), "body")
        reader = _Reader(package, main, writer)
        if body is not None:
            reader.run(body)
        metadata = package.properties()
        if "title" not in metadata and reader.title:
            metadata = {"title": reader.title} | metadata
        if writer.pages > 1:
            metadata["page_count"] = writer.pages
        return writer.document(metadata)


class _Reader(TreeBody):
    def __init__(self, package: Package, main: str, writer: Writer) -> None:
        def tree(kind: str) -> Element | None:
            part = package.first(main, kind)
            return None if part is None else package.tree(part)

        super().__init__(writer)
        self.styles, self.numbering = Styles(tree("styles")), Numbering(tree("numbering"))
        self.links = {key: one.target for key, one in package.related(main).items() if one.is_outside}
        self.notes = {
            kind: {attribute(one, "id"): one for one in find_all(tree(f"{kind}s"), kind)}
            for kind in ("footnote", "endnote")
        }
        self.marks: dict[tuple[str, str], str] = {}
        self.in_note = False
        self.title = ""
        self.sections: list[bool] = []  # for each section whether it begins a page

    def run(self, body: Element) -> None:
        """Write the whole body."""
        for one in body.iter("{*}sectPr"):
            if tag(one.getparent()) in ("pPr", "body"):
                self.sections.append(attribute(child(one, "type"), "val") not in ("continuous", "nextColumn"))
        self.blocks(body)
        if self.held:
            self.writer.paragraph(self.held)

    def blocks(self, element: Element) -> None:
        """Write paragraphs and tables."""
        for one in element:
            name = tag(one)
            if name == "p":
                self.paragraph(one)
            elif name == "tbl":
                self.table(one)
            elif name == "AlternateContent":
                if (chosen := child(one, "Choice")) is not None or (chosen := child(one, "Fallback")) is not None:
                    self.blocks(chosen)
            elif name in _THROUGH and not _is_contents(one):
                self.blocks(one)

    def paragraph(self, element: Element) -> None:
        """Write a paragraph, and behind it what its text boxes hold."""
        properties = child(element, "pPr")
        style = attribute(child(properties, "pStyle"), "val")
        section = child(properties, "sectPr") is not None
        named = self.styles.name(style)
        if _CONTENTS.match(named):
            self.end_section(section)
            return
        before = child(properties, "pageBreakBefore")
        if before is None:
            before = self.styles.property(style, "pPr", "pageBreakBefore")
        if is_on(before):
            self.fresh_page()
        line = Inline(self.links, self.styles, self.mark)
        line.read(element)
        text = self.held + line.text
        self.held = ""
        if child(properties, "rPr", "del") is not None or child(properties, "rPr", "moveFrom") is not None:
            self.held = text  # without its end it goes on in the next one
        else:
            self.marked(text, self.role(properties, style, named, text))
        for box in line.boxes:
            self.blocks(box)
        self.end_due()
        self.end_section(section)

    def end_section(self, ends: bool) -> None:
        """End a section at a paragraph that does: a page too, where the next one begins one."""
        if ends and self.sections:
            self.sections.pop(0)
            if self.sections and self.sections[0]:
                self.page()

    def role(self, properties: Element | None, style: str | None, named: str, text: str) -> Callable[[str], None]:
        """What writes a paragraph: as a heading, an item, code or text. It is counted, if it is numbered."""
        level = attribute(child(properties, "outlineLvl"), "val")
        heading = self.styles.heading(style) if level is None else (whole(level) + 1) % 10
        if not text.strip():
            return self.writer.paragraph
        label, depth = self.label(properties, style, named)
        if heading:
            if named == "title" and not self.title:
                self.title = " ".join(text.split())
            before = f"{label.text} " if label is not None and label.text else ""
            return lambda part: self.writer.heading(heading, before + part)
        if named in _CODE:
            return lambda part: self.writer.code(part.rstrip())
        if label is None:
            return self.writer.paragraph
        if label.blank:
            return self.writer.more
        if (label.bullet and not label.text) or label.number is not None:
            return lambda part: self.writer.item(depth, part, label.number)
        return lambda part: self.writer.item(depth, f"{label.text} {part}")

    def label(self, properties: Element | None, style: str | None, named: str) -> tuple[Label | None, int]:
        """The label of a paragraph in a list, and its depth in it."""
        own = child(properties, "numPr")
        styled = self.styles.property(style, "pPr", "numPr")
        number = attribute(child(own, "numId"), "val") or attribute(child(styled, "numId"), "val")
        if number in (None, "0"):
            return None, 0
        level = attribute(child(own, "ilvl"), "val") or attribute(child(styled, "ilvl"), "val")
        at = self.numbering.level_of(number, style) if level is None else min(max(whole(level), 0), 8)
        deeper = _DEPTH.match(named)
        return self.numbering.label(number, at), max(at, int(deeper[1]) - 1 if deeper else 0)

    def mark(self, kind: str, identifier: str) -> str:
        """What stands for a foot- or endnote. Its text is kept for the end of the section."""
        element = self.notes.get(kind, {}).get(identifier)
        if element is None or self.in_note:
            return ""
        key = (kind, identifier)
        if key not in self.marks:
            count = sum(one == kind for one, _ in self.marks) + 1
            self.marks[key] = str(count) if kind == "footnote" else f"e{count}"
            self.in_note = True
            self.writer.note(self.marks[key], self.inside(element)[0])
            self.in_note = False
        return f"[^{self.marks[key]}]"

    def table(self, element: Element) -> None:
        """Write a table. One of a single column is layout: what is in it is written as it stands."""
        rows = [row for row in _rows(element) if child(row, "trPr", "del") is None]
        cells = [_through(row, "tc") for row in rows]
        if max(map(len, cells), default=0) < 2:
            for row in cells:
                for cell in row:
                    self.blocks(cell)
            return
        pages, lines = 0, []
        for number, row in enumerate(rows):
            noted = next(iter(row.iter("{*}lastRenderedPageBreak")), None) is not None
            texts: list[str] = []
            ends = 0
            texts += [""] * _span(child(row, "trPr", "gridBefore"))
            for cell in cells[number]:
                properties = child(cell, "tcPr")
                merge = child(properties, "vMerge")
                text, ended = self.inside(cell) if _says(cell) else ("", 0)
                ends = max(ends, ended)
                goes_on = merge is not None and attribute(merge, "val") in (None, "continue")
                texts.append("" if goes_on else text)
                texts += [""] * (_span(child(properties, "gridSpan")) - 1)
            if number == 0 and noted and ends:
                self.fresh_page()
                ends -= 1
            pages += ends
            lines.append(texts)
        self.rows(lines, pages)


def _says(cell: Element) -> bool:
    """Whether anything may stand in a cell: most tables with very many cells are nearly empty."""
    return next(cell.iter("{*}r", "{*}oMath", "{*}oMathPara"), None) is not None


def _rows(table: Element) -> list[Element]:
    return _through(table, "tr")


def _through(element: Element, name: str) -> list[Element]:
    """The children of this name, those in content controls too."""
    found = []
    for one in element:
        if tag(one) == name:
            found.append(one)
        elif tag(one) in _THROUGH:
            found += _through(one, name)
    return found


def _span(element: Element | None) -> int:
    return min(max(whole(attribute(element, "val"), 1), 0), _MOST_COLUMNS) if element is not None else 0


def _is_contents(element: Element) -> bool:
    """Whether it is the control around a table of contents."""
    gallery = child(element, "sdtPr", "docPartObj", "docPartGallery")
    return (attribute(gallery, "val") or "").lower() == "table of contents"
