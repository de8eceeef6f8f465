"""Where a list item or a quote ends, when what is inside of it decides.

A line that is not indented as far as the item, or lacks the `>`, still belongs to it when it goes on a
paragraph. So the containers and the innermost block are followed line by line. No recursion: the open
containers are a list, and a line costs as much as it consumes of them.
"""

from __future__ import annotations

from bisect import bisect_left

from .definitions import definition_end
from .html import BLANK, ending, ends_in, is_complete
from .patterns import ATX, DELIMITERS, FENCE, MARKER, RULE, UNDERLINE, cells, line_end, maths_end

__all__ = ["follow"]

_QUOTE = -1
_NONE, _PARAGRAPH, _FENCE, _HTML, _TABLE = range(5)


def follow(view: str, start: int) -> int:
    """The first line that is not of the list item or quote that begins with the line at `start`."""
    return _Follower(view).follow(start)


class _Follower:
    def __init__(self, view: str) -> None:
        self.view = view
        self.open: list[int] = []
        """The open containers, outermost first: a quote, or by how many columns an item's content is indented."""
        self.quotes: list[int] = []
        """Which of them are quotes."""
        self.empty = False
        """Whether the innermost is an item with nothing in it yet."""
        self.leaf = _NONE
        self.mark = ""
        """What ends the fence or HTML block that is open."""
        self.first: str | None = None
        """What an open paragraph that may be nothing but definitions holds so far, from the last of them on."""
        self.before = ""
        """The last line of the open paragraph."""
        # Where the line has been read to: position, its column, and the column where its container begins.
        self.at = self.column = self.base = self.end = 0

    def follow(self, start: int) -> int:
        size, line = len(self.view), start
        while line < size:
            self.end = line_end(self.view, line)
            self.at, self.column, self.base = line, 0, 0
            self._skip()
            if not self._line(line == start):
                return line
            line = self.end + 1
        return size

    def _line(self, first: bool) -> bool:
        """Take a line in; False when it is not of the outermost container."""
        matched = self._matched()
        inside = matched == len(self.open)
        if self.at >= self.end:
            return self._blank(matched)
        if inside and self.leaf == _FENCE:
            self._fence_line()
            return True
        if inside and self.leaf == _HTML:
            if self.mark != BLANK and ends_in(self.view, self.at, self.end, self.mark):
                self.leaf = _NONE
            return True
        self.empty = False
        return self._starts(matched, inside, first)

    def _skip(self) -> None:
        view, at, column, end = self.view, self.at, self.column, self.end
        while at < end:
            char = view[at]
            if char == " ":
                column += 1
            elif char == "\t":
                column += 4 - column % 4
            else:
                break
            at += 1
        self.at, self.column = at, column

    def _matched(self) -> int:
        """How many of the open containers go on in this line; reads over their marks."""
        count = 0
        for width in self.open:
            if self.at >= self.end:
                break
            indent = self.column - self.base
            if width != _QUOTE:
                if indent < width:
                    break
                self.base += width
            elif indent <= 3 and self.view[self.at] == ">":
                self._quote_mark()
            else:
                break
            count += 1
        if self.at >= self.end and count < len(self.open):  # a blank line goes on with all but quotes
            i = bisect_left(self.quotes, count)
            return self.quotes[i] if i < len(self.quotes) else len(self.open)
        return count

    def _quote_mark(self) -> None:
        view = self.view
        self.at += 1
        self.column += 1
        self.base = self.column
        if self.at < self.end and view[self.at] in " \t":
            self.base += 1  # a tab's other columns are indent
        self._skip()

    def _blank(self, matched: int) -> bool:
        if matched < len(self.open):
            self._close(matched)
        elif self.leaf in (_PARAGRAPH, _TABLE) or (self.leaf == _HTML and self.mark == BLANK):
            self.leaf = _NONE
        if self.empty and self.open:
            self._close(len(self.open) - 1)
            self.empty = False
        return bool(self.open)

    def _close(self, count: int) -> None:
        del self.open[count:]
        while self.quotes and self.quotes[-1] >= count:
            self.quotes.pop()
        self.leaf = _NONE

    def _fence_line(self) -> None:
        if self.column - self.base > 3:
            return
        rest = self.view[self.at : self.end].rstrip(" \t")
        if len(rest) >= len(self.mark) and not rest.strip(self.mark[0]):
            self.leaf = _NONE

    def _starts(self, matched: int, inside: bool, first: bool) -> bool:
        """Open what begins in this line: containers, then the innermost block."""
        new = False
        while True:
            if self.at >= self.end:
                self.leaf = _NONE
                return True
            if self.column - self.base > 3:
                break
            paragraph = self.leaf == _PARAGRAPH and not new and inside
            kind = self._start_here(paragraph)
            if not kind and not (matched or new or first) and maths_end(self.view, self.at):
                return False
            if not kind:
                break
            if not new:
                if not matched and not first:
                    return False
                self._close(matched)
                new = True
            if kind == ">":
                self.quotes.append(len(self.open))
                self.open.append(_QUOTE)
                self._quote_mark()
            elif kind == "-":
                self._item()
            else:
                self._leaf_start(kind)
                return True
        return self._text(matched, inside, new)

    def _start_here(self, paragraph: bool) -> str:
        """What begins here: `>`, `-` for an item, the kind of a block, or nothing."""
        view, at = self.view, self.at
        char = view[at]
        if char == ">":
            return ">"
        if char == "#":
            return "line" if ATX.match(view, at) else ""
        if char in "`~":
            return "fence" if FENCE.match(view, at) else ""
        if char == "<":
            closed = ending(view, at) is None and (self.leaf == _PARAGRAPH or not is_complete(view, at))
            return "" if closed else "html"
        if paragraph and char in "=-" and UNDERLINE.match(view, at):
            return "" if self._only_definitions(self.view[self.at : self.end]) else "line"
        if char in "*-_" and RULE.match(view, at):
            return "line"
        if char in "*-+" or "0" <= char <= "9":
            marker = MARKER.match(view, at)
            if marker is None:
                return ""
            if paragraph and (marker[4] is not None or (marker[2] and int(marker[2]) != 1)):
                return "-" if self._only_definitions(self.view[self.at : self.end]) else ""
            return "-"
        return ""

    def _item(self) -> None:
        marker = MARKER.match(self.view, self.at)
        assert marker is not None
        outer = self.column - self.base
        self.at += len(marker[1])
        self.column += len(marker[1])
        begin = self.column
        self._skip()
        blanks = self.column - begin
        self.empty = self.at >= self.end
        inner = blanks if blanks <= 4 and not self.empty else 1
        width = outer + len(marker[1]) + inner
        self.open.append(width)
        self.base += width

    def _leaf_start(self, kind: str) -> None:
        view, at = self.view, self.at
        self.leaf = _NONE
        if kind == "fence":
            match = FENCE.match(view, at)
            assert match is not None
            self.leaf, self.mark = _FENCE, match[1] or match[2]
        elif kind == "html":
            by = ending(view, at) or BLANK
            if by == BLANK or not ends_in(view, at, self.end, by):
                self.leaf, self.mark = _HTML, by

    def _text(self, matched: int, inside: bool, new: bool) -> bool:
        """A line in which no block begins: text, a table's row, or indented code."""
        code = self.column - self.base > 3
        line = self.view[self.at : self.end]
        if not new and self.leaf == _PARAGRAPH and not self._only_definitions(line):
            table = inside and not code and _makes_table(self.before, line)
            self.leaf = _TABLE if table else _PARAGRAPH
        elif not new and not inside:
            if not matched:
                return False
            self._close(matched)
            self._begin(code, line)
        elif new or self.leaf != _TABLE or code:
            self._begin(code, line)
        self.before = line
        if self.first is not None:
            self.first += line + "\n"
        return True

    def _begin(self, code: bool, line: str) -> None:
        self.leaf = _NONE if code else _PARAGRAPH
        self.first = "" if not code and line.startswith("[") else None

    def _only_definitions(self, line: str) -> bool:
        """Whether the open paragraph has been nothing but definitions, so that it is none.

        A definition that goes on in `line` is not at its end yet.
        """
        text = self.first
        if text is None:
            return False
        longer, last, at = text + line, 0, 0
        while at < len(text) and (end := definition_end(longer, at, len(longer))) is not None:
            last, at = at, end
        self.first = text[last:] if at >= len(text) else None
        return at == len(text)


def _makes_table(header: str, line: str) -> bool:
    return "|" in header and DELIMITERS.match(line) is not None and cells(header.strip()) == cells(line.strip())
