"""The package of ODT and ODP files (OpenDocument 1.3): trees, properties, styles, lists, the text of paragraphs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from zipfile import ZipFile

from cantle.errors import DocumentError

from ..containers.archive import read_entry
from ..containers.opc import attribute, child, find_all, whole
from ..containers.xml import Element, parse_xml, tag
from ..markup.writing import clean, image, link
from .styles import counted

__all__ = ["ListLevel", "Lists", "Package", "Styles", "inline", "label_of", "length"]

_MOST_BLANKS = 1000
_LEFT_OUT = re.compile(
    "(?:annotation|annotation-end|tracked-changes|change|change-start|change-end|bookmark.*|reference-mark.*|ruby-text"
    "|event-listeners|note-citation|script|desc|title|hidden-text|meta-field-decls|page-number-decl)$"
)
_UNITS = {"cm": 28.35, "mm": 2.835, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}


class Package:
    """An open archive; `name` is what messages call the file. Raises `DocumentError` for an encrypted one."""

    def __init__(self, archive: ZipFile, name: str) -> None:
        self.archive, self.name = archive, name
        self._entries = set(archive.namelist())
        manifest = "META-INF/manifest.xml"
        if manifest in self._entries and b"encryption-data" in read_entry(archive, manifest):
            raise DocumentError(
                f"{name} is encrypted. Save it without a password in the program that made it (in LibreOffice: save "
                "as, without the tick at 'Save with password')."
            )

    def tree(self, entry: str) -> Element | None:
        """The root of an entry; None where there is none."""
        if entry not in self._entries:
            return None
        return parse_xml(read_entry(self.archive, entry), entry, self.name)

    def content(self) -> Element:
        """The root of content.xml."""
        return parse_xml(read_entry(self.archive, "content.xml"), "content.xml", self.name)

    def properties(self) -> dict[str, Any]:
        """`title`, `author`, `subject`, `keywords` and `language`, those that the file has."""
        meta = child(self.tree("meta.xml"), "meta")
        names = {"title": "title", "initial-creator": "author", "creator": "author", "subject": "subject"}
        names |= {"keyword": "keywords", "language": "language"}
        found: dict[str, list[str]] = {}
        for one in meta if meta is not None else ():
            text = " ".join((one.text or "").split())
            if text and tag(one) in names:
                found.setdefault(tag(one), []).append(text)
        out: dict[str, Any] = {}
        for key, name in names.items():
            if key in found and name not in out:
                out[name] = ", ".join(found[key])
        return out


class ListLevel(NamedTuple):
    """A level of a list. `format` is 1, a, A, i, I, empty for none, and None for a bullet."""

    format: str | None
    prefix: str
    suffix: str
    start: int
    shown: int


class Styles:
    """The styles of a file, from content.xml and styles.xml."""

    def __init__(self, *roots: Element | None) -> None:
        self._styles: dict[tuple[str, str], Element] = {}
        self.lists: dict[str, dict[int, ListLevel]] = {}
        self.outline: dict[int, ListLevel] = {}
        for root in roots:
            for group in root if root is not None else ():
                if tag(group) in ("automatic-styles", "styles"):
                    for one in group:
                        self._add(one)

    def _add(self, one: Element) -> None:
        name = attribute(one, "name") or ""
        if tag(one) == "style":
            self._styles.setdefault((attribute(one, "family") or "", name), one)
        elif tag(one) == "list-style":
            self.lists.setdefault(name, _levels(one))
        elif tag(one) == "outline-style":
            self.outline = self.outline or _levels(one)

    def chain(self, family: str, name: str | None) -> Iterator[Element]:
        """The style of this name and those that it is based on."""
        for _ in range(50):
            one = self._styles.get((family, name or ""))
            if one is None:
                return
            yield one
            name = attribute(one, "parent-style-name")

    def property(self, family: str, name: str | None, group: str, prop: str) -> str | None:
        """The value of a property, such as `break-before` of the group `paragraph-properties`."""
        for one in self.chain(family, name):
            if (value := attribute(child(one, group), prop)) is not None:
                return value
        return None

    def names(self, family: str, name: str | None) -> list[str]:
        """The names that a style and those below it show, in lower case: `heading 1`."""
        found = []
        for one in self.chain(family, name):
            shown = attribute(one, "display-name") or attribute(one, "name") or ""
            found.append(shown.replace("_20_", " ").lower())
        return found or [(name or "").replace("_20_", " ").lower()]


def _levels(style: Element) -> dict[int, ListLevel]:
    found = {}
    for one in style:
        level = whole(attribute(one, "level"))
        if tag(one) in ("list-level-style-number", "outline-level-style"):
            found[level] = ListLevel(
                attribute(one, "num-format") or "",
                attribute(one, "num-prefix") or "",
                attribute(one, "num-suffix") or "",
                whole(attribute(one, "start-value"), 1),
                min(max(whole(attribute(one, "display-levels"), 1), 1), 10),
            )
        elif tag(one) in ("list-level-style-bullet", "list-level-style-image"):
            found[level] = ListLevel(None, "", "", 1, 1)
    return found


_WAYS = {"a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}


def label_of(levels: dict[int, ListLevel], counts: dict[int, int], level: int) -> str:
    """What stands before a paragraph of a level, from 1, that has been counted."""
    own = levels.get(level)
    if own is None or not own.format:
        return ""
    shown = []
    for at in range(max(1, level - own.shown + 1), level + 1):
        one = levels.get(at, own)
        if one.format:
            shown.append(counted(counts.get(at, one.start), _WAYS.get(one.format, "decimal")))
    return f"{own.prefix}{'.'.join(shown)}{own.suffix}".strip()


class Lists:
    """Counts the items of lists, and headings."""

    def __init__(self) -> None:
        self.counts: dict[str, dict[int, int]] = {}

    def count(self, style: str, levels: dict[int, ListLevel], level: int, start: int | None) -> dict[int, int]:
        """Count an item of a level, from 1; with a start anew from there."""
        counts = self.counts.setdefault(style, {})
        first = levels[level].start if level in levels else 1
        counts[level] = start if start is not None else counts[level] + 1 if level in counts else first
        for deeper in [at for at in counts if at > level]:
            del counts[deeper]
        return counts


def inline(
    element: Element, styles: Styles, note: Callable[[Element], str], boxes: list[Element], *, links: bool = True
) -> str:
    """The text of a paragraph, `\\v` where a page ended when the program last laid it out.

    `note` gives what stands for a footnote; the frames in the paragraph that hold text or tables are put into `boxes`.
    """
    out = [_blanks(element.text)]
    for one in element:
        name = tag(one)
        if name == "s":
            out.append(" " * min(max(whole(attribute(one, "c"), 1), 1), _MOST_BLANKS))
        elif name == "tab":
            out.append("\t")
        elif name == "line-break":
            out.append("\n")
        elif name == "soft-page-break":
            out.append("\v")
        elif name == "a":
            text = inline(one, styles, note, boxes, links=links)
            kept = text.strip()
            target = attribute(one, "href") or ""
            if kept and links and "\v" not in kept:
                before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
                text = before + link(kept, target) + after
            out.append(text)
        elif name == "note":
            out.append(note(one))
        elif name in ("frame", "g", "custom-shape", "rect", "ellipse"):
            out.append(_frame(one, boxes))
        elif name == "span":
            if styles.property("text", attribute(one, "style-name"), "text-properties", "display") != "none":
                out.append(inline(one, styles, note, boxes, links=links))
        elif not _LEFT_OUT.match(name):
            out.append(inline(one, styles, note, boxes, links=links))
        out.append(_blanks(one.tail))
    return "".join(out)


def _blanks(text: str | None) -> str:
    return re.sub("[ \t\r\n]+", " ", clean(text)) if text else ""


def _frame(frame: Element, boxes: list[Element]) -> str:
    """What stands for a frame: the description of a picture. A text box goes to the boxes."""
    if tag(frame) == "g" or child(frame, "text-box") is not None or find_all(frame, "p"):
        boxes.append(frame)
        return ""
    said = child(frame, "desc")
    return image("".join(said.itertext())) if said is not None else ""


def length(text: str | None) -> float | None:
    """A length in points; None for what is none."""
    found = re.fullmatch(r"(-?\d{1,9}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)", text or "")
    return float(found[1]) * _UNITS[found[2]] if found else None
