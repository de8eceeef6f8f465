"""What stands between the cells and rows of a table, and which tables hold data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from .names import NUMBER
from .tokens import Tokens
from .tree import Tree

__all__ = ["MADE_BY_MARKDOWN", "Markdown", "Plain", "Tables", "are_data"]

MADE_BY_MARKDOWN = "|-\\"
"""The characters that `Markdown` writes, and those that mask a pipe in a cell."""

_TABLE, _ROW, _CAPTION = NUMBER["table"], NUMBER["tr"], NUMBER["caption"]
_CELLS = (NUMBER["td"], NUMBER["th"])
_ROWS = (_ROW, NUMBER["thead"], NUMBER["tbody"], NUMBER["tfoot"])


class Tables(Protocol):
    """Reads the gaps between the pieces of a page that have parts of tables in them, in order."""

    def between(self, codes: Iterable[int], usual: str, last: bool) -> tuple[str, int, int]:
        """What stands in a gap with the tags `codes`, `usual` being what it would be outside of tables.

        Also how much of that belongs to the piece before, and how much to the one after. `last` says that
        no piece follows.
        """
        ...


class Plain:
    """Cells are parted by a tab, rows by a line break."""

    def __init__(self) -> None:
        self._cells: list[int] = []  # so far in the row, for each open table

    def between(self, codes: Iterable[int], usual: str, last: bool) -> tuple[str, int, int]:
        """As `Tables` says."""
        tabs, line, cells = 0, "", self._cells
        for code in codes:
            if abs(code) == _TABLE:
                if code > 0:
                    cells.append(0)
                elif cells:
                    cells.pop()
                line, tabs = "\n\n" if len(cells) <= (code > 0) else "\n", 0
            elif not cells:
                continue
            elif code in _ROWS:
                cells[-1] = tabs = 0
                line = line or "\n"
            elif code in _CELLS:
                tabs += cells[-1] > 0
                cells[-1] += 1
            elif abs(code) == _CAPTION:
                line = line or "\n"
        return (line + "\t" * tabs) or usual, 0, 0


class Markdown:
    """Rows with pipes around their cells, and a line of dashes below the first; a table in a cell is its text."""

    def __init__(self) -> None:
        self._depth = self._cells = self._rows = 0

    def between(self, codes: Iterable[int], usual: str, last: bool) -> tuple[str, int, int]:
        """As `Tables` says."""
        made, in_row, touched = "", self._cells > 0, False
        for code in codes:
            if code == _TABLE:
                self._depth += 1
                if self._depth == 1:
                    touched, self._rows = True, 0
                    made = made.rstrip("\n") + "\n\n" if made else ""
            elif code == -_TABLE and self._depth:
                self._depth -= 1
                if not self._depth:
                    made, touched = made + self._end_row(), True
            elif self._depth != 1:
                continue
            elif abs(code) in _ROWS:
                made += self._end_row()
            elif code in _CELLS:
                made += " | " if self._cells else "| " if made.endswith("\n") else "\n\n| "
                self._cells += 1
            elif abs(code) == _CAPTION:
                touched = True
        if last:
            made += self._end_row()
        elif in_row and self._cells and "\n" not in made:
            return made or " " * bool(usual), 0, 0
        elif not made and not touched:
            return usual, 0, 0
        elif not self._cells:
            made = made.rstrip("\n") + "\n\n"
        after = made.find("\n") if in_row else 0
        return made, max(after, 0), len(made) - made.rfind("\n") - 1 if self._cells else 0

    def _end_row(self) -> str:
        if not self._cells:
            return ""
        dashes = "" if self._rows else "|" + "---|" * self._cells + "\n"
        self._rows, self._cells = self._rows + 1, 0
        return f" |\n{dashes}"


def are_data(tokens: Tokens, tree: Tree) -> bool:
    """Whether a page has tables, all of them with header cells and none in another: they hold data, not the page."""
    import numpy

    heads = numpy.flatnonzero(tokens.codes == NUMBER["th"])
    before = -1
    for opens, closes in sorted(tree.tables):
        if opens < before or not numpy.searchsorted(heads, closes) > numpy.searchsorted(heads, opens):
            return False
        before = closes
    return bool(tree.tables)
