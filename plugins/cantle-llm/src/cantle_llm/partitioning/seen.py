"""What a reader sees of a document: the model is shown no markup of a page, which costs several times its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from typing import TYPE_CHECKING

from ..lines import Line
from ..lines.hidden import blanked, hidden
from .cleaning import flat

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["seen_lines", "seen_text"]

_MARKUP = re.compile(r"<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9]{0,30})[^<>]*>|<[!?][^<>]*>|&#?[A-Za-z0-9]{1,32};")
_INLINE = re.compile(
    "a|abbr|b|bd[io]|big|cite|code|data|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strike|strong|su[bp]|time|tt|"
    "u|var|wbr",
    re.IGNORECASE,
)
"""Tags that part no words."""
_NOTHING = "\ufeff"
"""Stands in for what is neither seen nor parts words; it is left out of what is shown."""


def seen_text(source: Source) -> str:
    """The text of a page without markup, comments, styles and scripts, every character in its place.

    Tags that part words are blanks. Entities are the characters that they stand for. Other kinds of text are as they
    are. Takes linear time.
    """
    if source.kind != "html":
        return source.text
    return _MARKUP.sub(_blank, blanked(source.text, hidden(source.text)))


def _blank(found: re.Match[str]) -> str:
    written = found[0]
    if written[0] == "&":
        meant = unescape(written)
        return meant + _NOTHING * (len(written) - len(meant)) if len(meant) <= len(written) else written
    return (_NOTHING if _INLINE.fullmatch(found["name"] or "") else " ") * len(written)


def seen_lines(seen: str, lines: Sequence[Line]) -> list[Line]:
    """The lines in which there is something to be seen; each other one is a part of the one before, or after it.

    So every line of the document is still in one. Where there is nothing to be seen at all, the lines are as they are.
    """
    found: list[Line] = []
    begins: int | None = None
    opens = False
    for line in lines:
        if not flat(seen[line.start : line.end]):
            opens = opens or line.opens
            if found:
                found[-1] = found[-1]._replace(end=line.end)
            else:
                begins = line.start if begins is None else begins
            continue
        found.append(line._replace(start=line.start if begins is None else begins, opens=line.opens or opens))
        begins, opens = None, False
    return found or list(lines)
