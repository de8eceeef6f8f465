"""The units of a Markdown text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..blocks.lines import view
from ..blocks.markdown import Block, nested_fences, outline
from ..chunk import Span
from ..structure.references import definitions
from ..whitespace import STRIP
from .unit import Unit, between, sentences

__all__ = ["markdown_units"]

_KINDS = {"fence": "code", "maths": "formula"}
_SILENT = ("rule", "comment", "front-matter")
"""Blocks that are no unit."""
_NESTING = ("list", "quote")
_APART = ("fence", "html", "comment", "front-matter", "maths")
"""Blocks in which nothing is a definition."""

_MARKS = re.compile(r"^[ \t>]*+(?:(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]++|$))*+", re.MULTILINE)
_ITEM = re.compile(r"[-+*.)]")
_INDENTED = re.compile(r"^(?: {4}| {0,3}\t)[ \t]*[^ \t\n]", re.MULTILINE)
_HEADING = re.compile(r"^ *+#{1,6}[ \t]++[^\n]++", re.MULTILINE)
_RULED = re.compile(r"^ *+(?=[^\n|]*+\|)\|?+(?:[ \t]*+:?+-++:?+[ \t]*+(?:\||$))++[ \t]*+$", re.MULTILINE)
"""The row below a table's header."""
_BLANK_LINE = re.compile(r"\n[ \t]*+(?=\n|\Z)")


def markdown_units(text: str) -> Iterator[Unit]:
    """Blocks, and the sentences of paragraphs, lists and quotes."""
    seen = view(text)
    blocks = outline(text)
    solid: list[Span] = []
    nested: list[Block] = []
    for block in blocks:
        solid.append((block.start, block.end))
        if block.kind in _NESTING:
            nested.append(block)
        if block.kind not in _SILENT:
            yield _trimmed(text, _KINDS.get(block.kind, block.kind), block.start, block.end)
    breaks: list[int] = []
    apart = [(block.start, block.end) for block in blocks if block.kind in _APART]
    for label, _, start, end in definitions(text, apart):
        if label.startswith("^"):
            breaks += (start, end)
        else:
            solid.append((start, end))
    code = [span for start, end in between(0, len(text), sorted(solid)) for span in _indented(seen, start, end)]
    yield from (_trimmed(text, "code", start, end) for start, end in code)
    yield from sentences(seen, between(0, len(text), sorted([*solid, *code]), breaks))
    for block in nested:
        yield from _nested(seen, block)


def _indented(seen: str, start: int, end: int) -> Iterator[Span]:
    """The indented code of a stretch between blocks: lines indented by four, behind a blank line."""
    if _INDENTED.search(seen, start, end) is None:
        return
    first = last = -1
    may_begin = True
    at = start
    while at < end:
        stop = seen.find("\n", at, end)
        stop = end if stop < 0 else stop
        line = seen[at:stop]
        if not line.strip():
            may_begin = True
        elif (may_begin or first >= 0) and _INDENTED.match(line):
            first, last = (at if first < 0 else first), stop
        else:
            if first >= 0:
                yield first, last
                first = -1
            may_begin = False
        at = stop + 1
    if first >= 0:
        yield first, last


def _nested(seen: str, block: Block) -> Iterator[Unit]:
    """The units inside of a list or a quote, told by the marks of its lines alone."""
    start, end = block.start, block.end
    code = nested_fences(seen, block)
    marks = [match for match in _MARKS.finditer(seen, start, end) if match[0]]
    # A quote's signs and the marks of items become blanks, and code becomes blank lines.
    bare: list[str] = []
    at = start
    for low, high, filler in sorted([*((*m.span(), " ") for m in marks), *((a, b, "\n") for a, b in code)]):
        if high > at:
            bare += (seen[at:low], filler * (high - max(low, at)))
            at = high
    text = "".join([*bare, seen[at:end]])
    items = [match.start() - start for match in marks if _ITEM.search(match[0])]
    written = {match.start(): match.end() for match in marks}
    found = [("code", written.get(a, a) - start, b - start) for a, b in code]
    found += [("table", a, b) for a, b in _tables(text)]
    found += [("heading", match.start(), match.end()) for match in _HEADING.finditer(text)]
    found.sort(key=lambda unit: unit[1:])
    stretches = between(0, len(text), [(a, b) for _, a, b in found], items)
    for kind, a, b in found:
        lead = len(text[a:b]) - len(text[a:b].lstrip(" "))
        yield _trimmed(seen, kind, start + a + lead, start + b)
    for kind, a, b in sentences(text, stretches):
        yield Unit(kind, start + a, start + b)


def _tables(text: str) -> Iterator[Span]:
    """Tables with pipes: from the row before the ruled one to the next blank line."""
    done = 0
    for ruled in _RULED.finditer(text):
        if ruled.start() <= done:
            continue
        head = text.rfind("\n", done, ruled.start() - 1) + 1
        if "|" not in text[head : ruled.start()]:
            continue
        blank = _BLANK_LINE.search(text, ruled.end())
        done = blank.start() if blank else len(text)
        yield max(head, 0), done


def _trimmed(text: str, kind: str, start: int, end: int) -> Unit:
    """A unit of whole lines, without the white space around it."""
    inside = text[start:end]
    lead = len(inside) - len(inside.lstrip(STRIP))
    return Unit(
        kind, start + lead if lead < len(inside) else start, max(start + lead, start + len(inside.rstrip(STRIP)))
    )
