"""The units of a LaTeX document."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..blocks.latex import VERBATIM, formulas, items, scan
from ..blocks.lines import view
from ..chunk import Span
from .unit import HOLDING, Unit, between, sentences

__all__ = ["latex_units"]

_TABLES = (
    "tabular", "tabularx", "tabulary", "longtable", "xltabular", "longtabu", "tabu", "supertabular", "xtabular",
    "tblr", "longtblr", "talltblr", "NiceTabular", "table", "sidewaystable", "wraptable", "threeparttable",
)  # fmt: skip
_FORMULAS = (
    "equation", "align", "gather", "multline", "flalign", "alignat", "xalignat", "eqnarray", "displaymath", "math",
    "dmath", "dgroup", "IEEEeqnarray", "subequations",
)  # fmt: skip
_LISTS = ("itemize", "enumerate", "description", "list", "trivlist", "inparaenum", "compactitem", "compactenum")
_KINDS = {
    **dict.fromkeys(_TABLES, "table"),
    **dict.fromkeys(_FORMULAS, "formula"),
    **dict.fromkeys(_LISTS, "list"),
    **dict.fromkeys(VERBATIM, "code"),
}
_CODE_TOO = ("algorithm", "algorithmic", "listing", "code")

_BEGIN = re.compile(
    r"\\begin[ \t]*\{([^{}\r\n\\]{1,100})\}(?:[ \t]*\[[^][\r\n]{0,500}\])?(?:[ \t]*\{[^{}\r\n]{0,500}\})?"
)
_COMMENT = re.compile(r"(\\.)|%[^\n]*+(?:\n(?![ \t]*\n)[ \t]*+)?", re.DOTALL)
"""A comment takes its line end and the blanks after it along, but no blank line."""


def latex_units(text: str) -> Iterator[Unit]:
    """Sections, environments, displays, and the sentences outside of tables, code and formulas."""
    document = scan(text)
    first = document.body
    solid: list[Span] = []
    listed = first  # where the last list ends
    if document.body:
        begin = _BEGIN.match(text, first)
        solid.append((first, begin.end() if begin else first))
    for section in document.sections:
        if section.start >= first:
            yield Unit("heading", section.start, section.end)
            solid.append((section.start, section.end))
    for start, end in sorted(document.blocks, key=lambda block: (block[0], -block[1])):
        if start < first:
            continue
        begin = _BEGIN.match(text, start, end)
        name = begin[1].removesuffix("*") if begin else ""
        kind = _KINDS.get(name, "code" if name in _CODE_TOO else "environment") if begin else "formula"
        if kind not in HOLDING:
            solid.append((start, end))
        elif begin:
            solid += [begin.span(), (text.rfind("\\", start, end), end)]
        if kind == "list" and start < listed:
            continue
        if kind == "list":
            listed = end
        if name != "comment":
            yield Unit(kind, start, end)
    end = _end(text, first)
    solid.sort()
    bare = _bare(text, solid, first, end)
    yield from sentences(bare, between(first, end, solid, items(text, first, end)))


def _end(text: str, first: int) -> int:
    found = text.find("\\end{document}", first) if first else -1
    return len(text) if found < 0 else found


def _bare(text: str, solid: list[Span], first: int, end: int) -> str:
    """The text, every character at its place, with comments as blanks and formulas as words without an end."""
    seen = view(text)
    pieces, at = [seen[:first]], first
    for low, high in between(first, end, solid):
        prose = _COMMENT.sub(_blank, seen[low:high])
        pieces.append(seen[at:low])
        done = 0
        for a, b in formulas(prose, 0, len(prose)):
            pieces += (prose[done:a], "x" * (b - a))
            done = b
        pieces.append(prose[done:])
        at = high
    return "".join([*pieces, seen[at:]])


def _blank(match: re.Match[str]) -> str:
    return match[1] or " " * len(match[0])
