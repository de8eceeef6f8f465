"""Comments, styles and scripts of a page: what no reader sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

__all__ = ["blanked", "hidden"]

_BEGINS = re.compile(r"<(!--|(?:style|script|template)\b)", re.IGNORECASE)
_ENDS = {name: re.compile(rf"</{name}\b[^<>]{{0,100}}>", re.IGNORECASE) for name in ("style", "script", "template")}
_ENDS["!--"] = re.compile("-->")


def hidden(text: str) -> Iterator[tuple[int, int]]:
    """Their stretches, tags included, in order. What never ends hides nothing."""
    at = 0
    endless: set[str] = set()
    while found := _BEGINS.search(text, at):
        name = found[1].lower()
        at = found.end()
        end = None if name in endless else _ENDS[name].search(text, at)
        if end:
            yield found.start(), end.end()
            at = end.end()
        else:
            endless.add(name)


def blanked(text: str, stretches: Iterable[tuple[int, int]]) -> str:
    """The text with blanks in place of some stretches, so that every other character stays in its place."""
    parts, at = [], 0
    for start, end in stretches:
        parts += [text[at:start], " " * (end - start)]
        at = end
    return "".join((*parts, text[at:]))
