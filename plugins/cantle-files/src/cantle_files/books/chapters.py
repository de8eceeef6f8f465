"""The pages of an EPUB: headings, which some have in the table of contents alone, and footnotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any

from cantle.text import is_blank

from ..containers.xml import Element, tag
from ..markup.hypertext import write_tree
from ..markup.writing import Lines, Writer, clean
from .package import Title, kinds, page, resolved

__all__ = ["Chapter", "Notes"]

_HEADING = re.compile("h[1-6]$")
_BLOCK = re.compile("(?:address|article|aside|blockquote|dd|div|dl|dt|figure|footer|li|ol|p|pre|section|table|td|ul)$")
_LINE = re.compile("(?:p|div|h[1-6])$")
_NOTES = {"footnote", "endnote", "rearnote", "note"}
_MARK = re.compile(r"\W{0,2}(?:\d{1,4}|[*\u2020\u2021\u00a7]{1,4}|[a-z]|[ivxl]{1,6})\W{0,2}\Z")
_BACK = re.compile(r"[\W\d]{0,6}\Z")
_LONGEST_TITLE = 300
_DEEPEST = 100
_MOST_INSIDE = 200
"""Elements in one line."""
_OUTSIDE = re.compile("(?:https?|ftp|mailto|tel):", re.IGNORECASE)


class Notes:
    """The footnotes of a book: numbers for the places that are referred to, over all its pages."""

    def __init__(self, spine: Sequence[str]) -> None:
        self._place = {path: i for i, path in enumerate(spine)}
        self._numbers: dict[str, dict[str, int]] = {}
        self._count = 0

    def number(self, path: str, fragment: str) -> int:
        """The number of a note."""
        on_page = self._numbers.setdefault(path, {})
        if fragment not in on_page:
            self._count += 1
            on_page[fragment] = self._count
        return on_page[fragment]

    def numbers(self, path: str) -> dict[str, int]:
        """The notes on a page that are referred to so far, by their ids."""
        return self._numbers.get(path, {})

    def is_later(self, path: str, than: str) -> bool:
        """Whether a page comes after another."""
        return self._place.get(path, -1) > self._place[than]


class Chapter:
    """One page of a book."""

    def __init__(self, path: str, data: bytes, notes: Notes, name: str) -> None:
        self.path, self.notes = path, notes
        self.root: Any = page(data, f"{path!r} in {name}")
        self.has_text = False

    def write(self, writer: Writer, titles: Sequence[Title], shift: int) -> int:
        """Write the page. `shift` is what the page before added to its headings' levels; gives that of this page."""
        body = next((one for one in self.root.iter() if tag(one).lower() == "body"), self.root)
        whole = [title for title in titles if not title.fragment and not title.is_part]
        parts = [title for title in titles if title.is_part] + whole[:-1]
        own = whole[-1:] + [title for title in titles if title.fragment and not title.is_part]
        self.has_text = not is_blank("".join(body.itertext()))
        notes: list[tuple[int, str]] = []
        for part in parts:
            writer.heading(part.level, part.text)
        if not _is_deep(body):
            ids = {one.get("id"): one for one in body.iter() if one.get("id")}
            ids |= {one.get("name"): one for one in body.iter() if tag(one) == "a" and one.get("name")}
            notes = self._take_notes(body, ids, writer)
            levels = [int(tag(one)[1]) for one in body.iter() if _HEADING.match(tag(one)) and _line(one)]
            if levels and own:
                shift = min(title.level for title in own) - min(levels)
            elif not levels and self.has_text:
                shift = 0
                for title in own:
                    _set_heading(body, ids.get(title.fragment) if title.fragment else body, title)
        write_tree(writer, body, level=shift, resolve=_leading_out)
        for number, text in notes:
            writer.note(str(number), text)
        writer.flush_notes()
        return shift

    def _take_notes(self, body: Element, ids: dict[str, Element], writer: Writer) -> list[tuple[int, str]]:
        """Write marks in place of references to notes, and take the notes out of the page."""
        back: dict[Element, set[str]] = {}
        for anchor in [one for one in body.iter() if tag(one).lower() == "a" and one.get("href")]:
            path, fragment = resolved(self.path, anchor.get("href"))
            if not fragment or not _refers(anchor):
                continue
            if path == self.path:
                target = ids.get(fragment)
                if target is None or not (_NOTES & set(kinds(target)) or _is_note(target, anchor, back)):
                    continue
            elif not self.notes.is_later(path, self.path):
                continue
            mark = f"[^{self.notes.number(path, fragment)}]"
            _replace(anchor, mark)
        found = []
        for fragment, number in self.notes.numbers(self.path).items():
            note = _note(ids[fragment]) if fragment in ids else None
            text = ""
            if note is not None and note is not body:
                text = _note_text(note, writer)
                _replace(note, "")
            found.append((number, text))
        return found


