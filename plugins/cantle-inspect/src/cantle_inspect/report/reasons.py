"""Why a chunk ends where it ends, in words."""

from __future__ import annotations

from typing import Any

from cantle import Chunk, Chunks

from ..measures.sizes import Sizes, number

__all__ = ["why"]

_KINDS = {
    "heading": "Ends before a heading",
    "section": "Ends before a section",
    "block": "Ends where a block begins or ends",
    "line": "Ends where a line ends",
    "row": "Ends before a row of a table or a line of code",
    "item": "Ends before an item of a list",
    "sentence": "Ends where a sentence ends",
    "word": "Ends between two words: the sentence is longer than the limit",
    "environment": "Ends where an environment begins or ends",
    "preamble": "Ends where the preamble ends",
    "value": "Ends behind a complete value",
    "window": "Ends where the window is full",
    "tokens": "Ends where the window of tokens is full",
}

_SEPARATORS = {
    "": "Ends between two characters, since the separator is the empty text",
    "\n\n": "Ends at a blank line, where a paragraph ends",
    "\n": "Ends at the end of a line",
    " ": "Ends between two words",
    "\t": "Ends at a tab",
    "\f": "Ends at the end of a page",
    "\n#{1,6} ": "Ends before a heading",
    "```\n": "Ends at the fence of a code block",
    "\n---+\n": "Ends at a rule",
    "\n\\*\\*\\*+\n": "Ends at a rule",
    "\n___+\n": "Ends at a rule",
}

_UNRANKED = frozenset({"characters", "end", "row", "window", "tokens", "preamble"})
"""Kinds whose level is no rank among borders."""

_VALUES = frozenset({"value", "string"})
"""Kinds of JSON, whose level is a depth."""


def why(chunk: Chunk, chunks: Chunks, sizes: Sizes) -> str:
    """A sentence on the cut behind a chunk; empty when the strategy tells no reason."""
    if chunk.cut is None:
        return ""
    kind, level, detail = _parts(chunk.cut)
    if kind == "end":
        last = chunk.index == len(chunks) - 1
        text = "Ends with the document" if last else "Ends where a part of the document ends that is cut by itself"
    elif kind == "characters":
        fits = "" if sizes.limit is None else f": nothing better fits in {number(sizes.limit)} {sizes.unit}"
        text = f"Ends between two characters{fits}"
    elif kind == "separator":
        text = _SEPARATORS.get(detail, f"Ends at the separator {_quoted(detail)}")
    elif kind == "string":
        text = "Ends inside a string, between two " + ("words" if detail else "characters, for want of a blank")
    elif kind in _KINDS:
        text = _KINDS[kind] + (f" ({detail})" if detail else "")
    elif kind:  # of a plugin
        text = f"Ends at a border of the kind {_quoted(kind)}" + (f" ({detail})" if detail else "")
    else:
        text = "Ends at a border that the strategy does not name"
    if level is not None and kind in _VALUES:
        text += ", in an object or list at depth " + str(level) if level else ", at the outermost level (depth 0)"
    elif level is not None and kind and kind not in _UNRANKED:
        text += f"; {_rank(level)}"
    if chunk.oversize:
        text += ". It is above the limit, since cutting it was forbidden"
    return text + "."


def _parts(cut: Any) -> tuple[str, int | None, str]:
    """The kind, the level and the detail of a cut; strategies of plugins may give anything as one."""
    parts = (cut,) if isinstance(cut, str) else tuple(cut[:3]) if isinstance(cut, tuple | list) else ()
    kind, level, detail = (*parts, None, None, None)[:3]
    rank = level if isinstance(level, int) and not isinstance(level, bool) and level >= 0 else None
    return kind if isinstance(kind, str) else "", rank, detail if isinstance(detail, str) else ""


def _rank(level: int) -> str:
    if level == 0:
        return "the strongest kind of border (level 0)"
    return f"level {level}: no stronger one fits"


def _quoted(text: str) -> str:
    shown = text.replace("\\", "\\\\") if "\n" in text or "\t" in text else text
    return "“" + shown.replace("\n", "\\n").replace("\t", "\\t") + "”"
