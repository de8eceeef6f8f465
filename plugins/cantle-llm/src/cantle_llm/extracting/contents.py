"""What a prompt holds of a chunk, and templates: as in Mastra, so that prompts are the same to the letter."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from hashlib import sha256
from typing import Any

from cantle import Chunk
from cantle.commands import to_json

__all__ = ["content", "fill", "is_set", "js_text", "js_trim", "mark_of"]

_BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f"
    "\u3000\ufeff"
)
"""What JavaScript's `trim` takes off."""

_NAMES = {
    "document_title": "documentTitle",
    "excerpt_keywords": "excerptKeywords",
    "next_section_summary": "nextSectionSummary",
    "prev_section_summary": "prevSectionSummary",
    "questions_this_excerpt_can_answer": "questionsThisExcerptCanAnswer",
    "section_summary": "sectionSummary",
    "start_index": "startIndex",
    "token_count": "tokenCount",
}
"""Keys that cantle writes, as Mastra names them."""

_PLACEHOLDER = re.compile(r"\{([A-Za-z0-9_]+)\}")


def js_trim(text: str) -> str:
    """The text without JavaScript's white space at its ends."""
    return text.strip(_BLANKS)


def content(chunk: Chunk) -> str:
    """The chunk's metadata, a line `key: value` each, sorted by key; a blank line; its text."""
    metadata = {_NAMES.get(key, key): value for key, value in chunk.metadata.items()}
    keys = sorted(metadata, key=lambda key: key.encode("utf-16-be", "surrogatepass"))
    lines = "\n".join(f"{key}: {js_text(metadata[key])}" for key in keys)
    return js_trim(f"{js_trim(lines)}\n\n{chunk.text}")


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with its `{word}` placeholders filled in one pass; unknown ones become empty."""
    return _PLACEHOLDER.sub(lambda found: values.get(found[1], ""), template)


def mark_of(text: str) -> str:
    """16 hexadecimal digits made from a text, which its author could not know while writing it."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_set(value: Any) -> bool:
    """Whether JavaScript takes the value for true."""
    if isinstance(value, Mapping | Sequence) and not isinstance(value, str):
        return True
    return bool(value) and value == value


def js_text(value: Any) -> str:
    """A value as JavaScript's `String` writes it, but objects as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, list | tuple):
        try:
            return ",".join("" if item is None else js_text(item) for item in value)
        except RecursionError:  # one that holds itself
            return to_json(value)
    text = to_json(value)
    return text[1:-1] if text.startswith('"') and not isinstance(value, Mapping) else text


def _number(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if 1e-6 <= abs(value) < 1e21 or not value:
        return f"{Decimal(repr(value)):f}".removesuffix(".0") if value else "0"
    digits, _, power = repr(value).partition("e")
    return f"{digits}e{int(power):+d}"
