"""How strings are written in chunks: as `JSON.stringify` does it, with as few escapes as JSON allows.

A lone surrogate is written as an escape, so that the chunk can be encoded in UTF-8.
"""

from __future__ import annotations

import re
from bisect import bisect_left

__all__ = ["ESCAPE", "Edit", "apply", "edits", "written"]

Edit = tuple[int, int, str]
"""Where something is replaced, and by what."""

ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_LONE = re.compile(
    "[\ud800-\udbff](?![\udc00-\udfff]|\\\\u[dD][c-fC-F])"
    "|(?<![\ud800-\udbff])(?<!\\\\u[dD][89abAB][0-9a-fA-F]{2})[\udc00-\udfff]"
)
_OTHER = re.compile(r"[^\x00-\x7f]")
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"([ \t\n\r]*+:)?', re.DOTALL)
_SHORT = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def written(text: str, *, ensure_ascii: bool = False) -> str:
    """A stretch of JSON with its strings as chunks have them."""
    found = edits(text, ensure_ascii=ensure_ascii)
    return apply(text, found) if found else text


def apply(text: str, found: list[Edit]) -> str:
    """The text with its edits, which ascend."""
    pieces, at = [], 0
    for start, end, new in found:
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def edits(text: str, *, ensure_ascii: bool) -> list[Edit]:
    """What has to be written otherwise in a stretch of JSON.

    With `ensure_ascii`, what is not ASCII becomes an escape in strings that are not keys.
    """
    found: list[Edit] = []
    if "\\u" in text or "\\/" in text:
        for match in ESCAPE.finditer(text):
            new = _escape(match[0])
            if new != match[0]:
                found.append((match.start(), match.end(), new))
    ascii_only = text.isascii()
    if not ascii_only and _has_surrogates(text):
        found += [(m.start(), m.end(), _as_escape(m[0])) for m in _LONE.finditer(text)]
        found.sort()
    return _to_ascii(text, found) if ensure_ascii and (found or not ascii_only) else found


def _has_surrogates(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _escape(escape: str) -> str:
    """An escape as it should be written, or the character it stands for."""
    if escape == "\\/":
        return "/"
    if len(escape) == 2:  # one letter, or what is left of an escape that a limit of a few characters cut
        return escape
    code = int(escape[2:6], 16)
    if len(escape) == 12:
        return chr(0x10000 + (code - 0xD800 << 10) + int(escape[8:], 16) - 0xDC00)
    char = chr(code)
    if char in _SHORT:
        return _SHORT[char]
    return f"\\u{code:04x}" if char < " " or "\ud800" <= char <= "\udfff" else char


def _as_escape(char: str) -> str:
    code = ord(char)
    if code < 0x10000:
        return f"\\u{code:04x}"
    code -= 0x10000
    return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"


def _to_ascii(text: str, found: list[Edit]) -> list[Edit]:
    """The edits of keys, and outside of them what makes the text ASCII."""
    result: list[Edit] = []
    other = {m.start(): (m.start(), m.end(), _as_escape(m[0])) for m in _OTHER.finditer(text)}
    for start, end, new in found:
        other[start] = start, end, _OTHER.sub(lambda m: _as_escape(m[0]), new)
    in_keys = iter(found)
    edit = next(in_keys, None)
    at = 0
    values = sorted(other.values())
    for start, end in [match.span() for match in _STRING.finditer(text) if match[1]]:
        low, high = bisect_left(values, (start,)), bisect_left(values, (end,))
        result += values[at:low]
        while edit is not None and edit[0] < end:
            if edit[0] >= start:
                result.append(edit)
            edit = next(in_keys, None)
        at = high
    return result + values[at:]
