"""Styles and numbering of DOCX files: what is a heading, what an item of a list, and what stands before it."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..containers.opc import attribute, child, find_all, is_on, whole
from ..containers.xml import Element, tag

__all__ = ["Label", "Level", "Numbering", "Styles", "counted"]

_HEADING = re.compile(r"heading ([1-9])$", re.IGNORECASE)
_ABOUT_TITLE = ("author", "date", "subtitle", "abstract", "abstracttitle", "abstract title", "affiliation")
"""Styles of what stands below the title, which Pandoc bases on that of the title."""

_LONGEST_LABEL = 255
"""Characters of the pattern of a label; Word allows no more."""

_BODY = 9
"""The outline level of what is no heading."""


class Styles:
    """The paragraph and character styles. `root` is that of styles.xml; None where there is none."""

    def __init__(self, root: Element | None) -> None:
        self._styles: dict[str, Element] = {}
        self._default = ""
        for style in find_all(root, "style"):
            name = attribute(style, "styleId") or ""
            self._styles.setdefault(name, style)
            if attribute(style, "type") == "paragraph" and attribute(style, "default") in ("1", "true"):
                self._default = name
        self._chains: dict[str, list[Element]] = {}

    def chain(self, style: str | None) -> list[Element]:
        """The style of this id and those that it is based on; the default one for None."""
        first = self._default if style is None else style
        if first not in self._chains:
            found: list[Element] = []
            seen: set[str] = set()
            at: str | None = first
            while at in self._styles and at not in seen and len(found) < 50:
                seen.add(at)
                found.append(self._styles[at])
                at = attribute(child(self._styles[at], "basedOn"), "val")
            self._chains[first] = found
        return self._chains[first]

    def name(self, style: str | None) -> str:
        """The name of a style, in lower case."""
        found = self.chain(style)
        return (attribute(child(found[0], "name"), "val") or "").lower() if found else (style or "").lower()

    def heading(self, style: str | None) -> int:
        """The level of a heading in this style, from 1; 0 for one of text."""
        for one in self.chain(style):
            level = attribute(child(one, "pPr", "outlineLvl"), "val")
            if level is not None:
                return whole(level) + 1 if 0 <= whole(level) < _BODY else 0
            name = (attribute(child(one, "name"), "val") or "").lower()
            if name == "title":
                return 0 if self.name(style) in _ABOUT_TITLE else 1
            if found := _HEADING.match(name):
                return int(found[1])
        return 0

    def property(self, style: str | None, *path: str) -> Element | None:
        """The first element of this path in the chain of styles, such as `"pPr", "numPr"`."""
        for one in self.chain(style):
            if (found := child(one, *path)) is not None:
                return found
        return None


class Level(NamedTuple):
    """A level of a list: how it counts, its label (`%1.%2`), from where, and the style that is numbered with it."""

    format: str
    text: str
    start: int
    style: str | None
    legal: bool
    is_said: bool
    """Whether there is a label at all, be it blank."""


class Label(NamedTuple):
    """What stands before a paragraph. `number` where it is just one, such as 3. or 3); `text` is empty for a bullet.

    `blank` is the bullet that shows nothing: its paragraph goes on with the item before.
    """

    number: int | None
    text: str
    bullet: bool
    blank: bool = False


class Numbering:
    """The lists of a file, and how far each has been counted. `root` is that of numbering.xml, or None."""

    def __init__(self, root: Element | None) -> None:
        self._abstract: dict[str, dict[int, Level]] = {}
        self._links: dict[str, str] = {}
        self._counts: dict[str, dict[int, int]] = {}
        self._lists: dict[str, tuple[str, dict[int, Level], dict[int, int]]] = {}
        self._begun: set[tuple[str, int]] = set()
        by_style: dict[str, str] = {}
        for one in find_all(root, "abstractNum"):
            name = attribute(one, "abstractNumId") or ""
            self._abstract[name] = _levels(one)
            if (style := attribute(child(one, "styleLink"), "val")) is not None:
                by_style[style] = name
            if (style := attribute(child(one, "numStyleLink"), "val")) is not None:
                self._links[name] = style
        for one in find_all(root, "num"):
            name = attribute(child(one, "abstractNumId"), "val") or ""
            if name in self._links:
                name = by_style.get(self._links[name], name)
            levels, starts = dict(self._abstract.get(name, {})), {}
            for override in find_all(one, "lvlOverride"):
                level = whole(attribute(override, "ilvl"))
                levels.update(_levels(override))
                if (start := attribute(child(override, "startOverride"), "val")) is not None:
                    starts[level] = whole(start)
            self._lists[attribute(one, "numId") or ""] = (name, levels, starts)

    def level_of(self, number: str, style: str | None) -> int:
        """The level of a list that a style is numbered with."""
        levels = self._lists.get(number, ("", {}, {}))[1]
        return next((level for level, one in levels.items() if style and one.style == style), 0)

    def label(self, number: str, level: int) -> Label | None:
        """Count a paragraph of a list; None where no such list is, or its level has no label."""
        if number not in self._lists:
            return None
        name, levels, starts = self._lists[number]
        one = levels.get(level)
        if one is None:
            return None
        if one.format == "bullet":
            return Label(None, _BOXES.get(one.text.strip(), ""), True, not one.text.strip() and one.is_said)
        counts = self._counts.setdefault(name, {})
        if (number, level) not in self._begun:
            self._begun.add((number, level))
            if level in starts:  # only this level: those above it are of the list that this one is in
                counts.pop(level, None)
        counts[level] = counts[level] + 1 if level in counts else starts.get(level, one.start)
        for deeper in [at for at in counts if at > level]:
            del counts[deeper]
        if one.format == "none" or not one.text:
            return None
        plain = one.format == "decimal" and re.fullmatch(r"%\d[.)]?", one.text) is not None
        return Label(counts[level] if plain else None, self._text(one, levels, counts), False)

    @staticmethod
    def _text(one: Level, levels: dict[int, Level], counts: dict[int, int]) -> str:
        def shown(found: re.Match[str]) -> str:
            at = int(found[1]) - 1
            other = levels.get(at, one)
            return counted(counts.get(at, other.start), "decimal" if one.legal else other.format)

        return re.sub(r"%([1-9])", shown, one.text).strip()


def _levels(element: Element) -> dict[int, Level]:
    found = {}
    for one in element:
        if tag(one) == "lvl":
            found[whole(attribute(one, "ilvl"))] = Level(
                attribute(child(one, "numFmt"), "val") or "decimal",
                (attribute(child(one, "lvlText"), "val") or "")[:_LONGEST_LABEL],
                whole(attribute(child(one, "start"), "val")),
                attribute(child(one, "pStyle"), "val"),
                is_on(child(one, "isLgl")),
                child(one, "lvlText") is not None and child(one, "lvlPicBulletId") is None,
            )
    return found


_BOXES = {box: box for box in "☐☑☒✓✔✗✘"}
"""Bullets that say something: boxes that are ticked or not."""


def counted(number: int, way: str) -> str:
    """A number as a list counts: `decimal`, `lowerLetter`, `upperRoman`, ..."""
    if way in ("lowerLetter", "upperLetter") and 0 < number <= 26 * 20:
        letters = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)  # a ... z, aa, bb, as Word does
        return letters if way == "lowerLetter" else letters.upper()
    if way in ("lowerRoman", "upperRoman") and 0 < number < 4000:
        roman = ""
        for value, sign in _ROMAN:
            roman += sign * (number // value)
            number %= value
        return roman if way == "lowerRoman" else roman.upper()
    return f"{number:02}" if way == "decimalZero" else str(number)


_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
    (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip
