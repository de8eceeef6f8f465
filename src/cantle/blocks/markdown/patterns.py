"""What lines of Markdown look like: the patterns that the scanner goes by.

They are matched against the `view` of a text (`blocks.lines`), which ends every line with LF; within a line
nothing but spaces and tabs is white space. None takes more than linear time on a line.
"""

from __future__ import annotations

import re

__all__ = [
    "ATX",
    "BLANK_LINE",
    "BULLET",
    "DELIMITERS",
    "FENCE",
    "FENCE_END",
    "FRONT",
    "HERE",
    "INDENTED",
    "INTERRUPT",
    "MARKER",
    "NEXT",
    "NOT_QUOTE",
    "RULE",
    "TABLE_END",
    "UNDERLINE",
    "cells",
    "is_blank",
    "line_end",
    "maths_end",
]

_END = r"(?:\n|\Z)"
_RULE = rf"(?:(?:\*[ \t]*+){{3,}}|(?:-[ \t]*+){{3,}}|(?:_[ \t]*+){{3,}}){_END}"
_HASHES = r"#{1,6}(?:[ \t\n]|\Z)"
_ITEM = r"(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t\n]|\Z)"
_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt "
    "fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link "
    "main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th thead "
    "title tr track ul"
)
RAW_HTML = r"<(?i:script|pre|style|textarea)(?:[\s>]|\Z)"
BLOCK_HTML = rf"</?(?i:{'|'.join(_TAGS.split())})(?:\s|/?>|\Z)"
_HTML = rf"(?:<!--|<\?|<![A-Za-z]|<!\[CDATA\[|{RAW_HTML}|{BLOCK_HTML})"
_STARTS = rf"(?:{_HASHES}|`{{3,}}+[^`\n]*{_END}|~~~|>|{_RULE}|{_ITEM}|{_HTML})"

INTERRUPT = re.compile(rf" {{0,3}}{_STARTS}")
"""A line that begins a block even where a paragraph would go on."""

_MAY = (
    rf"(?:{_HASHES}|```|~~~|>|<[A-Za-z/!?]|\$\$|=+[ \t]*{_END}|[-:|][-:| \t]*{_END}|{_ITEM}"
    rf"|(?:\*[ \t]*+){{3,}}{_END}|(?:_[ \t]*+){{3,}}{_END})"
)
HERE = re.compile(rf" {{0,3}}(?={_MAY})")
NEXT = re.compile(rf"\n {{0,3}}(?={_MAY})")
"""The next line that may begin a block, or make a heading or table of the lines before it."""

ATX = re.compile(r"(#{1,6})((?:[ \t][^\n]*)?)(?:\n|\Z)")
FENCE = re.compile(r"(`{3,}+)[^`\n]*(?:\n|\Z)|(~{3,}+)[^\n]*(?:\n|\Z)")
FENCE_END = {mark: re.compile(rf"\n {{0,3}}({mark}{{3,}}+)[ \t]*(?=\n|\Z)") for mark in "`~"}
RULE = re.compile(_RULE)
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*(?:\n|\Z)")
MARKER = re.compile(r" {0,3}([-+*]|([0-9]{1,9})[.)])([ \t]*)(?:(\n|\Z)|(?<=[ \t]))")
BULLET = "-+*"
INDENTED = re.compile(r" {4}| {0,3}\t")
BLANK_LINE = re.compile(r"\n[ \t]*(?=\n|\Z)")
NOT_QUOTE = re.compile(r"\n(?! {0,3}>)")
DELIMITERS = re.compile(
    r" {0,3}(?!-[ \t])(?=[-:|][-:| \t])\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*+:?-++:?[ \t]*+)*(?:\|[ \t]*)?(?:\n|\Z)"
)
"""The line under a table's header."""
TABLE_END = re.compile(rf"\n(?: {{0,3}}{_STARTS}| {{4}}| {{0,3}}\t|[ \t]*{_END})")

FRONT = re.compile(
    r"---[ \t]*\n(?:[ \t]*(?:#[^\n]*)?\n){0,64}[\"']?[\w.$@][\w.$@ -]{0,126}[\"']?[ \t]*:(?=[ \t\n])"
    r"(?:[^\n]*\n){1,4096}?(?:---|\.\.\.)[ \t]*(?:\n|\Z)"
)
"""Front matter; only at the very start of a text."""


def line_end(text: str, at: int) -> int:
    """Where the line around `at` ends, before its line end."""
    end = text.find("\n", at)
    return end if end >= 0 else len(text)


def is_blank(text: str, start: int, end: int) -> bool:
    """Whether a line is blank."""
    return not text[start:end].strip(" \t\n")


_PIPE = re.compile(r"(?<!\\)\|")


def cells(row: str) -> int:
    """How many cells a trimmed row of a table has. A pipe behind a backslash parts none."""
    pipes = len(_PIPE.findall(row))
    return pipes + 1 - row.startswith("|") - (len(row) > 1 and _PIPE.match(row, len(row) - 1) is not None)


_GAP = re.compile(r"\n[ \t]*\n")


def maths_end(text: str, at: int) -> int:
    """Where the display formula ends that begins at `at`; 0 when none does.

    It holds no blank line, and nothing follows its closing `$$` on the line.
    """
    closing = text.find("$$", at + 2) if text.startswith("$$", at) else -1
    if closing < 0 or _GAP.search(text, at, closing):
        return 0
    end = line_end(text, closing)
    return 0 if text[closing + 2 : end].strip(" \t") else min(end + 1, len(text))
