"""What a reader sees of a text with markup: blanks stand for the rest, so that places stay."""

from __future__ import annotations

import re

from ..lines import Line
from ..lines.hidden import blanked, hidden

__all__ = ["Visible"]

_MARKUP = re.compile(
    r"<!--[^<>]{0,300}-->|</?[A-Za-z][^<>]{0,300}>|&#?\w{1,8};|"
    r"\\[A-Za-z]{0,20}(?:begin|end|label|ref|cite|href|url|import|input|include|package|class)[A-Za-z]{0,10}\*?"
    r"(?:\[[^\[\]]{0,100}\]){0,2}\{[^{}]{0,100}\}|\\[A-Za-z]{1,30}|\]\([^()\s]{1,300}\)|\bhttps?://[^\s<>()]{1,300}"
)
_SIGNS = re.compile(r"[<&\\]|\]\(|://")

_TAG = re.compile(r"<(?:/?[A-Za-z]|!)[^<>]{0,1000}>")
"""Of several lines too."""

_IS_LATEX = re.compile(r"\\(?:begin|(?:sub)?section|chapter)\*?\{")
_TEX = re.compile(
    r"(?<!\\)%[^\n]{0,1000}|(?<!\\)\$\$[^$]{1,1000}\$\$|(?<!\\)\$(?:[^$\\]|\\.){1,500}\$|"
    r"\\\[(?:(?!\\\[).){1,1000}?\\\]|\\\((?:(?!\\\().){1,500}?\\\)|"
    r"\\begin\{((?:equation|align|gather|multline|displaymath|eqnarray|math)\*?)\}(?:(?!\\begin\{\1).){1,2000}?\\end\{\1\}",
    re.DOTALL,
)


class Visible:
    """A text without what is in comments, styles and scripts, and where it is LaTeX without formulas."""

    def __init__(self, text: str) -> None:
        self._text = text
        # A page about scripts names them in its sentences: only lines that are no prose can be inside of one.
        self._apart = text
        if _TAG.search(text):
            self._apart = blanked(text, hidden(text))
            self._apart = blanked(self._apart, (match.span() for match in _TAG.finditer(self._apart)))
        if _IS_LATEX.search(text):
            self._text = blanked(text, (match.span() for match in _TEX.finditer(text)))
            self._apart = self._text

    def of(self, line: Line) -> str:
        """The line as it is read, without tags, commands and addresses."""
        text = (self._apart if line.kind in ("other", "html") else self._text)[line.start : line.end]
        return _MARKUP.sub(lambda match: " " * len(match[0]), text) if _SIGNS.search(text) else text
