"""Numbers that may be those of pages."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .pages import Page

__all__ = ["PageNumber", "Shifts", "number_in", "number_line"]

# A line that is a number, perhaps between dashes.
_LINE = re.compile(r"([-–—]?)[ \t]*([0-9]{1,4})[ \t]*([-–—]?)")
_OF = r"(?:\s*(?:/|\b(?:de|of|von|di|sur|van|av|af|z|из)\b)\s*[0-9]{1,6})?(?![0-9])"
_NUMBER = rf"([0-9]{{1,6}}){_OF}"
_WORDS = (
    r"p[áa]g(?:ina|s)?\.?|p[áa]ginas|pages?|pg\.?|pp?\.|seiten?|s\.|folhas?|fls?\.?|hojas?|blz\.|strona|str\.|sida"
    r"|страница|стр\."
)
_NAMED = re.compile(rf"(?:(?<!\w)(?:{_WORDS})\s*|第\s*){_NUMBER}|(?<![0-9]){_NUMBER}\s*(?:页|頁|ページ)", re.IGNORECASE)
_MARKS = r"[-–—.|·•()\[\]<>:~*/\s]*"
_ALONE = re.compile(rf"{_MARKS}{_NUMBER}{_MARKS}")
# What sets a number apart from the words beside it: a bar, a bullet, a wide gap, or (2nd group) a dash.
_APART = r"(?:\s*[|·•]\s*|\s{3,}|\s+([-–—])\s+)"
_LAST = re.compile(rf"{_APART}{_NUMBER}{_MARKS}$")
_FIRST = re.compile(rf"{_MARKS}{_NUMBER}{_APART}(?=\S)")
_FIRST_AT_BOTTOM = re.compile(rf"{_MARKS}{_NUMBER}(?:{_APART}(?=\S)|\s+(?=[^\W\d_]))")
_WORD = re.compile(r"\w")
_DIGIT = re.compile("[0-9]")
_LONGEST = 300


class PageNumber(NamedTuple):
    """A number in a line, and the rest of the line. `sure` means that the line is nothing but a named page number."""

    rest: str
    value: int
    sure: bool


class Shifts:
    """By how much numbers run ahead of the pages they stand on, all pages counted or those that are not blank.

    A shift counts when two neighbours among the `places` share it; with `place`, no shift at all counts anyway. What
    may be a year is the number of a page only where it is the page's very place.
    """

    def __init__(self, places: Iterable[tuple[int, Page]], *, place: bool = False) -> None:
        self._all = {0} if place else set[int]()
        self._kept = {0} if place else set[int]()
        ordinal = 0
        last_all = last_kept = -1 << 60
        for value, page in places:
            ahead, ahead_kept = value - page.ordinal, value - page.kept
            if page.ordinal > ordinal:
                if ahead == last_all and not _year(value, ahead):
                    self._all.add(ahead)
                if ahead_kept == last_kept and not _year(value, ahead_kept):
                    self._kept.add(ahead_kept)
            ordinal, last_all, last_kept = page.ordinal, ahead, ahead_kept

    def fit(self, value: int, page: Page) -> bool:
        """Whether the number runs with the pages."""
        ahead, ahead_kept = value - page.ordinal, value - page.kept
        return (ahead in self._all and not _year(value, ahead)) or (
            ahead_kept in self._kept and not _year(value, ahead_kept)
        )


def _year(value: int, ahead: int) -> bool:
    return 1900 <= value < 2100 and ahead != 0


def number_line(line: str) -> tuple[int, bool] | None:
    """The number that the whole line is, and whether dashes stand on both sides of it."""
    match = _LINE.fullmatch(line) if len(line) <= _LONGEST else None
    return (int(match[2]), bool(match[1] and match[3])) if match else None


def number_in(line: str, *, top: bool) -> PageNumber | None:
    """The number in a line at a page's edge that may be the page's, and the line without it.

    It is named (`Página 3 de 9`, `p. 3`), or alone with other marks than those of `number_line` (`3 / 9`, `[3]`), or
    the first or last thing in the line and set apart by more than a space (`Acme | 3`). Beside a dash it is one at the
    bottom of a page; at the top, where a heading may stand (`Parte - 3`), only as the last thing of a line that holds
    another number (`Relatório 2023 - 3`). As the first thing at the bottom, where no heading stands, a space is enough
    (`3 Acme`). `Capítulo 3` is none of this.
    """
    if len(line) > _LONGEST or not _DIGIT.search(line):
        return None
    if match := _NAMED.search(line):
        group = 1 if match[1] else 2
        sure = not _WORD.search(line[: match.start()] + line[match.end() :])
        return _without(line, match.span(group), sure)
    if number_line(line):
        return None
    if match := _ALONE.fullmatch(line):
        return _without(line, match.span(1), False)
    if (match := _LAST.search(line)) and _WORD.search(line, 0, match.start()):
        if not (top and match[1]) or _DIGIT.search(line, 0, match.start()):
            return _without(line, match.span(2), False)
    elif (match := (_FIRST if top else _FIRST_AT_BOTTOM).match(line)) and not (top and match[2]):
        return _without(line, match.span(1), False)
    return None


def _without(line: str, span: tuple[int, int], sure: bool) -> PageNumber:
    start, end = span
    return PageNumber(f"{line[:start]}\n{line[end:]}", int(line[start:end]), sure)
