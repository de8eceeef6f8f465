"""The text of OpenDocument: headings, paragraphs, lists, tables, sections, frames. For ODT, and the frames of ODP."""

from __future__ import annotations

import re

from ..containers.opc import attribute, child, whole
from ..containers.xml import Element, tag
from ..markup.writing import Writer, image
from .body import TreeBody
from .odf import ListLevel, Lists, Styles, inline, label_of

__all__ = ["Flow"]

_THROUGH = (
    "section", "index-body", "text-box", "frame", "g", "custom-shape", "rect", "ellipse", "list-header",
    "numbered-paragraph", "bibliography", "table-header-rows", "table-rows",
)  # fmt: skip
_CODE = ("preformatted text", "html preformatted", "source code", "code")
_DEPTH = re.compile(r"list (?:bullet |number |numbering )?([2-5])(?: |$)")
"""Styles of items that are set in, each a list of its own: List Bullet 2."""

_MOST_COLUMNS = 1000
_MOST_COPIES = 100
"""How often a cell or row that says something may say it again."""


class Flow(TreeBody):
    """Writes text of an OpenDocument file."""

    def __init__(self, writer: Writer, styles: Styles) -> None:
        super().__init__(writer)
        self.styles = styles
        self.lists = Lists()
        self.title = ""
        self.notes = {"footnote": 0, "endnote": 0}
        self.in_note = False
        self._list: tuple[str, int] | None = None  # style and depth of the list
        self._first: tuple[int | None] | None = None  # the next paragraph is the first of an item, with its start

    def blocks(self, element: Element) -> None:
        """Write what is in an element."""
        for one in element:
            name = tag(one)
            if name in ("p", "h"):
                self.paragraph(one)
            elif name == "list":
                self.items(one)
            elif name == "table":
                self.table(one)
            elif name == "soft-page-break":
                self.fresh_page()
            elif name in _THROUGH and attribute(one, "display") != "none":
                fresh = self.fresh
                self.blocks(one)
                if attribute(one, "anchor-type") == "page":  # it stands on a page that the text begins later
                    self.fresh = fresh

    def shape(self, element: Element) -> None:
        """Write what a frame or shape says: its text or table, else the description of its picture."""
        said = child(element, "desc")
        if said is not None and child(element, "image") is not None and child(element, "table") is None:
            self.writer.paragraph(image("".join(said.itertext())))
        self.blocks(element)

    def paragraph(self, element: Element) -> None:
        """Write a paragraph or heading, and behind it the frames in it."""
        style = attribute(element, "style-name")
        get = self.styles.property
        self._before("paragraph", style)
        boxes: list[Element] = []
        text = inline(element, self.styles, self.note, boxes)
        if get("paragraph", style, "text-properties", "display") != "none":
            self.text(element, text, style)
        for box in boxes:
            outer, self._list = self._list, None
            self.blocks(box)
            self._list = outer
        self.end_due()
        self._after("paragraph", style)

    def _before(self, family: str, style: str | None) -> None:
        """Begin a page where a paragraph or table does, or pages of another layout begin with it."""
        layout = any(attribute(one, "master-page-name") for one in list(self.styles.chain(family, style))[:1])
        if layout or self.styles.property(family, style, f"{family}-properties", "break-before") == "page":
            self.fresh_page()

    def _after(self, family: str, style: str | None) -> None:
        if self.styles.property(family, style, f"{family}-properties", "break-after") == "page":
            self.page()

    def text(self, element: Element, text: str, style: str | None) -> None:
        """Write the text of a paragraph as what it is."""
        names = self.styles.names("paragraph", style)
        level = whole(attribute(element, "outline-level"), 1) if tag(element) == "h" else 0
        if not text.strip():
            self.marked(text, self.writer.paragraph)
        elif level:
            label = "" if attribute(element, "is-list-header") == "true" else self._heading_label(level)
            self.marked(text, lambda part: self.writer.heading(level, f"{label} {part}" if label else part))
        elif "title" in names:
            self.title = self.title or " ".join(text.split())
            self.marked(text, lambda part: self.writer.heading(1, part))
        elif any(name in _CODE for name in names):
            self.marked(text, self.writer.code)
        elif self._list is not None and self._first is not None:
            deeper = next((int(found[1]) - 1 for one in names if (found := _DEPTH.match(one))), 0)
            self.item(text, self._first[0], deeper)
            self._first = None
        elif self._list is not None:
            self.marked(text, self.writer.more)
        else:
            self.marked(text, self.writer.paragraph)

    def _heading_label(self, level: int) -> str:
        levels = self.styles.outline
        if self._list is not None and self._first is not None:  # a heading that is an item
            name, _ = self._list
            levels, key = self.styles.lists.get(name, {}), name
            return label_of(levels, self.lists.count(key, levels, level, self._first[0]), level)
        counts = self.lists.count("", levels, level, None)
        return label_of(levels, counts, level)

    def items(self, element: Element) -> None:
        """Write a list."""
        outer = self._list
        style = attribute(element, "style-name") or (outer[0] if outer else "")
        depth = outer[1] + 1 if outer else 0
        continues = attribute(element, "continue-numbering") == "true" or attribute(element, "continue-list")
        if outer is None and not continues:
            self.lists.counts.pop(style, None)
        for one in element:
            if tag(one) == "soft-page-break":
                self.fresh_page()
            elif tag(one) in ("list-item", "list-header"):
                start = attribute(one, "start-value")
                self._list = style, depth
                self._first = (whole(start) if start is not None else None,) if tag(one) == "list-item" else None
                self.blocks(one)
        self._list, self._first = outer, None

    def item(self, text: str, start: int | None, least: int) -> None:
        """Write an item of the list, not above the least depth."""
        assert self._list is not None
        style, depth = self._list
        levels = self.styles.lists.get(style, {})
        at = max(depth, least)
        own = levels.get(depth + 1, ListLevel(None, "", "", 1, 1))
        counts = self.lists.count(style, levels, depth + 1, start)
        if own.format is None:
            self.marked(text, lambda part: self.writer.item(at, part))
        elif own.format == "1" and own.shown == 1 and not own.prefix.strip() and own.suffix.strip() in ("", ".", ")"):
            self.marked(text, lambda part: self.writer.item(at, part, counts[depth + 1]))
        else:
            label = label_of(levels, counts, depth + 1)
            self.marked(text, lambda part: self.writer.item(at, f"{label} {part}" if label else part))

    def note(self, element: Element) -> str:
        """What stands for a foot- or endnote. Its text is kept for the end of the section."""
        body = child(element, "note-body")
        if body is None or self.in_note:
            return ""
        kind = "endnote" if attribute(element, "note-class") == "endnote" else "footnote"
        self.notes[kind] += 1
        mark = f"{'e' if kind == 'endnote' else ''}{self.notes[kind]}"
        self.in_note = True
        outer, first, self._list = self._list, self._first, None
        self.writer.note(mark, self.inside(body)[0])
        self.in_note, self._list, self._first = False, outer, first
        return f"[^{mark}]"

    def table(self, element: Element) -> None:
        """Write a table. One of a single column is layout: what is in it is written as it stands."""
        style = attribute(element, "style-name")
        self._before("table", style)
        rows, pages = _rows(element)
        cells = [[one for one in row if tag(one) in ("table-cell", "covered-table-cell")] for row, _ in rows]
        outer, self._list = self._list, None
        if max((sum(_repeated(one, "columns") for one in row) for row in cells), default=0) < 2:
            for row in cells:
                for cell in row:
                    self.blocks(cell)
        else:
            lines: list[list[str]] = []
            for (_, times), row in zip(rows, cells, strict=True):
                texts: list[str] = []
                ends = 0
                for cell in row:
                    text, ended = self.inside(cell) if tag(cell) == "table-cell" else ("", 0)
                    ends = max(ends, ended)
                    times_across = min(_repeated(cell, "columns"), _MOST_COPIES if text else _MOST_COLUMNS)
                    texts += [text] * min(times_across, max(_MOST_COLUMNS - len(texts), 0))
                pages += ends
                lines += [texts] * (min(times, _MOST_COPIES) if any(texts) else 1)
            self.rows(lines, pages)
        self._list = outer
        self._after("table", style)


def _rows(table: Element) -> tuple[list[tuple[Element, int]], int]:
    """The rows of a table with how often each is there, and how many pages end between them."""
    found: list[tuple[Element, int]] = []
    pages = 0
    for one in table:
        name = tag(one)
        if name == "table-row":
            found.append((one, _repeated(one, "rows")))
        elif name == "soft-page-break":
            pages += 1
        elif name in ("table-header-rows", "table-rows", "table-row-group"):
            rows, ends = _rows(one)
            found += rows
            pages += ends
    return found, pages


def _repeated(element: Element, what: str) -> int:
    return min(max(whole(attribute(element, f"number-{what}-repeated"), 1), 1), _MOST_COLUMNS)
