"""The top-level blocks of a Markdown text, found by jumping from one line that may begin a block to the next.

Paragraph lines are never looked at one by one: whatever lies between the blocks found here is paragraphs,
indented code and link definitions, which no one needs to tell apart for a cut.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..lines import view
from .containers import follow
from .definitions import definition_end, text_end
from .html import BLANK, ending, html_end, is_complete
from .patterns import (
    ATX,
    BLANK_LINE,
    DELIMITERS,
    FENCE,
    FENCE_END,
    FRONT,
    HERE,
    INDENTED,
    INTERRUPT,
    MARKER,
    NEXT,
    NOT_QUOTE,
    RULE,
    TABLE_END,
    UNDERLINE,
    cells,
    is_blank,
    line_end,
    maths_end,
)

__all__ = ["Block", "outline"]

_FRONT_MOST = 65_536
_FEW_BLANKS = (" ", "  ", "   ", "    ")
_FILLED = re.compile(r"\n(?=[ \t]*[^ \t\n])")


class Block(NamedTuple):
    """A top-level block: whole lines `[start, end)`, blank lines around it left out.

    `kind` is heading, fence, maths, table, list, quote, html, comment, rule or front-matter. `level` is that of a
    heading; `head` is where its title is written, or a table's header and delimiter rows.
    """

    kind: str
    start: int
    end: int
    level: int = 0
    head: tuple[int, int] = (0, 0)


def outline(text: str) -> list[Block]:
    """The blocks that are no paragraph, indented code or definition, in order."""
    return _Scanner(view(text)).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text, self.size = text, len(text)
        self.floor = 0
        """Where the last block ended: a paragraph begins here at the earliest."""
        self.known = (-1, -1)
        """A line, and where the paragraph began that it goes on; the line itself when it goes on none."""
        self.stretch = (0, 0)
        """Lines that no blank line or other block parts, as `text_end` found them."""
        self.found: list[Block] = []
        self.by = {
            "#": self._heading,
            "`": self._fence,
            "~": self._fence,
            ">": self._quote,
            "<": self._html,
            "$": self._maths,
            "=": self._underline,
            "-": self._dash,
            "*": self._star,
            "_": self._rule,
            "+": self._list,
            "|": self._delimiters,
            ":": self._delimiters,
        }

    def run(self) -> list[Block]:
        text, size, search, handlers, numbered = self.text, self.size, NEXT.search, self.by, self._list
        at = int(text.startswith("\ufeff"))
        front = FRONT.match(text, at)
        if front is not None and front.end() - at <= _FRONT_MOST:
            self.found.append(Block("front-matter", at, front.end()))
            at = front.end()
        self.floor = at
        match = HERE.match(text, at) or search(text, at)
        while match is not None:
            line, at = match.start(), match.end()
            if line or text[0] == "\n":
                line += text[line] == "\n"
            end = handlers.get(text[at], numbered)(line, at)
            if not end:
                match = search(text, at)
            elif end >= size:
                break
            else:
                self.floor = end
                match = search(text, end - 1)
        return self.found

    # --- blocks of one line -------------------------------------------------------------------------

    def _heading(self, line: int, at: int) -> int:
        match = ATX.match(self.text, at)
        assert match is not None
        end = match.end()
        if table := self._table_from(line, end):
            return table
        self.found.append(Block("heading", line, end, len(match[1]), match.span(2)))
        return end

    def _rule(self, line: int, at: int) -> int:
        match = RULE.match(self.text, at)
        if match is None:
            return 0
        self.found.append(Block("rule", line, match.end()))
        return match.end()

    # --- lines that say what the lines before them are -----------------------------------------------

    def _underline(self, line: int, at: int) -> int:
        begin = self._paragraph(line)
        if begin < 0:
            return max(0, -begin - 1)
        text = self.text
        end = min(line_end(text, at) + 1, self.size)
        level = 1 if text[at] == "=" else 2
        self.found.append(Block("heading", begin, end, level, (begin, line)))
        return end

    def _delimiters(self, line: int, at: int) -> int:
        """The table whose delimiter row this line may be."""
        if line <= self.floor:
            return 0
        header = max(self.text.rfind("\n", self.floor, line - 1) + 1, self.floor)
        return self._table(header, line) if DELIMITERS.match(self.text, line) else 0

    def _table_from(self, header: int, line: int) -> int:
        """The table whose header this line may be, though it looks like another block."""
        text = self.text
        if line >= self.size or text[line] not in " |:-" or not DELIMITERS.match(text, line):
            return 0
        return self._table(header, line)

    def _table(self, header: int, line: int) -> int:
        text = self.text
        if INDENTED.match(text, header):
            return 0
        row = text[header : line - 1].strip(" \t")
        end = line_end(text, line)
        if "|" not in row or cells(row) != cells(text[line:end].strip(" \t")):
            return 0
        match = TABLE_END.search(text, end)
        stop = match.start() + 1 if match else self.size
        self.found.append(Block("table", header, stop, 0, (header, min(end + 1, self.size))))
        return stop

    def _dash(self, line: int, at: int) -> int:
        if table := self._delimiters(line, at):
            return table
        if UNDERLINE.match(self.text, at) and (heading := self._underline(line, at)):
            return heading
        return self._rule(line, at) or self._list(line, at)

    def _star(self, line: int, at: int) -> int:
        return self._rule(line, at) or self._list(line, at)

    def _paragraph(self, line: int) -> int:
        """Where the paragraph began that is open before `line`; -1 when none is.

        `-1 - end` when a link definition reaches over the line, to `end`.
        """
        text, floor = self.text, self.floor
        known, begin = self.known
        at = line
        while at > floor:
            before = max(text.rfind("\n", floor, at - 1) + 1, floor)
            if text[before] == "\n" or is_blank(text, before, at):
                break
            at = before
            if at == known:
                if begin < known:  # no need to look for definitions in it again
                    self.known = (line, begin)
                    return begin
                break
        self.known = (line, line)
        if at == line:
            return -1
        while at < line:
            if INDENTED.match(text, at):
                at = line_end(text, at) + 1
            elif text[at : at + 4].lstrip(" ").startswith("["):
                if not self.stretch[0] <= at < self.stretch[1]:
                    self.stretch = (at, text_end(text, at))
                end = definition_end(text, at, self.stretch[1])
                if end is None:
                    break
                at = end
            else:
                break
        if at > line:
            return -1 - at
        if at == line:
            return -1
        self.known = (line, at)
        return at

    # --- blocks of several lines --------------------------------------------------------------------

    def _fence(self, line: int, at: int) -> int:
        text = self.text
        match = FENCE.match(text, at)
        if match is None:
            return 0
        if table := self._table_from(line, match.end()):
            return table
        mark = match[1] or match[2]
        end = self.size
        for closing in FENCE_END[mark[0]].finditer(text, match.end() - 1):
            if len(closing[1]) >= len(mark):
                end = min(closing.end() + 1, end)
                break
        self.found.append(Block("fence", line, end))
        return end

    def _maths(self, line: int, at: int) -> int:
        end = maths_end(self.text, at)
        if end:
            self.found.append(Block("maths", line, end))
        return end

    def _html(self, line: int, at: int) -> int:
        text = self.text
        by = ending(text, at)
        if by is None:
            if not is_complete(text, at):
                return 0
            if (begin := self._paragraph(line)) != -1:
                return max(0, -begin - 1)
            by = BLANK
        end = line_end(text, at)
        if table := self._table_from(line, end + 1):
            return table
        if by != "-->" or text.find(by, at, end) < 0:
            end = html_end(text, at, by)
        end = min(end + 1, self.size)
        self.found.append(Block("comment" if by == "-->" else "html", line, end))
        return end

    def _quote(self, line: int, at: int) -> int:
        text, size = self.text, self.size
        end = line_end(text, at)
        if table := self._table_from(line, end + 1):
            return table
        match = NOT_QUOTE.search(text, end)
        stop = match.start() + 1 if match else size
        if stop < size and not is_blank(text, stop, line_end(text, stop)) and not self._interrupts(stop):
            stop = follow(text, line)
        self.found.append(Block("quote", line, stop))
        return stop

    def _list(self, line: int, at: int) -> int:
        text = self.text
        match = MARKER.match(text, at)
        if match is None:
            return 0
        empty = match[4] is not None
        if (empty or (match[2] and int(match[2]) != 1)) and (begin := self._paragraph(line)) != -1:
            return max(0, -begin - 1)
        if table := self._table_from(line, line_end(text, at) + 1):
            return table
        first, last = line, match
        while True:
            stop, sure = self._items(line, at, last)
            marker = self._item_at(stop, last)
            if marker is None and not sure:
                stop = follow(text, self._last_item(line, at, last, stop))
                marker = self._item_at(stop, last)
            if marker is None:
                break
            line, at, last = stop, marker.start(1), marker
        stop = self._before_blanks(first, stop)
        self.found.append(Block("list", first, stop))
        return stop

    def _items(self, line: int, at: int, marker: re.Match[str]) -> tuple[int, bool]:
        """The first line that is, by its indent, not of this item or of a following one of the same shape.

        And whether it is sure that the line does not go on a paragraph all the same.
        """
        text = self.text
        end = line_end(text, at)
        if marker[4] is not None and BLANK_LINE.match(text, end):  # nothing in it, and nothing comes
            match = _FILLED.search(text, end)
            return (match.start() + 1 if match else self.size), True
        shape = _shape(line, at, marker)
        search, lazy = _stops(*shape).search, -1
        while (match := search(text, end)) is not None:
            stop = match.start() + 1
            if self._interrupts(stop):
                return stop, True
            # Nearly always it is a line of text right after one, which it goes on.
            before = text.rfind("\n", 0, stop - 1) + 1
            if before != lazy and not self._is_text_item(before, marker, shape[3]):
                return stop, is_blank(text, before, stop)
            lazy, end = stop, line_end(text, stop)
        return self.size, True

    def _is_text_item(self, line: int, like: re.Match[str], content: int) -> bool:
        """Whether an item with a paragraph of nothing but text begins at a line."""
        marker = self._item_at(line, like)
        if marker is None or marker.start(1) - line >= content or marker[3] not in _FEW_BLANKS:
            return False
        return marker[4] is None and self.text[marker.end()].isalpha()

    def _last_item(self, line: int, at: int, marker: re.Match[str], stop: int) -> int:
        """The last of the items of one shape before `stop`."""
        for match in _same(*_shape(line, at, marker)).finditer(self.text, line, stop):
            line = match.start() + 1
        return line

    def _item_at(self, line: int, like: re.Match[str]) -> re.Match[str] | None:
        """The marker of an item of the same list that begins at a line."""
        text = self.text
        marker = MARKER.match(text, line) if line < self.size else None
        same = marker is not None and marker[1][-1] == like[1][-1] and not RULE.match(text, marker.start(1))
        return marker if same else None

    def _interrupts(self, line: int) -> bool:
        if INTERRUPT.match(self.text, line):
            return True
        here = HERE.match(self.text, line)
        return here is not None and maths_end(self.text, here.end()) > 0

    def _before_blanks(self, start: int, end: int) -> int:
        """`end`, or where the last line before it ends that is not blank."""
        text = self.text
        return min(line_end(text, start + len(text[start:end].rstrip(" \t\n"))) + 1, self.size)


def _shape(line: int, at: int, marker: re.Match[str]) -> tuple[int, str, int, int]:
    """Indent of an item's marker, the marker as a pattern, blanks behind it (0: no common shape), content indent."""
    indent, blanks = at - line, marker[3]
    sign = marker[1]
    pattern = f"[0-9]{{{len(sign) - 1}}}[{sign[-1]}]" if marker[2] else f"[{sign}]"
    used = indent + len(sign)
    if marker[4] is not None:
        return indent, pattern, 0, used + 1
    columns = used
    for blank in blanks:
        columns += 4 - columns % 4 if blank == "\t" else 1
    width = columns - used
    shared = width if "\t" not in blanks and width <= 4 else 0
    return indent, pattern, shared, used + (width if width <= 4 else 1)


@cache
def _stops(indent: int, marker: str, blanks: int, content: int) -> re.Pattern[str]:
    """The next line that is not blank, not indented as far as the item's content, and no item of its shape."""
    inside = rf"| {{{content}}}" + (r"| {0,3}\t" if content <= 4 else "")
    same = f"|{_item(indent, marker, blanks)}" if blanks else ""
    return re.compile(rf"\n(?![ \t]*(?:\n|\Z){inside}{same})")


@cache
def _same(indent: int, marker: str, blanks: int, content: int) -> re.Pattern[str]:
    return re.compile(rf"\n(?={_item(indent, marker, blanks)})" if blanks else r"(?!)")


def _item(indent: int, marker: str, blanks: int) -> str:
    rule = rf"(?!(?:{marker}[ \t]*)+(?:\n|\Z))" if marker in ("[-]", "[*]") else ""
    return rf" {{{indent}}}{marker} {{{blanks}}}(?=[^ \t\n]){rule}"