def _leading_out(target: str) -> str:
    """A target that leads out of the book, or nothing."""
    return target if _OUTSIDE.match(target) else ""


def _refers(anchor: Element) -> bool:
    """Whether an anchor is the mark of a note."""
    if "noteref" in kinds(anchor):
        return True
    raised = tag(anchor.getparent()) == "sup" or any(tag(one) == "sup" for one in anchor)
    return raised and _MARK.match(_line(anchor)) is not None


def _is_note(target: Element, anchor: Element, back: dict[Element, set[str]]) -> bool:
    """Whether an element that no word calls a note is one: it leads back to the mark. `back` keeps where notes lead."""
    note = _note(target)
    if note is None or any(one is note for one in anchor.iterancestors()):
        return False
    if note not in back:
        anchors = (one for one in note.iter() if tag(one) == "a")
        back[note] = {(one.get("href") or "").rpartition("#")[2] for one in anchors}
    marks = [anchor, anchor.getparent(), *anchor]
    return any(one.get("id") in back[note] for one in marks if one.get("id"))


def _is_deep(body: Element) -> bool:
    """Whether elements are nested as in no book, so that what looks at all inside of each would take long."""
    depths = {body: 0}
    for element in body.iterdescendants():
        depth = depths[element] = depths[element.getparent()] + 1
        if depth > _DEEPEST:
            return True
    return False


def _note(element: Element) -> Element | None:
    """The block that a note is, from the element in it that has the id."""
    while element is not None and not _BLOCK.match(tag(element).lower()):
        element = element.getparent()
    return element


def _note_text(note: Element, writer: Writer) -> str:
    """The text of a note, a line for each block of it, without the link back to its mark."""
    for anchor in [one for one in note.iter() if tag(one).lower() == "a"]:
        inside = (anchor.get("href") or "").find("#") >= 0 and not _OUTSIDE.match(anchor.get("href"))
        if "backlink" in kinds(anchor) or (inside and _BACK.match(_line(anchor))):
            _replace(anchor, "")
    note.attrib.clear()  # notes that a reader shows in a window are hidden on the page
    lines = Lines(writer)
    write_tree(lines, note, resolve=_leading_out)
    text = lines.text
    return re.sub(r"\A(?:[\[(]?\d{1,4}[\])]?[.:)]?|[.:)])\s+(?=\S)", "", text)


def _set_heading(body: Element, target: Element | None, title: Title) -> None:
    """Make the line at a place that is the title a heading, or put the title there as one."""
    level = f"h{min(title.level, 6)}"
    if target is None:
        return
    wanted = " ".join(title.text.split())
    line = _line_at(body, target)
    if line is not None and _line(line).casefold() == wanted.casefold():
        line.tag = level
        return
    made = body.makeelement(level, {})
    made.text = wanted[:_LONGEST_TITLE]
    if target is body:
        made.tail, body.text = body.text, None
        body.insert(0, made)
        return
    block = _note(target) if not _HEADING.match(tag(target)) else target
    if block is None or block is body or block.getparent() is None:
        block = target
    block.addprevious(made)


def _line_at(body: Element, target: Element) -> Element | None:
    """The line with text at a place: the one that the place is in, the first in it, or the one behind it."""
    if target is not body:
        for element in (target, *target.iterancestors()):
            if element is body:
                break
            if _LINE.match(tag(element)):
                return element if _is_line(element) else None
    for element in islice(target.iter(), _MOST_INSIDE):
        if _LINE.match(tag(element)) and _is_line(element):
            return element
    following = target.getnext() if target is not body else None
    return following if following is not None and _LINE.match(tag(following)) and _is_line(following) else None


def _is_line(element: Element) -> bool:
    """Whether an element holds text, but no blocks, and not very much."""
    inside = list(islice(element.iterdescendants(), _MOST_INSIDE))
    return len(inside) < _MOST_INSIDE and not any(_BLOCK.match(tag(one)) for one in inside) and bool(_line(element))


def _replace(element: Element, text: str) -> None:
    """Put a text in the place of an element; what follows it stays."""
    element.clear(keep_tail=True)
    element.tag, element.text = "span", text


def _line(element: Any) -> str:
    return " ".join(clean("".join(element.itertext())).split())
