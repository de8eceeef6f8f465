"""HTML blocks: the seven kinds of CommonMark, by what ends them."""

from __future__ import annotations

import re

from .patterns import BLANK_LINE, BLOCK_HTML, RAW_HTML, line_end

__all__ = ["BLANK", "TAG", "ending", "ends_in", "html_end", "is_complete"]

BLANK = ""
"""The ending of a block that a blank line ends."""

TAG = "tag"
"""The ending of `pre`, `script`, `style` and `textarea`: any of their closing tags."""

_RAW = re.compile(RAW_HTML)
_RAW_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE | re.ASCII)
_BLOCK = re.compile(BLOCK_HTML)
_NAME = r"[A-Za-z_:][A-Za-z0-9:._-]*+"
_VALUE = r"""(?:[^"'=<>`\x00-\x20]++|'[^'\n]*+'|"[^"\n]*+")"""
_COMPLETE = re.compile(
    rf"(?:<[A-Za-z][A-Za-z0-9-]*+(?:[ \t]++{_NAME}(?:[ \t]*+=[ \t]*+{_VALUE})?)*[ \t]*+/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*+[ \t]*+>)[ \t]*+(?:\n|\Z)"
)


def is_complete(view: str, at: int) -> bool:
    """Whether a complete tag stands alone on its line, which begins a block where no paragraph is open."""
    return _COMPLETE.match(view, at) is not None


def ending(view: str, at: int) -> str | None:
    """What ends the HTML block that begins at the `<` at `at`, even inside a paragraph; None when none does."""
    if view.startswith("<!--", at):
        return "-->"
    if view.startswith("<?", at):
        return "?>"
    if view.startswith("<![CDATA[", at):
        return "]]>"
    if view.startswith("<!", at) and view[at + 2 : at + 3].isascii() and view[at + 2 : at + 3].isalpha():
        return ">"
    if _RAW.match(view, at):
        return TAG
    return BLANK if _BLOCK.match(view, at) else None


def ends_in(view: str, at: int, end: int, by: str) -> bool:
    """Whether the ending `by` (not a blank line) occurs in `view[at:end]`."""
    if by == TAG:
        return _RAW_END.search(view, at, end) is not None
    return view.find(by, at, end) >= 0


def html_end(view: str, at: int, by: str) -> int:
    """Where the block that begins at `at` and is ended by `by` ends: before a line end, or at the end."""
    if by == BLANK:
        blank = BLANK_LINE.search(view, at)
        return blank.start() if blank else len(view)
    if by == TAG:
        closed = _RAW_END.search(view, at)
        found = closed.start() if closed else -1
    else:
        found = view.find(by, at)
    return line_end(view, found) if found >= 0 else len(view)
