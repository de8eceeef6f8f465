"""HTML as Markdown: chapters of books, e-mail."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..containers.xml import Element, parse_html, tag
from .writing import Lines, Writer, clean, image, link

__all__ = ["write_html", "write_tree"]

_DEEPEST = 200
"""Elements inside of one another; of what is deeper only the text is taken."""

_LEFT_OUT = re.compile(
    "(?:head|script|style|noscript|template|iframe|object|embed|audio|video|canvas|select|textarea|button|svg|map)$"
)
_BLOCK = re.compile(
    "(?:address|article|aside|blockquote|body|caption|center|dd|details|dialog|div|dl|dt|fieldset|figcaption|figure"
    "|footer|form|h[1-6]|header|hgroup|hr|html|legend|li|main|nav|ol|p|pre|search|section|summary|table|ul|dir|menu"
    "|tbody|thead|tfoot|tr|td|th)$"
)
_HEADING = re.compile("h[1-6]$")
_BLANKS = re.compile(r"[ \t\n\r\f]+")


def write_html(
    writer: Writer, data: bytes | str, *, level: int = 0, resolve: Callable[[str], str] | None = None
) -> None:
    """Write an HTML page. See `write_tree`; the encoding of bytes is the one that they declare, else UTF-8."""
    root = parse_html(data, writer.name)
    if root is not None:
        write_tree(writer, root, level=level, resolve=resolve)


def write_tree(writer: Writer, root: Element, *, level: int = 0, resolve: Callable[[str], str] | None = None) -> None:
    """Write what an element of HTML or XHTML shows.

    `level` is added to the levels of headings. `resolve` is given the target of each link and gives the one to write;
    an empty one, or one that begins with `#`, leaves only the text.
    """
    page = _Page(writer, level, resolve)
    page.element(root, 0)
    page.end()


class _Page:
    def __init__(self, writer: Writer, level: int, resolve: Callable[[str], str] | None) -> None:
        self.writer, self.level, self.resolve = writer, level, resolve
        self.line: list[str] = []
        self.lists: list[int | None] = []  # of each list the number of its next item, None where it has none
        self.fresh = False  # the next block is the first one of an item
        self.heading = 0

    def element(self, element: Element, depth: int) -> None:
        """Write an element, without its tail."""
        name = tag(element).lower()
        if not name or _LEFT_OUT.match(name) or _is_hidden(element):
            return
        if depth > _DEEPEST:
            self.text("".join(element.itertext()))
        elif name == "br":
            self.line.append("\n")
        elif name == "img":
            self.line.append(image(element.get("alt") or "", element.get("src") or ""))
        elif name == "a":
            self.anchor(element, depth)
        elif name in ("q", "code", "kbd", "samp", "tt") and not len(element):
            held = _BLANKS.sub(" ", clean(element.text or "")).strip()
            quotes = '"' if name == "q" else "`"
            self.line.append(f"{quotes}{held}{quotes}" if held and quotes not in held else held)
        elif name in ("math", "annotation"):
            self.text(element.get("alttext") or "".join(element.itertext()))
        elif _BLOCK.match(name):
            self.block(element, name, depth)
        else:
            self.children(element, depth)

    def children(self, element: Element, depth: int) -> None:
        """Write what is in an element."""
        self.text(element.text)
        for child in element:
            self.element(child, depth + 1)
            self.text(child.tail)

    def block(self, element: Element, name: str, depth: int) -> None:
        self.end()
        if name == "pre":
            self.writer.code(clean("".join(element.itertext())).strip("\n"), _language(element))
        elif name == "table":
            self.table(element, depth)
        elif name == "hr":
            self.writer.raw("---")
        elif name in ("ul", "ol", "dir", "menu"):
            start = element.get("start") or "1"
            number = int(start) if start.isdecimal() and len(start) < 9 else 1
            self.lists.append(number if name == "ol" else None)
            self.children(element, depth)
            self.end()
            self.lists.pop()
        elif name == "li":
            self.fresh = True
            self.children(element, depth)
            self.end()
            self.fresh = False
        else:
            if _HEADING.match(name):
                self.heading = int(name[1])
            self.children(element, depth)
            self.end()
            self.heading = 0

    def table(self, element: Element, depth: int) -> None:
        """A table; one of a single column or that holds tables is layout, and what is in it written as it stands."""
        rows = [row for row in element.iter() if tag(row).lower() == "tr"]
        cells = [[cell for cell in row if tag(cell).lower() in ("td", "th")] for row in rows]
        nested = any(tag(inner).lower() == "table" for inner in element.iterdescendants())
        if nested or max(map(len, cells), default=0) < 2:
            self.children(element, depth)
            return
        for caption in element:
            if tag(caption).lower() == "caption":
                self.children(caption, depth + 1)
                self.end()
        self.writer.table(_grid(cells, lambda cell: self.inside(cell, depth + 3)))

    def inside(self, cell: Element, depth: int) -> str:
        """The text of a cell: its blocks on lines of their own."""
        lines = Lines(self.writer)
        inner = _Page(lines, self.level, self.resolve)
        inner.children(cell, depth)
        inner.end()
        return lines.text

    def anchor(self, element: Element, depth: int) -> None:
        if any(_BLOCK.match(tag(inner).lower()) for inner in element.iterdescendants()):
            self.children(element, depth)
            return
        outer, self.line = self.line, []
        self.children(element, depth)
        held = "".join(self.line)
        self.line = outer
        target = element.get("href") or ""
        if self.resolve is not None and target:
            target = self.resolve(target)
        if target.lower().startswith(("javascript:", "data:", "cid:")):
            target = ""
        text = link(_BLANKS.sub(" ", held), target)
        self.line += [" " if held[:1].isspace() else "", text, " " if held[-1:].isspace() else ""]

    def text(self, text: str | None) -> None:
        """Text of the line, its blanks as HTML has them."""
        if text:
            self.line.append(_BLANKS.sub(" ", clean(text)))

    def end(self) -> None:
        """End the line: what it holds is a paragraph, a heading or an item."""
        text = re.sub(" *\n *", "\n", re.sub("  +", " ", "".join(self.line))).strip()
        self.line = []
        if not text:
            return
        if self.heading:
            self.writer.heading(self.heading + self.level, text)
        elif self.fresh and self.lists:
            number = self.lists[-1]
            self.writer.item(len(self.lists) - 1, text, number)
            if number is not None:
                self.lists[-1] = number + 1
        elif self.lists:
            self.writer.more(text)
        else:
            self.writer.paragraph(text)
        self.fresh = False


def _grid(cells: list[list[Element]], text: Callable[[Element], str]) -> list[list[str]]:
    """The texts of cells at their places: what spans several columns or rows is in the first, the others are empty."""
    rows: list[list[str]] = []
    taken: dict[int, int] = {}  # columns that cells above span, and for how many rows more
    for row in cells:
        out: list[str] = []
        below = {column: count - 1 for column, count in taken.items() if count > 1}
        for cell in row:
            while len(out) in taken:
                out.append("")
            wide, high = _span(cell, "colspan"), _span(cell, "rowspan")
            if high > 1:
                below |= dict.fromkeys(range(len(out), len(out) + wide), high - 1)
            out += [text(cell)] + [""] * (wide - 1)
        rows.append(out)
        taken = below
    return rows


def _span(cell: Element, which: str) -> int:
    said = cell.get(which) or "1"
    return min(max(int(said), 1), 100) if said.isdecimal() and len(said) < 6 else 1


def _language(pre: Element) -> str:
    for element in pre.iter():
        found = re.search(
            r"(?:^|\s)(?:language|lang|highlight|sourceCode)[- ]([A-Za-z0-9+#_]+)", element.get("class") or ""
        )
        if found:
            return found[1]
    return ""


def _is_hidden(element: Element) -> bool:
    style = (element.get("style") or "").replace(" ", "").lower()
    return "display:none" in style or "visibility:hidden" in style or element.get("hidden") is not None
