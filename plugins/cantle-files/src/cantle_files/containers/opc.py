"""The package of DOCX and PPTX files: parts, the relationships between them, properties (ECMA-376, part 2)."""

from __future__ import annotations

import posixpath
from typing import Any, NamedTuple
from urllib.parse import unquote
from zipfile import ZipFile

from .archive import read_entry
from .xml import Element, parse_xml, tag

__all__ = ["Package", "Related", "attribute", "child", "find_all", "is_on", "whole"]


class Related(NamedTuple):
    """What a part refers to: the last word of the relationship's type, and the part's name or, outside, an address."""

    type: str
    target: str
    is_outside: bool


class Package:
    """The parts of an open archive. `name` is what messages call the file."""

    def __init__(self, archive: ZipFile, name: str) -> None:
        self.archive, self.name = archive, name
        self._entries = {info.filename.lower(): info.filename for info in archive.infolist()}
        self._related: dict[str, dict[str, Related]] = {}

    def main(self, usual: str) -> str:
        """The name of the main part: the one that the package names, else the usual one."""
        for one in self.related("").values():
            if one.type == "officeDocument" and not one.is_outside and self.has(one.target):
                return one.target
        return usual

    def has(self, part: str) -> bool:
        """Whether there is a part of this name."""
        return part.lower() in self._entries

    def tree(self, part: str) -> Element:
        """The root of a part. Raises `DocumentError` where it is missing or broken."""
        entry = self._entries.get(part.lower(), part)
        return parse_xml(read_entry(self.archive, entry), part, self.name)

    def related(self, part: str) -> dict[str, Related]:
        """What a part refers to, by the ids that stand in it; "" is the package itself."""
        if part not in self._related:
            folder, file = posixpath.split(part)
            entry = posixpath.join(folder, "_rels", f"{file}.rels")
            found = {}
            if self.has(entry):
                for one in self.tree(entry):
                    kind = (one.get("Type") or "").rpartition("/")[2]
                    target, outside = one.get("Target") or "", one.get("TargetMode") == "External"
                    if not outside:
                        target = posixpath.normpath(posixpath.join("/", folder, unquote(target))).lstrip("/")
                    found[one.get("Id") or ""] = Related(kind, target, outside)
            self._related[part] = found
        return self._related[part]

    def first(self, part: str, kind: str) -> str | None:
        """The name of the first part of a kind that a part refers to and that exists."""
        for one in self.related(part).values():
            if one.type == kind and not one.is_outside and self.has(one.target):
                return one.target
        return None

    def properties(self) -> dict[str, Any]:
        """`title`, `author`, `subject`, `keywords` and `language`, those that the package has."""
        part = self.first("", "core-properties")
        if part is None:
            return {}
        names = {"title": "title", "creator": "author", "subject": "subject", "keywords": "keywords"}
        names["language"] = "language"
        found = {}
        for one in self.tree(part):
            text = " ".join((one.text or "").split())
            if text and tag(one) in names:
                found[names[tag(one)]] = text
        return {name: found[name] for name in names.values() if name in found}


def attribute(element: Element, name: str) -> str | None:
    """The value of an attribute, whatever its namespace: transitional and strict files have different ones."""
    if element is None:
        return None
    for key, value in element.attrib.items():
        if key == name or key.endswith("}" + name):
            return str(value)
    return None


def child(element: Element, *path: str) -> Element | None:
    """The first child of this name, and of that one the first of the next name, and so on."""
    for name in path:
        if element is None:
            return None
        element = next((one for one in element if tag(one) == name), None)
    return element


def find_all(element: Element, name: str) -> list[Element]:
    """The children of this name."""
    return [] if element is None else [one for one in element if tag(one) == name]


def is_on(element: Element | None) -> bool:
    """Whether a switch of WordprocessingML is there and not off."""
    return element is not None and attribute(element, "val") not in ("0", "false", "off", "none")


def whole(value: str | None, default: int = 0, most: int = 1_000_000) -> int:
    """A number that is written in a file; `default` for none and for what is no number."""
    if value is None or len(value) > 12:
        return default
    try:
        return max(-most, min(most, int(value)))
    except ValueError:
        return default
