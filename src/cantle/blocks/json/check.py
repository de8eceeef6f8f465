"""Whether a text is JSON, or JSON Lines, and where its values stand.

CPython's own scanner says yes to what is right, many times faster than anything written in Python. It makes the
values meanwhile; each object is let go when it is closed, and the rest at the end of the check. What it
refuses, or finds too deep, is read again by a slow scanner that is not recursive and knows what it has expected where.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from ...errors import DocumentError

__all__ = ["line_column", "values"]

BLANKS = re.compile(r"[ \t\n\r]*")
_LINE_END = re.compile(r"\r\n|\n|\r")
_TOKEN = re.compile(
    r"""[ \t\n\r]*+(?:
    ([{}\[\],:])
    | ("(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")
    | ((?:-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)(?![\w.+-]))
    )""",
    re.VERBOSE,
)
_STRING_PART = re.compile(r'"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*')
_WORD = re.compile(r"-?[\w.+-]+")

_MEMBER, _ITEM = "',' or '}'", "',' or ']'"
_HELP = "`python -m json.tool` shows where a file is wrong; another strategy, such as 'recursive', cuts any text."


def values(text: str) -> tuple[list[tuple[int, int]], int]:
    """Where the values of a document stand: one, or one a line. Second, how many keys they hold, -1 when not known.

    Raises `DocumentError` for what is neither. A repeated key is counted once.
    """
    start = 1 if text.startswith("\ufeff") else 0
    try:
        return _quick(text, start)
    except (ValueError, StopIteration, RecursionError):
        return _slow(text, start), -1


def _quick(text: str, start: int) -> tuple[list[tuple[int, int]], int]:
    keys = 0

    def count(made: dict[str, Any]) -> None:
        """Count the keys of an object, which is let go: what it stands in gets None instead."""
        nonlocal keys
        keys += len(made)

    # Numbers need not be worked out.
    decoder: Any = json.JSONDecoder(object_hook=count, parse_int=len, parse_float=len, parse_constant=_not_finite)
    scan = decoder.scan_once
    found: list[tuple[int, int]] = []
    at = _skip(text, start)
    while at < len(text):
        _, end = scan(text, at)
        found.append((at, end))
        at = _skip(text, end)
        if at < len(text) and not _LINE_END.search(text, end, at):
            raise ValueError("two values in one line")
    return found, keys


def _skip(text: str, at: int) -> int:
    match = BLANKS.match(text, at)
    return match.end() if match else at


def _not_finite(name: str) -> NoReturn:
    raise ValueError(name)


def _slow(text: str, at: int) -> list[tuple[int, int]]:
    """The same by a scanner that goes as deep as the text does, and says what is wrong."""
    found: list[tuple[int, int]] = []
    around: list[str] = []  # what may follow a value, from the outside in
    want, begun, before = "a value", -1, ""
    match_at = _TOKEN.match
    while True:
        match = match_at(text, at)
        if match is None:
            at = _skip(text, at)
            if at == len(text) and not around and want in ("a value", ""):
                return found
            _refuse(text, at, want, around, before)
        mark = match[1]
        start, at = match.start(match.lastindex or 0), match.end()
        if not around and want == "":
            if not _LINE_END.search(text, found[-1][1], start):
                _refuse(text, start, "the end of the document, or of the line", around, before)
            want = "a value"
        if want.startswith("a value") and mark in (None, "{", "["):
            if not around:
                begun = start
            if mark == "{":
                around.append(_MEMBER)
                want = "a key in double quotes or '}'"
            elif mark == "[":
                around.append(_ITEM)
                want = "a value or ']'"
            elif around:
                want = around[-1]
            else:
                found.append((begun, at))
                want = ""
        elif want.startswith("a key") and match[2]:
            want = "':'"
        elif mark == ":" and want == "':'":
            want = "a value"
        elif mark == "," and around and want is around[-1]:
            want = "a key in double quotes" if want is _MEMBER else "a value"
        elif mark in ("}", "]") and want.endswith(f"'{mark}'"):
            around.pop()
            if around:
                want = around[-1]
            else:
                found.append((begun, at))
                want = ""
        else:
            _refuse(text, start, want, around, before)
        before = mark or ""


def line_column(text: str, at: int) -> tuple[int, int]:
    """Line and column of a position, both from 1."""
    line, start = 1, 0
    for match in _LINE_END.finditer(text, 0, at):
        line, start = line + 1, match.end()
    return line, at - start + 1


def _refuse(text: str, at: int, want: str, around: list[str], before: str) -> NoReturn:
    reason, at = _reason(text, at, want or "the end of the document, or of the line", around, before)
    line, column = line_column(text, at)
    raise DocumentError(f"the document is not JSON: line {line}, column {column}: {reason}. {_HELP}")


def _reason(text: str, at: int, want: str, around: list[str], before: str) -> tuple[str, int]:
    if at >= len(text):
        still = f", with {len(around)} of '{{' and '[' still open" if around else ""
        return f"expected {want}, but the text ends here{still}", at
    char = text[at]
    if char == '"' and (part := _STRING_PART.match(text, at)):
        if part.end() == len(text):
            return "a string begins here that nothing closes; expected '\"'", at
        if text[part.end()] == "\\":
            return (
                f"{text[part.end() : part.end() + 2]!r} is no escape; expected one of "
                r"\" \\ \/ \b \f \n \r \t or \u and four hexadecimal digits",
                part.end(),
            )
        if text[part.end()] < " ":
            return f"{text[part.end()]!r} stands bare in a string; expected it as an escape", part.end()
    found = _shown(text, at)
    reason = f"expected {want}, found {found}"
    if before == "," and char in "}]":
        return f"{reason}; leave the comma before it out", at
    if char == "'":
        return f"{reason}; strings and keys stand in double quotes", at
    if char in "/#":
        return f"{reason}; JSON has no comments", at
    word = _WORD.match(text, at)
    if word and word[0].lstrip("+-").lower() in ("nan", "infinity", "inf"):
        return f"{reason}; a number that is not finite is not JSON, write null or a string", at
    if word and word[0] in ("True", "False", "None", "undefined"):
        return f"{reason}; JSON writes true, false and null", at
    return reason, at


def _shown(text: str, at: int) -> str:
    word = _WORD.match(text, at)
    shown = word[0] if word else text[at]
    return repr(shown) if len(shown) <= 30 else f"{shown[:27]!r}..."
