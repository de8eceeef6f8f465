"""Plain text as blocks: numbered headings such as `3.1 Installation`, and paragraphs."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ..whitespace import BLANKS

__all__ = ["TextBlock", "heading", "may_become_heading", "text_blocks"]

_LONGEST_TITLE = 91

_LINE = re.compile(r"[^\n]+")
_NUMBER = re.compile(r" {0,3}([0-9]{1,2}(?:\.[0-9]{1,2}){0,4})\.?[ \t]+(?=[^\W\d_])")

_BEGINS = re.compile(r" {0,3}[0-9.]{0,15}[ \t]*")


class TextBlock(NamedTuple):
    """A stretch of a text. Positions are code points; `end` is behind the last line, without its line end.

    `level` is 0 for a paragraph; for a heading it is how many numbers it has (1 to 5), `title` then holds the numbers,
    a blank and the words: `3.1 Installation`.
    """

    start: int
    end: int
    level: int = 0
    title: str = ""


def text_blocks(text: str) -> list[TextBlock]:
    """The blocks of a text, in order. Blank lines end a paragraph, and so does a heading.

    A heading is a line of at most three spaces, up to five groups of one or two digits with dots between, blanks, and a
    title that begins with an upper-case letter and has at most 91 characters.
    """
    found: list[TextBlock] = []
    start = end = -1
    for line in _LINE.finditer(text):
        low, high = line.span()
        if start >= 0 and low > end + 1:  # there is an empty line between
            found.append(TextBlock(start, end))
            start = -1
        char = text[low]
        title = heading(text, low, high) if char in " 0123456789" else None
        if title is not None:
            if start >= 0:
                found.append(TextBlock(start, end))
                start = -1
            found.append(title)
        elif char in BLANKS and not text[low:high].strip(BLANKS):
            if start >= 0:
                found.append(TextBlock(start, end))
                start = -1
        else:
            start, end = (low if start < 0 else start), high
    if start >= 0:
        found.append(TextBlock(start, end))
    return found


def heading(text: str, low: int, high: int) -> TextBlock | None:
    """The line `[low, high)` as a heading, if it is one."""
    number = _NUMBER.match(text, low, high)
    if number is None or not _is_title(text, number.end(), high):
        return None
    title = text[number.end() : high].rstrip(BLANKS)
    return TextBlock(low, high, number[1].count(".") + 1, f"{number[1]} {title}")


def may_become_heading(text: str, low: int) -> bool:
    """Whether the line that begins at `low` and goes on behind the text may be a heading."""
    number = _NUMBER.match(text, low)
    return len(text) - number.end() <= _LONGEST_TITLE if number else _BEGINS.fullmatch(text, low) is not None


def _is_title(text: str, start: int, end: int) -> bool:
    return end - start <= _LONGEST_TITLE and unicodedata.category(text[start]) == "Lu"
