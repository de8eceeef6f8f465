"""XLSX: SpreadsheetML (ECMA-376, part 1, clause 18): what the cells of its sheets show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from cantle import MDocument

from ..containers.archive import opened, read_entry
from ..containers.opc import Package, Related, attribute, child, find_all, whole
from ..containers.xml import Element, each, tag
from ..limits import Limits
from ..markup.writing import link
from .grid import LAST_COLUMN, Grid
from .number_format import BUILTIN, shown
from .sheets import Sheets

__all__ = ["read"]

_LAST_ROW = 1_048_575
_REFERENCE = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})$")
_ESCAPED = re.compile("_x([0-9A-Fa-f]{4})_")
_TAGS = ("row", "c", "col", "mergeCell", "autoFilter", "hyperlink")


class _Book(NamedTuple):
    strings: list[str]
    formats: list[str]
    """The format of the numbers of each style."""
    from_1904: bool


def read(data: bytes, name: str, limits: Limits) -> MDocument:
    """The document that an XLSX file holds, as Markdown.

    Raises `DocumentError`; warns with a `HiddenCellsWarning` where something is left out because it is hidden.
    """
    with opened(data, name, limits) as archive:
        package = Package(archive, name)
        main = package.main("xl/workbook.xml")
        workbook = package.tree(main)
        book = _Book(
            _strings(package, package.first(main, "sharedStrings")),
            _formats(package, package.first(main, "styles")),
            (attribute(child(workbook, "workbookPr"), "date1904") or "") in ("1", "true"),
        )
        sheets = Sheets(name, limits)
        related = package.related(main)
        for sheet in find_all(child(workbook, "sheets"), "sheet"):
            found = related.get(sheet.get(_id(sheet)) or "", Related("", "", True))
            title = sheet.get("name") or "Sheet"
            if found.type != "worksheet" or found.is_outside:  # a chart, a macro
                continue
            if sheet.get("state") in ("hidden", "veryHidden"):
                sheets.hide(title)
                continue
            grid = sheets.grid(title)
            _read(package, found.target, book, grid)
            sheets.write(grid)
        return sheets.document(package.properties())


def _id(sheet: Element) -> str:
    return next((str(key) for key in sheet.attrib if str(key).endswith("}id")), "id")


def _strings(package: Package, part: str | None) -> list[str]:
    if part is None:
        return []
    return [_text(one) for event, one in _each(package, part, ("si",)) if event == "end"]


def _each(package: Package, part: str, tags: tuple[str, ...]) -> Iterator[tuple[str, Element]]:
    return each(read_entry(package.archive, part), part, package.name, ("start", "end"), tags)


def _text(element: Element) -> str:
    """The text of a string, without what says how it is pronounced."""
    found = []
    for one in element:
        if tag(one) == "t":
            found.append(one.text or "")
        elif tag(one) == "r":
            found += [inner.text or "" for inner in find_all(one, "t")]
    return _unescaped("".join(found))


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


def _formats(package: Package, part: str | None) -> list[str]:
    if part is None:
        return []
    root = package.tree(part)
    own = {one.get("numFmtId"): one.get("formatCode") or "" for one in find_all(child(root, "numFmts"), "numFmt")}
    found = []
    for one in find_all(child(root, "cellXfs"), "xf"):
        number = one.get("numFmtId") or "0"
        found.append(own[number] if number in own else BUILTIN.get(whole(number), ""))
    return found


def _read(package: Package, part: str, book: _Book, grid: Grid) -> None:
    row, column = -1, -1
    links = package.related(part)
    targets: list[tuple[int, int, str]] = []
    filtered: list[tuple[int, int, int, int]] = []
    hidden: list[int] = []
    for event, one in _each(package, part, _TAGS):
        what = tag(one)
        if event == "start":
            if what == "row":
                row = min(whole(one.get("r"), row + 2, 10_000_000) - 1, _LAST_ROW + 1)
                column = -1
                if _is_true(one.get("hidden")):
                    hidden.append(row)
            continue
        if what == "c":
            place = _place(one.get("r"))
            row, column = place if place is not None else (row, column + 1)
            if 0 <= row <= _LAST_ROW:
                grid.add(row, column, _value(one, book))
        elif what == "col" and _is_true(one.get("hidden")):
            grid.hide_columns(whole(one.get("min"), 1) - 1, whole(one.get("max"), 1) - 1)
        elif what == "mergeCell" and (area := _area(one.get("ref"))) is not None:
            grid.merge(*area)
        elif what == "autoFilter" and len(one) and not filtered and (area := _area(one.get("ref"))) is not None:
            filtered.append(area)
        elif what == "hyperlink" and (place := _place((one.get("ref") or "").partition(":")[0])) is not None:
            found = links.get(one.get(_id(one)) or "")
            if found is not None and found.is_outside:
                targets.append((*place, found.target))
    for number in hidden:
        if not any(top <= number <= bottom for top, _, bottom, _ in filtered):  # a filter leaves nothing out
            grid.hide_rows(number, number)
    for row, column, target in targets:
        if text := grid.text(row, column):
            grid.add(row, column, link(text, target))


def _is_true(value: str | None) -> bool:
    return value in ("1", "true")


def _place(reference: str | None) -> tuple[int, int] | None:
    match = _REFERENCE.match(reference or "")
    if match is None:
        return None
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    row = int(match[2]) - 1
    return (row, column - 1) if 0 <= row <= _LAST_ROW and column - 1 <= LAST_COLUMN else None


def _area(reference: str | None) -> tuple[int, int, int, int] | None:
    first, _, last = (reference or "").partition(":")
    begin, end = _place(first), _place(last or first)
    return None if begin is None or end is None or end < begin else (*begin, *end)


def _value(cell: Element, book: _Book) -> str:
    """What a cell shows. A formula whose value nobody worked out is shown itself."""
    kind = cell.get("t") or "n"
    held: str | None = None
    formula: str | None = None
    inline: Element | None = None
    for one in cell:
        what = tag(one)
        if what == "v":
            held = one.text
        elif what == "f":
            formula = one.text
        elif what == "is":
            inline = one
    if inline is not None:
        return _text(inline)
    if not held:
        return f"={formula}" if formula and kind != "str" else ""
    if kind == "s":
        number = whole(held, -1, len(book.strings))
        return book.strings[number] if 0 <= number < len(book.strings) else ""
    if kind == "b":
        return "TRUE" if held.strip() in ("1", "true") else "FALSE"
    if kind != "n":  # str, e (an error), d (a date in ISO 8601)
        return held.replace("T00:00:00", "") if kind == "d" else _unescaped(held)
    try:
        value = int(held) if len(held) <= 15 and held.isdecimal() else float(held)
    except ValueError:
        return held
    style = whole(cell.get("s"), 0)
    code = book.formats[style] if 0 <= style < len(book.formats) else ""
    return shown(value, code, from_1904=book.from_1904)
