"""What the blocks of the outline hold: the titles of headings, and code in lists and quotes."""

from __future__ import annotations

import re

from .patterns import line_end
from .scan import Block

__all__ = ["is_atx", "nested_fences", "title"]

_OPENING = r"[ >\t]*(?:(?:[-+*]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}+(?=[^`\n]*(?:\n|\Z))|~{3,}+)"
_FIRST, _NESTED = re.compile(_OPENING), re.compile(rf"\n{_OPENING}")
_NESTED_END = re.compile(r"\n[ >\t]*(`{3,}+|~{3,}+)[ \t]*(?=\n|\Z)")


def title(text: str, heading: Block) -> str:
    """The title of a heading as it is written, without the marks; on one line."""
    written = text[slice(*heading.head)].strip()
    if not is_atx(text, heading):
        return " ".join(line.strip() for line in written.splitlines())
    rest = written.rstrip("#")
    return rest.rstrip() if rest == "" or rest[-1] in " \t" else written


def is_atx(text: str, heading: Block) -> bool:
    """Whether a heading is written with `#`, not underlined."""
    return heading.head[0] != heading.start  # an underlined one begins with its title


def nested_fences(seen: str, block: Block) -> list[tuple[int, int]]:
    """Whole lines of the fenced code in a list or quote, so far as they can be told from their marks alone.

    `seen` is the `view` of the text.
    """
    start, end = block.start, block.end
    if seen.find("```", start, end) < 0 and seen.find("~~~", start, end) < 0:
        return []
    found: list[tuple[int, int]] = []
    opening = _FIRST.match(seen, start, end) or _NESTED.search(seen, start, end)
    while opening is not None:
        first, at, stop = opening.start(), line_end(seen, opening.end()), end
        for closing in _NESTED_END.finditer(seen, at, end):
            if closing[1].startswith(opening[1]):
                stop = min(closing.end() + 1, end)
                break
        found.append((first + (seen[first] == "\n"), stop))
        opening = _NESTED.search(seen, stop - 1, end) if stop < end else None
    return found
