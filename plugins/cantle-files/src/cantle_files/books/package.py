"""The package of an EPUB: what it holds, in which order, what its table of contents says, whether it is protected."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html.entities import html5
from typing import NamedTuple
from urllib.parse import unquote
from zipfile import ZipFile

from cantle.errors import DocumentError

from ..containers.archive import read_entry
from ..containers.xml import Element, parse_html, parse_xml, tag

__all__ = ["Package", "Title", "kinds", "page", "resolved"]

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Algorithms by which fonts alone are made unusable elsewhere."""
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_NCX = "application/x-dtbncx+xml"
_MOST_FALLBACKS = 10
_NAME = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);)([A-Za-z][A-Za-z0-9]{1,30});")
_ENCODING = re.compile(rb"""(?:encoding|charset)\s{0,9}=\s{0,9}["']?([A-Za-z0-9._-]{1,40})""")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_DEEPEST = 100
_TERMS = {
    "title": "title",
    "language": "language",
    "publisher": "publisher",
    "date": "date",
    "identifier": "identifier",
}


class Title(NamedTuple):
    """An entry of the table of contents: to which element of a page it leads, and on which level from 1.

    That of a part has no page of its own, and stands on the first one in it.
    """

    fragment: str
    text: str
    level: int
    is_part: bool = False


class _Item(NamedTuple):
    path: str
    media_type: str
    properties: str
    fallback: str


class Package:
    """The package of an open EPUB. Raises `DocumentError` for what is none."""

    def __init__(self, archive: ZipFile, name: str) -> None:
        self.archive, self.name = archive, name
        self._entries = {entry.filename: entry.filename for entry in archive.infolist()}
        self._lower = {entry.lower(): entry for entry in reversed(self._entries)}
        self._path = self._find()
        self._root = self._xml(self._path)
        self._items: dict[str, _Item] = {}
        for item in _named(self._root, "item"):
            held = _Item(
                resolved(self._path, item.get("href") or "")[0],
                (item.get("media-type") or "").lower(),
                item.get("properties") or "",
                item.get("fallback") or "",
            )
            self._items.setdefault(item.get("id") or "", held)
        self.spine = list(dict.fromkeys(self._spine()))
        """The pages in reading order, as names of entries."""
        if not self.spine:
            raise DocumentError(
                f"{name} is a damaged EPUB: its package lists no pages to read. Get the file once more."
            )

    def read(self, path: str) -> bytes:
        """The bytes of an entry."""
        return read_entry(self.archive, self._entry(path) or path)

    def refuse_protected(self) -> None:
        """Raise `DocumentError` where pages are encrypted. Fonts that are do no harm."""
        entry = self._entry(_ENCRYPTION)
        if entry is None:
            return
        pages = {self._path, *self.spine}
        for held in _named(self._xml(entry), "EncryptedData"):
            algorithms = [one.get("Algorithm") or "" for one in held if tag(one) == "EncryptionMethod"]
            if any(algorithm in _FONTS for algorithm in algorithms):
                continue
            for reference in _named(held, "CipherReference"):
                path = resolved("", reference.get("URI") or "")[0]
                if (self._entry(path) or path) in pages:
                    raise DocumentError(
                        f"{self.name} is protected (DRM): {path!r} in it is encrypted, so that only the shop's reader "
                        "opens it. Get it without protection."
                    )

    def metadata(self) -> dict[str, str]:
        """What the package says of the book; empty values are none."""
        found: dict[str, list[str]] = {}
        for part in self._root:
            if tag(part) == "metadata":
                for element in part.iterdescendants():
                    if text := _line(element):
                        found.setdefault(tag(element).lower(), []).append(text)
        made = {key: found[term][0] for term, key in _TERMS.items() if term in found}
        if "creator" in found:
            made["author"] = ", ".join(dict.fromkeys(found["creator"]))
        return made

    def contents(self) -> dict[str, list[Title]]:
        """The entries of the table of contents by the pages they lead to."""
        found: dict[str, list[Title]] = {}
        for path, title in self._navigation():
            entry = self._entry(path)
            if entry is not None and title.text:
                found.setdefault(entry, []).append(title)
        return found

    def _find(self) -> str:
        entry = self._entry(_CONTAINER)
        if entry is not None:
            for held in _named(self._xml(entry), "rootfile"):
                path = self._entry(resolved("", held.get("full-path") or "")[0])
                if path is not None:
                    return path
        path = next((one for one in self._entries if one.lower().endswith(".opf")), None)
        if path is None:
            raise DocumentError(f"{self.name} is no EPUB: no package (.opf) is in it. Get the file once more.")
        return path

    def _spine(self) -> Iterator[str]:
        for reference in _named(self._root, "itemref"):
            item = self._items.get(reference.get("idref") or "")
            for _ in range(_MOST_FALLBACKS):
                if item is None or item.media_type in _PAGES:
                    break
                item = self._items.get(item.fallback)
            if item is not None and item.media_type in _PAGES and "nav" not in item.properties.split():
                yield self._entry(item.path) or item.path

    def _navigation(self) -> Iterator[tuple[str, Title]]:
        for item in self._items.values():
            if "nav" in item.properties.split() and (entry := self._entry(item.path)):
                root = page(self.read(entry), f"{entry!r} in {self.name}")
                if root is not None:
                    yield from _of_nav(root, entry)
                    return
        spine = next(iter(_named(self._root, "spine")), None)
        named = self._items.get(spine.get("toc") or "") if spine is not None else None
        for item in [named] if named is not None else self._items.values():
            if (named is not None or item.media_type == _NCX) and (entry := self._entry(item.path)):
                yield from _of_ncx(self._xml(entry), entry)
                return

    def _xml(self, entry: str) -> Element:
        return parse_xml(read_entry(self.archive, entry), entry, self.name, doctype=True)

    def _entry(self, path: str) -> str | None:
        """The name of an entry, whose capitals some writers get wrong."""
        return self._entries.get(path) or self._lower.get(path.lower())


