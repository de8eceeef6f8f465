"""Link and footnote definitions of a Markdown text, and which of them a stretch of it uses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..chunk import Span

__all__ = ["References", "definitions"]

_DEFINITION = re.compile(
    r"(?:^|(?<=\r)) {0,3}\[((?:[^\[\]\\\r\n]|\\[^\r\n]){1,999})\]:[ \t]*(?=[^ \t\r\n])([^\r\n]*)", re.MULTILINE
)
_GOES_ON = re.compile(r"(?:\r\n|\n|\r)(?:[ \t]*(?:\r\n|\n|\r))*(?: {4}|\t)[^\r\n]*")
_LABEL = re.compile(r"\\[\s\S]|\[((?:[^\[\]\\]|\\[\s\S]){1,999})\]")
"""A label, or an escaped character: that begins none."""
_BLANKS = re.compile(r"\s+")

Definition = tuple[str, str, int, int]
"""The label as it is written, what it stands for, and the stretch of the whole definition."""


def definitions(text: str, apart: Sequence[Span]) -> Iterator[Definition]:
    """The definitions of a text that are not in one of the stretches `apart`: code, comments and the like.

    A footnote goes on with the lines after it that are indented by four or a tab.
    """
    if "]:" not in text:
        return
    i = 0
    for match in _DEFINITION.finditer(text):
        start, end = match.span()
        while i < len(apart) and apart[i][1] <= start:
            i += 1
        if i < len(apart) and apart[i][0] <= start:
            continue
        label = match[1]
        if not label.strip():
            continue
        if label.startswith("^"):
            while (more := _GOES_ON.match(text, end)) is not None:
                end = more.end()
        yield label, text[match.start(2) : end].rstrip(), start, end


class References:
    """The definitions by their labels, the first of each, as Markdown has it."""

    def __init__(self, text: str, found: Sequence[Definition]) -> None:
        self.text = text
        self.by_label: dict[str, Definition] = {}
        for definition in found:
            self.by_label.setdefault(_folded(definition[0]), definition)

    def of(self, start: int, end: int) -> dict[str, str]:
        """Those that a stretch uses and does not hold itself, by their labels, in the order of their use."""
        found: dict[str, str] = {}
        if not self.by_label:
            return found
        for match in _LABEL.finditer(self.text, start, end):
            definition = self.by_label.get(_folded(match[1])) if match[1] else None
            if definition is not None and not start <= definition[2] < end:
                found.setdefault(definition[0], definition[1])
        return found


def _folded(label: str) -> str:
    return _BLANKS.sub(" ", label.strip()).casefold()
