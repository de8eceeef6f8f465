"""The body of a text document: where its pages end, and paragraphs that go on in the next one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from ..containers.xml import Element
from ..markup.writing import Lines, Writer

__all__ = ["Body", "TreeBody"]


class Body:
    """Writes a body of text. In its paragraphs `\\f` is a page break, `\\v` one that a program noted.

    A paragraph over several pages stays whole, and the page ends behind it; so does a table.
    """

    def __init__(self, writer: Writer) -> None:
        self.writer = writer
        self.fresh = True
        """Nothing stands on the page yet."""
        self.due = 0
        """Pages that end behind the paragraph or table."""
        self.held = ""
        """The text of a paragraph whose end was deleted: it goes on in the next one."""

    def page(self) -> None:
        """End a page."""
        self.writer.page()
        self.fresh = True

    def fresh_page(self) -> None:
        """End a page, unless nothing stands on it: for what begins one, and for breaks that were noted."""
        if not self.fresh:
            self.page()

    def end_due(self) -> None:
        """End the pages that are due."""
        due, self.due = self.due, 0
        for _ in range(due):
            self.page()

    def marked(self, text: str, write: Callable[[str], None]) -> None:
        """Write the text of a paragraph; call `end_due` behind what stands in it."""
        for number, part in enumerate(text.split("\f")):
            if number:
                self.end_due()
                self.page()
            begun = part[: len(part) - len(part.lstrip())].count("\v")
            if begun:  # else it is noted for a break that was explicit
                self.fresh_page()
            self.due += part.count("\v") - begun
            plain = part.replace("\v", "")
            if plain.strip():
                write(plain)
                self.fresh = False

    def rows(self, rows: list[list[str]], pages: int) -> None:
        """Write the rows of a table in which so many pages end."""
        self.writer.table(rows)
        self.fresh = False
        self.due += pages
        self.end_due()


class TreeBody(Body, ABC):
    """A body that is read from a tree."""

    @abstractmethod
    def blocks(self, element: Element) -> None:
        """Write paragraphs, lists and tables."""

    def inside(self, element: Element) -> tuple[str, int]:
        """The text of a cell or a note, a line for each paragraph, and how many pages end in it."""
        kept = self.writer, self.fresh, self.due, self.held
        lines = Lines(self.writer)
        self.writer, self.fresh, self.due, self.held = lines, False, 0, ""
        self.blocks(element)
        lines.paragraph(self.held)
        self.writer, self.fresh, self.due, self.held = kept
        return lines.text, lines.pages - 1
