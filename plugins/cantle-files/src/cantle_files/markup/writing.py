"""Markdown, written block by block: what the readers of office files, books and e-mail have in common.

Text that looks like Markdown is escaped only where it would be read as structure: at the beginnings of lines, in cells
of tables and in the texts of links. Emphasis is not written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cantle import MDocument

from ..limits import Limits, too_large

__all__ = ["MOST_COLUMNS", "PAGE", "Lines", "Writer", "clean", "escape", "heading_text", "image", "link", "table"]

PAGE = "\f"
"""What stands, as a paragraph of its own, between pages, slides and sheets."""

MOST_COLUMNS = 16_384
"""Columns of a table; what stands beyond is in the last one."""

_DEEPEST = 12
"""Levels of a list; deeper ones are on the deepest."""

_HEADINGS = 6

_CONTROLS = re.compile("[\0-\x08\x0e-\x1f\x7f]")

_STRUCTURE = re.compile(
    r"""
      [#]{1,6}(?=[ \t]|$)              # a heading
    | [-+*](?=[ \t]|$)                 # an item
    | >                                # a quotation
    | `{3,} | ~{3,}                    # code
    | \|                               # a table
    | [-*_=](?:[ \t]*[-*_=])*[ \t]*$   # a rule, or a line that makes a heading of the one above
    | :?-+:?[ \t]*\|                   # the second line of a table
    | \[[^\]\n]{1,999}\]:              # a definition
    | <(?=[A-Za-z/!?])                 # HTML
    """,
    re.VERBOSE,
)
_NUMBERED = re.compile(r"(\d{1,9})([.)])(?=[ \t]|$)")
_CLOSING = re.compile(r"(?<=[ \t])(?=#+$)")
_FENCES = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def clean(text: str) -> str:
    """Line ends as line feeds, form feeds and vertical tabs as spaces, other control characters left out."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", " ").replace("\v", " ")
    return _CONTROLS.sub("", text)


def escape(text: str) -> str:
    """The text of a paragraph, each of whose lines Markdown reads as text. Blanks around lines are left out."""
    return "\n".join(_escaped_line(line.strip()) for line in text.split("\n"))


def _escaped_line(line: str) -> str:
    if _STRUCTURE.match(line):
        return "\\" + line
    return _NUMBERED.sub(r"\1\\\2", line, count=1) if line[:1].isdigit() and _NUMBERED.match(line) else line


def heading_text(text: str) -> str:
    """A text as that of a heading: one line."""
    return _CLOSING.sub(r"\\", " ".join(text.split()))


def link(text: str, target: str) -> str:
    """A link; just the text where no target leads out of the document, and just the target where that is the text."""
    target = clean(target).strip()
    text = text.strip()
    if not target or target.startswith("#") or not text or target in (text, f"mailto:{text}"):
        return text
    return f"[{_in_brackets(text)}]({_target(target)})"


def image(text: str, target: str = "") -> str:
    """A picture that is described by a text; nothing for one that is not."""
    text = " ".join(clean(text).split())
    return f"![{_in_brackets(text)}]({_target(target) if not target.startswith('data:') else ''})" if text else ""


def _in_brackets(text: str) -> str:
    return re.sub(r"([\[\]])", r"\\\1", text) if text.count("[") != text.count("]") else text


def _target(target: str) -> str:
    target = re.sub(r"\s+", "%20", target.strip())
    return target.replace("(", "%28").replace(")", "%29").replace("<", "%3C").replace(">", "%3E")


def table(rows: Iterable[Sequence[str]]) -> str:
    """A table as Markdown, its first row as the header. Lines of a cell are divided by `<br>`, short rows filled up.

    Columns and rows without any text are left out; nothing is left of an empty table.
    """
    held = [[_cell(cell) if cell else "" for cell in row] for row in rows]
    held = [row for row in held if any(row)]
    used = sorted({at for row in held for at, cell in enumerate(row) if cell})[:MOST_COLUMNS]
    if not used:
        return ""
    last = used[-1]
    lines = []
    for row in held:
        cells = [row[at] if at < len(row) else "" for at in used]
        if len(row) > last + 1:
            cells[-1] = " ".join(filter(None, row[last:]))
        lines.append("| " + " | ".join(cells) + " |")
    lines.insert(1, "|" + " --- |" * len(used))
    return "\n".join(lines)


def _cell(text: str) -> str:
    lines = [" ".join(line.split()) for line in text.replace("|", "\\|").split("\n")]
    return "<br>".join(line for line in lines if line)


class Writer:
    """A Markdown text that grows block by block. Blocks are divided by blank lines, items of a list by line feeds.

    `name` is the file's, for messages. Every method raises `DocumentError` once the text is longer, or the pages
    are more, than the limits allow. Texts are inline Markdown on lines of their own: what comes from a file goes
    through `clean` first, and the methods escape what would be read as structure, but for `raw`.
    """

    def __init__(self, name: str, limits: Limits) -> None:
        self.name, self.limits = name, limits
        self.pages = 1
        self._blocks: list[str] = []
        self._size = 0
        self._items: list[tuple[int, int]] = []  # the depths of the open items, and the widths of their markers
        self._code: tuple[str, list[str]] | None = None
        self._notes: list[tuple[str, str]] = []

    @property
    def size(self) -> int:
        """The characters written so far."""
        return self._size

    def heading(self, level: int, text: str) -> None:
        """A heading of level 1, 2, ...; from 6 on all are alike. Nothing for an empty one. Notes go before it."""
        text = heading_text(text)
        if text:
            self.flush_notes()
            self.raw("#" * max(1, min(level, _HEADINGS)) + " " + text)

    def paragraph(self, text: str) -> None:
        """A paragraph; nothing for an empty one."""
        text = escape(text).strip()
        if text:
            self.raw(text)

    def item(self, depth: int, text: str, number: int | None = None) -> None:
        """An item of a list, `depth` from 0; with a number that of an ordered one. An empty one is left out."""
        text = escape(text).strip()
        if not text:
            return
        self._end_code()
        held = [one for one in self._items if one[0] < min(depth, _DEEPEST)]
        marker = "- " if number is None else f"{min(max(number, 0), 999_999_999)}. "
        indent, first = sum(width for _, width in held), not self._items
        inner = "\n" + " " * (indent + len(marker))
        self._add(("\n\n" if first else "\n") + " " * indent + marker + re.sub("\n+", inner, text))
        self._items = [*held, (min(depth, _DEEPEST), len(marker))]

    def more(self, text: str) -> None:
        """One more paragraph of the last item, or a paragraph where none was written."""
        text = escape(text).strip()
        if not self._items:
            self.paragraph(text)
        elif text:
            inner = "\n" + " " * sum(width for _, width in self._items)
            self._add("\n" + inner + re.sub("\n+", inner, text))

    def end_list(self) -> None:
        """End the list: a next item begins another one."""
        self._items = []

    def code(self, text: str, language: str = "") -> None:
        """Lines of code; those that follow one another in the same language are one block."""
        if self._code is None or self._code[0] != language:
            self._end_code()
            self._items = []
            self._code = (language, [])
        self._code[1].append(text)
        self._count(len(text))

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """A table; nothing for an empty one."""
        self.raw(table(rows))

    def raw(self, text: str) -> None:
        """A block that is Markdown already; nothing for an empty one."""
        if text:
            self._end_code()
            self._items = []
            self._add("\n\n" + text)

    def note(self, mark: str, text: str) -> None:
        """A footnote, to which `[^mark]` in the text refers. It is written at the end of its section or page."""
        text = re.sub("\n+", "\n    ", escape(text).strip())
        self._notes.append((mark, text))
        self._count(len(text))

    def flush_notes(self) -> None:
        """Write the footnotes that are kept."""
        held, self._notes = self._notes, []
        for mark, text in held:
            self.raw(f"[^{mark}]: {text}")

    def page(self) -> None:
        """The end of a page, slide or sheet, and the begin of the next one."""
        self.flush_notes()
        self.pages += 1
        if self.pages > self.limits.max_pages:
            raise too_large(self.name, "pages", None, self.limits.max_pages, "max_pages")
        self.raw(PAGE)

    def document(self, metadata: Mapping[str, Any]) -> MDocument:
        """The document of all that was written, with those of the metadata that hold anything."""
        self.flush_notes()
        self._end_code()
        text = "".join(self._blocks).removeprefix("\n\n")
        held = {key: value for key, value in metadata.items() if value not in ("", None)}
        return MDocument.from_markdown(text + "\n" if text else "", metadata=held, source=self.name)

    def _end_code(self) -> None:
        if self._code is not None:
            (language, lines), self._code = self._code, None
            text = "\n".join(lines)
            if text.strip():
                fence = "`" * max((len(found) + 1 for found in _FENCES.findall(text)), default=3)
                self._add(f"\n\n{fence}{language}\n{text}\n{fence}")

    def _add(self, block: str) -> None:
        self._blocks.append(block)
        self._count(len(block))

    def _count(self, more: int) -> None:
        self._size += more
        if self._size > self.limits.max_characters:
            raise too_large(self.name, "characters", None, self.limits.max_characters, "max_characters")


class Lines(Writer):
    """A writer for the inside of a cell or a note: `text` has a line for each block. Notes go to the outer writer."""

    def __init__(self, outer: Writer) -> None:
        super().__init__(outer.name, outer.limits)
        self._outer = outer
        self._lines: list[str] = []

    @property
    def text(self) -> str:
        """What was written."""
        return "\n".join(self._lines)

    def paragraph(self, text: str) -> None:
        """A line."""
        text = text.strip()
        if text:
            self._count(len(text))
            self._lines.append(text)

    more = raw = paragraph

    def heading(self, level: int, text: str) -> None:
        """A heading, as a line."""
        self.paragraph(" ".join(text.split()))

    def item(self, depth: int, text: str, number: int | None = None) -> None:
        """An item, with its marker."""
        if text.strip():
            self.paragraph(("- " if number is None else f"{number}. ") + text.strip())

    def code(self, text: str, language: str = "") -> None:
        """Code, as lines."""
        self.paragraph(text)

    def table(self, rows: Iterable[Sequence[str]]) -> None:
        """A table, with a line for each row."""
        for row in rows:
            self.paragraph("; ".join(" ".join(cell.split()) for cell in row if cell.strip()))

    def note(self, mark: str, text: str) -> None:
        """A footnote, kept by the outer writer."""
        self._outer.note(mark, text)

    def flush_notes(self) -> None:
        """Nothing: the outer writer has them."""

    def page(self) -> None:
        """No page ends inside of a cell; how many should have is counted in `pages`."""
        self.pages += 1