def page(data: bytes, what: str) -> Element | None:
    """The root of a page: XHTML, or HTML where it is not well-formed; None for an empty one. `what` is for messages.

    Raises `DocumentError` for one that is nested too deeply.
    """
    try:
        return parse_xml(_NAME.sub(_as_numbers, data), "", "", doctype=True)
    except DocumentError:
        return parse_html(_decoded(data), what)


def _as_numbers(match: re.Match[bytes]) -> bytes:
    """A named reference, which XML knows only from a file that is not fetched, as numbers."""
    known = html5.get(match[1].decode("ascii") + ";", "")
    return "".join(f"&#{ord(c)};" for c in known).encode("ascii") or match[0]


def _decoded(data: bytes) -> str:
    """The text of a page that is no XML, whatever it says of its encoding."""
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    declared = _ENCODING.search(data[:1024])
    for encoding in (declared[1].decode("ascii") if declared else "", "utf-8"):
        try:
            return data.decode(encoding)
        except (LookupError, ValueError):
            continue
    return data.decode("cp1252", "replace")


def _of_nav(root: Element, entry: str) -> Iterator[tuple[str, Title]]:
    """The entries of a navigation document (EPUB 3)."""
    navs = [element for element in root.iter() if tag(element) == "nav"]
    parts: list[Title] = []
    for nav in [nav for nav in navs if "toc" in kinds(nav)][:1] or navs[:1]:
        levels = {nav: 0}
        for element in nav.iterdescendants():
            name, parent = tag(element), element.getparent()
            level = levels[element] = min(levels.get(parent, 0) + (name in ("ol", "ul")), _DEEPEST)
            if name == "a":
                path, fragment = resolved(entry, element.get("href") or "")
                yield from ((path, part) for part in parts)
                yield path, Title(fragment, _line(element), max(level, 1))
                parts = []
            elif name == "span" and tag(parent) == "li":
                parts = [
                    *(part for part in parts if part.level < level),
                    Title("", _line(element), max(level, 1), True),
                ]


def _of_ncx(root: Element, entry: str) -> Iterator[tuple[str, Title]]:
    """The entries of an NCX (EPUB 2)."""
    levels: dict[Element, int] = {}
    parts: list[Title] = []
    for element in root.iterdescendants():
        name, parent = tag(element), element.getparent()
        level = levels[element] = min(levels.get(parent, 0) + (name == "navPoint"), _DEEPEST)
        if name == "navPoint":
            label = next((_line(one) for one in element if tag(one) == "navLabel"), "")
            target = next((one.get("src") or "" for one in element if tag(one) == "content"), "")
            if not target:
                parts = [*(part for part in parts if part.level < level), Title("", label, level, True)]
                continue
            path, fragment = resolved(entry, target)
            yield from ((path, part) for part in parts)
            yield path, Title(fragment, label, level)
            parts = []


def _line(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def kinds(element: Element) -> list[str]:
    """What an element is by `epub:type` and `role`, without `doc-`."""
    said = (
        element.get("{http://www.idpf.org/2007/ops}type") or element.get("epub:type") or "",
        element.get("role") or "",
    )
    return [word.removeprefix("doc-") for word in " ".join(said).lower().split()]


def _named(root: Element, name: str) -> Iterator[Element]:
    return (element for element in root.iter() if tag(element) == name)


def resolved(base: str, target: str) -> tuple[str, str]:
    """The entry that a reference in another one leads to, and the fragment."""
    path, _, fragment = target.strip().partition("#")
    path = unquote(path.partition("?")[0])
    if not path:
        return base, unquote(fragment)
    return posixpath.normpath(posixpath.join(posixpath.dirname(base), path)).lstrip("/"), unquote(fragment)
