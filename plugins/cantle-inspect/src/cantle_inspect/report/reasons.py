"""Why a chunk ends where it ends, in words."""

from __future__ import annotations

from cantle import Chunk, Chunks

from ..measures.sizes import Sizes, number

__all__ = ["why"]

_KINDS = {
    "heading": "Ends before a heading",
    "section": "Ends before a section",
    "block": "Ends where a block ends",
    "line": "Ends where a line ends",
    "row": "Ends before a row of a table or a line of code",
    "item": "Ends before an item of a list",
    "sentence": "Ends where a sentence ends",
    "word": "Ends between two words: the sentence is longer than the limit",
    "environment": "Ends where an environment begins or ends",
    "preamble": "Ends where the preamble ends",
    "value": "Ends behind a complete value",
    "tokens": "Ends where the window of tokens is full",
}

_SEPARATORS = {
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

_UNRANKED = frozenset({"characters", "end", "row", "tokens", "preamble", "value"})
"""Kinds whose level is no rank among borders."""


def why(chunk: Chunk, chunks: Chunks, sizes: Sizes) -> str:
    """A sentence on the cut behind a chunk; empty when the strategy tells no reason."""
    if chunk.cut is None:
        return ""
    kind, level, detail = chunk.cut
    json = getattr(chunks.strategy, "name", "") == "json"
    last = chunk.index == len(chunks) - 1
    if kind == "end":
        text = "Ends with the document" if last else "Ends where a part of the document ends that is cut by itself"
    elif kind == "characters":
        fits = "" if sizes.limit is None else f": nothing better fits in {number(sizes.limit)} {sizes.unit}"
        text = f"Ends between two characters{fits}"
    elif kind == "separator" and json:
        text = "Ends inside a string, between two words"
    elif kind == "separator":
        text = _SEPARATORS.get(detail, f"Ends at the separator {_quoted(detail)}")
    elif kind in _KINDS:
        text = _KINDS[kind] + (f" ({detail})" if detail else "")
    else:  # of a plugin
        text = f"Ends at a border of the kind {_quoted(kind)}" + (f" ({detail})" if detail else "")
    if json and kind != "end":
        text += f" at depth {level}"
    elif kind not in _UNRANKED:
        text += f"; {_rank(level)}"
    if chunk.oversize:
        text += ". It is above the limit, since cutting it was forbidden"
    return text + "."


def _rank(level: int) -> str:
    if level == 0:
        return "the strongest kind of border (level 0)"
    return f"level {level}: no stronger one fits"


def _quoted(text: str) -> str:
    shown = text.replace("\\", "\\\\") if "\n" in text or "\t" in text else text
    return "“" + shown.replace("\n", "\\n").replace("\t", "\\t") + "”"
