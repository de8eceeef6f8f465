"""Link reference definitions: `[label]: destination "title"` at the start of a paragraph."""

from __future__ import annotations

import re

from .patterns import INTERRUPT, is_blank, line_end

__all__ = ["definition_end", "text_end"]

_LABEL = re.compile(r" {0,3}\[(?=\s*[^\]\s])((?:[^\[\]\\]++|\\[\s\S])*)\]:[ \t]*(?:\n[ \t]*)?")
_ANGLED = re.compile(r"<(?:[^<>\n\\]++|\\.)*>")
_PLAIN = re.compile(r"[^\x00-\x20\x7f<][^\x00-\x20\x7f]*+")
_TITLE = re.compile(
    r"""(?:[ \t]+|[ \t]*\n[ \t]*)(?:"(?:[^"\\]++|\\[\s\S])*"|'(?:[^'\\]++|\\[\s\S])*'|\((?:[^()\\]++|\\[\s\S])*\))"""
    r"[ \t]*(?:\n|\Z)"
)
_REST = re.compile(r"[ \t]*(?:\n|\Z)")
_SCRIPT = re.compile(r"(?:vbscript|javascript|file|data):", re.IGNORECASE)
_IMAGE = re.compile(r"data:image/(?:gif|png|jpeg|webp);", re.IGNORECASE)
_PARENTHESES = re.compile(r"\\.|[()]")
_DEEPEST = 32


def definition_end(view: str, start: int, stop: int) -> int | None:
    """Where the definition that begins with the line at `start` ends, a line border; None when there is none.

    `stop` is where the paragraph that it is in ends.
    """
    label = _LABEL.match(view, start, stop)
    if label is None:
        return None
    at = label.end()
    angled = _ANGLED.match(view, at, stop)
    if angled is not None:
        at = angled.end()
        target = angled[0][1:-1]
    else:
        plain = _PLAIN.match(view, at, stop)
        if plain is None or not _balanced(plain[0]):
            return None
        at = plain.end()
        target = plain[0]
    if _SCRIPT.match(target) and not _IMAGE.match(target):
        return None
    rest = _TITLE.match(view, at, stop) or _REST.match(view, at, stop)
    return rest.end() if rest is not None else None


def _balanced(destination: str) -> bool:
    depth = 0
    for match in _PARENTHESES.finditer(destination):
        if match[0] == "(":
            depth += 1
        elif match[0] == ")":
            depth -= 1
        if not 0 <= depth <= _DEEPEST:
            return False
    return depth == 0


def text_end(text: str, at: int) -> int:
    """Where the lines from `at` on can go on no definition: at a blank line or another block."""
    at = line_end(text, at) + 1
    while at < len(text) and not INTERRUPT.match(text, at):
        end = line_end(text, at)
        if is_blank(text, at, end):
            break
        at = end + 1
    return min(at, len(text))
