"""Text of DrawingML (ECMA-376, part 1, clause 21.1): paragraphs of shapes, lists, tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ..containers.opc import attribute, child, find_all, whole
from ..containers.xml import Element, tag
from ..markup.writing import Writer, clean, link
from .inline import math
from .slides import Block
from .styles import counted

__all__ = ["Bullets", "paragraphs", "plain", "table_rows"]

_BULLETS = ("buNone", "buChar", "buAutoNum", "buBlip")
_MOST_COLUMNS = 1000
_WAYS = {"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"}


class Bullets:
    """Says which paragraphs of a shape are items. `styles` are the list styles that it goes by, nearest first."""

    def __init__(self, styles: Sequence[Element | None]) -> None:
        self.styles = [one for one in styles if one is not None]

    def of(self, properties: Element | None, level: int) -> Element | None:
        """What stands before a paragraph of a level, from 0; None for nothing."""
        for one in (properties, *(child(style, f"lvl{level + 1}pPr") for style in self.styles)):
            if one is not None:
                for mark in one:
                    if tag(mark) in _BULLETS:
                        return None if tag(mark) == "buNone" else mark
        return None


def paragraphs(body: Element | None, links: Mapping[str, str], bullets: Bullets) -> list[Block]:
    """The paragraphs of a text body, as what writes them."""
    out: list[Block] = []
    counts: dict[int, int] = {}
    for one in find_all(body, "p"):
        text = _text(one, links)
        properties = child(one, "pPr")
        level = min(max(whole(attribute(properties, "lvl")), 0), 8)
        if not text.strip():
            continue
        mark = bullets.of(properties, level)
        for deeper in [at for at in counts if at > level]:
            del counts[deeper]
        if mark is None or tag(mark) != "buAutoNum":
            counts.pop(level, None)
            out.append(_paragraph(text) if mark is None and not level else _item(level, text, None))
            continue
        counts[level] = counts[level] + 1 if level in counts else whole(attribute(mark, "startAt"), 1)
        way = attribute(mark, "type") or "arabicPeriod"
        kind = next((found for begin, found in _WAYS.items() if way.startswith(begin)), None)
        if kind is None:
            out.append(_item(level, text, counts[level]))
        else:
            closed = f"({counted(counts[level], kind)})" if way.endswith("ParenBoth") else counted(counts[level], kind)
            sign = ")" if way.endswith("ParenR") else "." if way.endswith("Period") else ""
            out.append(_item(level, f"{closed}{sign} {text}", None))
    return out


def _paragraph(text: str) -> Block:
    return lambda writer: writer.paragraph(text)


def _item(level: int, text: str, number: int | None) -> Callable[[Writer], None]:
    return lambda writer: writer.item(level, text, number)


def plain(body: Element | None, links: Mapping[str, str]) -> str:
    """The text of a body on one line."""
    return " ".join(" ".join(_text(one, links) for one in find_all(body, "p")).split())


def _text(paragraph: Element, links: Mapping[str, str]) -> str:
    out = []
    for one in paragraph:
        name = tag(one)
        if name == "br":
            out.append("\n")
        elif name == "r" or (name == "fld" and attribute(one, "type") not in ("slidenum",)):
            text = clean("".join(part.text or "" for part in find_all(one, "t")))
            click = child(one, "rPr", "hlinkClick")
            target = links.get(attribute(click, "id") or "", "") if click is not None else ""
            if target and text.strip():
                before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
                text = before + link(text, target) + after
            out.append(text)
        elif name in ("AlternateContent", "m"):
            found = next(iter(one.iter("{*}oMath")), None)
            out.append("" if found is None else math(found))
    return re.sub("[ \t]+", " ", "".join(out))


def table_rows(table: Element, links: Mapping[str, str]) -> list[list[str]]:
    """The texts of a table: what spans several cells is in the first."""
    rows = []
    for row in find_all(table, "tr"):
        cells = []
        for cell in find_all(row, "tc")[:_MOST_COLUMNS]:
            merged = "1" in (attribute(cell, "hMerge"), attribute(cell, "vMerge"))
            held = [] if merged else [_text(one, links) for one in find_all(child(cell, "txBody"), "p")]
            cells.append("\n".join(held))
        rows.append(cells)
    return rows
