"""The numbered headings of a plain text, found while it is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ..blocks.text import TextBlock, heading, may_become_heading
from ..whitespace import BLANKS

__all__ = ["Numbered"]

_MAY = re.compile(r"^ {0,3}[0-9]{1,2}(?:\.|[ \t])", re.MULTILINE)
_SENTENCE = ".!?:;,\u2026\u3002"
"""What a heading does not end with, and a line that a heading follows without a blank line mostly does."""
_ENDS = ".!?\u2026\u3002"


class _Before(NamedTuple):
    """What a line has before it: nothing or a blank line; a numbered line; or a paragraph with its last character."""

    gap: bool = True
    numbered: bool = False
    heads: bool = False
    last: str = ""


class Numbered:
    """Finds the headings of a text, which comes in pieces: `3.1 Installation`, no items of a list, no wrapped lines.

    A heading has no full stop at its end, and one with a single number stands behind a blank line, another heading, or
    the end of a sentence.
    """

    def __init__(self) -> None:
        self.at = 0
        """Up to where the text was looked through: where a line begins, or in one that is no heading."""
        self._before = _Before()
        self._line: tuple[bool, str] | None = None  # of a line that goes on: whether it is blank so far, its last mark

    def read(self, text: str, offset: int, ended: bool) -> Iterator[TextBlock]:
        """The headings of what is new in a window that begins at `offset`, by their positions in the whole text.

        The only line ends of `text` are line feeds. It holds everything from `at` on.
        """
        low = self.at - offset
        high = len(text) if ended else max(low, text.rfind("\n", low) + 1)
        if self._line is not None:
            end = text.find("\n", low)
            self._go_on(text[low : end if end >= 0 else len(text)])
            if end < 0 and not ended:
                self.at = offset + len(text)
                return
            self._end_line()
            low = end + 1 if end >= 0 else len(text)
        start = low
        for match in _MAY.finditer(text, low, high):
            line = match.start()
            end = text.find("\n", line, high)
            end = end if end >= 0 else high
            block = heading(text, line, end)
            if block is None:
                continue
            self._before = self._look_back(text, start, line)
            heads = block.title[-1] not in _SENTENCE and (block.level > 1 or self._may_follow())
            if heads:
                yield block._replace(start=line + offset, end=end + offset)
            self._before = _Before(gap=False, numbered=True, heads=heads)
            start = min(end + 1, high)
        self._before = self._look_back(text, start, high)
        self.at = high + offset
        if not ended and not may_become_heading(text, high):
            self._line = True, ""
            self._go_on(text[high:])
            self.at = offset + len(text)

    def _go_on(self, part: str) -> None:
        """Take in some more of a line."""
        assert self._line is not None
        blank, last = self._line
        self._line = blank and not part.strip(BLANKS), part.rstrip()[-1:] or last

    def _end_line(self) -> None:
        assert self._line is not None
        blank, last = self._line
        before, self._line = self._before, None
        if not last and not (before.gap or before.numbered):
            last = before.last
        self._before = _Before() if blank else _Before(gap=False, last=last)

    def _may_follow(self) -> bool:
        before = self._before
        if before.gap or before.numbered:
            return before.gap or before.heads
        return not before.last or before.last in _ENDS

    def _look_back(self, text: str, start: int, line: int) -> _Before:
        """What is before a line; `_before` is what is before `start`, where another line begins."""
        found, high = False, line
        while high > start:
            end = high - 1 if text[high - 1] == "\n" else high
            low = max(start, text.rfind("\n", start, end) + 1)
            part = text[low:end].strip(BLANKS)
            if not part:
                return _Before(gap=False) if found else _Before()
            found = True
            last = part.rstrip()[-1:]
            if last:
                return _Before(gap=False, last=last)
            high = low
        if not found:
            return self._before
        before = self._before
        return _Before(gap=False, last="" if before.gap or before.numbered else before.last)
