"""Character references (`&amp;`, `&#233;`) as the HTML standard reads them in text."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from ...graphemes import is_boundary
from .tokens import token_at

__all__ = ["Reference", "decode", "of_span", "references"]

_PATTERN = re.compile(r"(&(?:#(?:[0-9]+|[xX][0-9a-fA-F]+);?|[a-zA-Z][a-zA-Z0-9]*;?))")
_LONGEST = 32
_WINDOWS_1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ"
_OF_TWO = {"fjlig;": None, "ThickSpace;": "\u205f"}
"""Names of two characters that are no grapheme cluster: a cut between them would have no place in the source.
The letters fj stay as they are written, the wide space is one of its two."""


class Reference(NamedTuple):
    """A reference at `start` to `end` of a text, and the characters it stands for."""

    start: int
    end: int
    value: str


@cache
def _named() -> dict[str, str]:
    from html.entities import html5

    return {name: known for name, value in html5.items() if (known := _OF_TWO.get(name, value)) is not None}


def references(text: str) -> list[Reference]:
    """All references of a text; what only looks like one is none."""
    found = []
    for match in _PATTERN.finditer(text):
        size, value = _read(match[0])
        if size:
            start = match.start()
            found.append(Reference(start, start + size, value))
    return found


@lru_cache(maxsize=1024)
def _read(written: str) -> tuple[int, str]:
    """How much of what looks like a reference is one, and what it stands for."""
    if written[1] == "#":
        return len(written), _numbered(written[2:].rstrip(";"))
    named, name = _named(), written[1 : _LONGEST + 1]
    for size in range(len(name), 1, -1):  # the longest name that fits; old ones may lack the semicolon
        value = named.get(name[:size])
        if value is not None:
            return size + 1, value
    return 0, ""


def _numbered(digits: str) -> str:
    base = 16 if digits[0] in "xX" else 10
    digits = digits.lstrip("xX").lstrip("0")
    number = int(digits or "0", base) if len(digits) <= 8 else -1
    if number <= 0 or number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return "\ufffd"
    return _WINDOWS_1252[number - 0x80] if 0x80 <= number < 0xA0 else chr(number)


def decode(text: str) -> str:
    """A text with its references replaced."""
    if "&" not in text:
        return text
    parts = _PATTERN.split(text)  # faster than a call for each match
    parts[1::2] = map(_replacement, parts[1::2])
    return "".join(parts)


@lru_cache(maxsize=1024)
def _replacement(written: str) -> str:
    size, value = _read(written)
    return value + written[size:]


def of_span(text: str) -> str:
    """The characters that the source of one of a chunk's spans stands for.

    A span takes in the tag beside it where a mark in the text joins to the tag's bracket: a border
    between the two would lie inside a grapheme cluster. Such a tag is left out. (One that is text, in a
    `textarea`, and begins a chunk before such a mark, is taken for the same.)
    """
    if text.isascii():
        return decode(text)
    if text.startswith("<"):
        end = token_at(text, 0)
        if 0 < end < len(text) and not is_boundary(text, end):
            text = text[end:]
    start = text.rfind("<")
    while start > 0 and (is_boundary(text, start) or token_at(text, start) != len(text)):
        start = text.rfind("<", 0, start)
    return decode(text[:start] if start > 0 else text)
