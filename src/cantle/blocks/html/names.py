"""What the elements of HTML are to a text: data, by tag name.

Numbers stand for names: positive for start tags, negative for end tags, 0 for what is no tag.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = [
    "APART",
    "BARRIERS",
    "BLOCK",
    "CLOSES",
    "CONTEXTS",
    "FORMATTING",
    "HEADINGS",
    "HIDDEN",
    "ITEM",
    "ITEMS",
    "JOINTS",
    "KEPT_SPACE",
    "LEAVES",
    "LINE",
    "LISTS",
    "LOOSE",
    "NONE",
    "NUMBER",
    "PARAGRAPH",
    "RAW",
    "RAW_SHOWN",
    "SPACED",
    "SPECIAL",
    "SVG_SHAPES",
    "TABLE_PARTS",
    "VOID",
    "Numbers",
    "gap_table",
    "members",
]


def _set(names: str) -> frozenset[str]:
    return frozenset(names.split())


VOID = _set("area base basefont bgsound br col embed frame hr img input keygen link meta param source track wbr")
"""Elements without content and end tag."""

RAW_SHOWN = _set("textarea xmp plaintext")
RAW = _set("script style title iframe noembed noframes noscript") | RAW_SHOWN
"""Elements whose content is text whatever it looks like (`noscript`: in a browser that runs scripts)."""

HIDDEN = _set(
    "script style title iframe noembed noframes noscript template datalist audio video canvas desc metadata "
    "annotation annotation-xml"
)
"""Elements of which a browser shows no text."""

KEPT_SPACE = _set("pre listing textarea xmp plaintext")
"""Elements whose white space is kept."""

HEADINGS = _set("h1 h2 h3 h4 h5 h6")
LISTS = _set("ul ol menu dir dl")

PARAGRAPH = (
    _set(
        "p blockquote pre listing xmp plaintext figure hr article section main header footer nav aside address "
        "fieldset details form hgroup search table center"
    )
    | HEADINGS
    | LISTS
)
"""Elements that a blank line sets apart."""

_LINE = _set(
    "div tr thead tbody tfoot caption summary figcaption legend option optgroup body html frameset dialog marquee "
    "text foreignobject"
)
"""Elements that begin a line."""

ITEMS = _set("li dt dd")
"""Elements that begin a line, with no blank line where a paragraph begins or ends beside them."""

SPACED = _set("button select textarea input td th")
"""Elements that stand apart from the words around them, if only by a space."""

TABLE_PARTS = _set("table tr td th caption thead tbody tfoot")

FORMATTING = _set("a b big code em font i nobr s small strike strong tt u")
"""An end tag of these ends the element although others in it are open."""

LEAVES = FORMATTING | _set(
    "span abbr acronym bdi bdo cite data del dfn ins kbd label mark output q samp sub sup time tspan var"
)
"""Elements that may be passed over when they hold nothing but text: they begin and end nothing else."""

SVG_SHAPES = _set("path polygon polyline rect circle ellipse line use image stop g")

SPECIAL = (
    PARAGRAPH
    | KEPT_SPACE
    | _set(
        "applet body button caption colgroup dd div dt frameset head html iframe li marquee object select summary "
        "tbody td template tfoot th thead tr noscript figcaption"
    )
)
"""Elements that an end tag of an ordinary element does not reach over."""

_SCOPE = _set("applet caption table td th marquee object template foreignobject")
BARRIERS = {
    "any": _SCOPE,
    "button": _SCOPE | {"button"},
    "list": _SCOPE | _set("ul ol"),
    "item": SPECIAL - _set("address div p"),
    "table": _set("table template"),
    "cell": _set("td th caption template"),
}
"""How far out a tag may close open elements: up to the nearest of these."""

_P = (_set("p"), "button")
CLOSES: dict[str, list[tuple[frozenset[str], str]]] = {
    **{name: [_P] for name in PARAGRAPH | _set("div li dd dt summary figcaption dialog")},
    "table": [_P, (_set("table"), "cell")],
    "li": [(_set("li"), "item"), _P],
    "dd": [(_set("dd dt"), "item"), _P],
    "dt": [(_set("dd dt"), "item"), _P],
    "option": [(_set("option"), "any")],
    "optgroup": [(_set("option"), "any"), (_set("optgroup"), "any")],
    "button": [(_set("button"), "any")],
    "rt": [(_set("rt rp"), "any")],
    "rp": [(_set("rt rp"), "any")],
    "a": [(_set("a"), "any")],
}
"""What a start tag closes, in order: the nearest open element of a set, with a name in `BARRIERS`."""

_ROWS = _set("tbody thead tfoot")
CONTEXTS = {
    **dict.fromkeys(_ROWS | _set("caption colgroup"), _set("table")),
    "tr": _set("table") | _ROWS,
    **dict.fromkeys(_set("td th"), _set("table tr") | _ROWS),
}
"""What a part of a table stands in: it closes all that is open in the nearest of these."""

_NAMES = sorted(
    VOID
    | RAW
    | HIDDEN
    | PARAGRAPH
    | _LINE
    | ITEMS
    | SPACED
    | TABLE_PARTS
    | LEAVES
    | SVG_SHAPES
    | SPECIAL
    | BARRIERS["list"]
    | frozenset(CLOSES)
    | frozenset(CONTEXTS)
    | _set("svg math rb rtc ruby head")
)
NUMBER = {name: i for i, name in enumerate(_NAMES, 1)}
"""The number of each name known here."""

NONE, APART, LINE, LOOSE, ITEM, BLOCK = range(6)
JOINTS = ("", " ", "\n", "\n\n", "\n", "\n\n")
"""What stands between two pieces of text, by the strongest of the tags between them."""


class Numbers(dict[str, int]):
    """The numbers of tag names as they are written, `/` before those of end tags; new names get new numbers."""

    def __init__(self) -> None:
        super().__init__(_WRITTEN)
        self.names = ["", *_NAMES]

    def __missing__(self, written: str) -> int:
        name = written.lower()
        sign = 1
        if name.startswith("/"):
            name, sign = name[1:], -1
        number = super().get(name)
        if number is None:
            number = len(self.names)
            self.names.append(name)
            self[name] = number
        self[written] = sign * number
        return sign * number


_WRITTEN = {"": 0, **NUMBER, **{"/" + name: -number for name, number in NUMBER.items()}}


def members(numbers: Iterable[int], codes: Any) -> Any:
    """Which of an array of codes are tags, start or end, of the names with these numbers."""
    import numpy

    size = numpy.abs(codes)
    table = numpy.zeros(max(int(size.max(initial=0)), len(_NAMES)) + 1, bool)
    table[list(numbers)] = True
    return table[size]


def gap_table(count: int) -> Any:
    """How strongly a tag parts the texts beside it, by the number of its name; a numpy array for `count` names."""
    import numpy

    table = numpy.zeros(count, numpy.uint8)
    for names, gap in ((SPACED, APART), (_LINE, LINE), (PARAGRAPH, BLOCK), (_set("p"), LOOSE), (ITEMS, ITEM)):
        table[[NUMBER[name] for name in names]] = gap
    return table
