"""Headers, footers and page numbers: the lines of a paginated text that belong to its pages, not to what it says."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from .numbers import PageNumber, Place, Shifts, number_in, number_line
from .pages import Line, Page

__all__ = ["furniture"]


def furniture(pages: Sequence[Page], count: int) -> Iterator[tuple[list[Line], list[Line], list[str]]]:
    """For each page, the lines to drop at its top and at its bottom, from outside to inside, and all their reasons.

    A running line is dropped only as the first or last line of a page that is not blank, and so is a page number; one
    of each kind may stand at an edge, in either order. `count` is the number of all pages.
    """
    running = _RunningLines(pages, count)
    numbers = _PageNumbers(pages, running)
    for page in pages:
        top, reasons = _outer(page, page.top, True, running, numbers)
        last = top[-1].end if top else -1
        rest = [line for line in page.bottom if line.start >= last]
        bottom, more = _outer(page, rest, False, running, numbers)
        yield top, bottom, reasons + more


def _outer(
    page: Page, lines: Sequence[Line], top: bool, running: _RunningLines, numbers: _PageNumbers
) -> tuple[list[Line], list[str]]:
    dropped: list[Line] = []
    reasons: list[str] = []
    for line in lines:
        if "page-number" not in reasons and numbers.has(page, line, top):
            reasons.append("page-number")
        elif "running-line" not in reasons and running.has(page, line, top):
            reasons.append("running-line")
        else:
            break
        dropped.append(line)
    return dropped, reasons


class _RunningLines:
    """The lines that stand at the edge of three fifths of the pages, and of three at least.

    They are equal letter for letter, or up to a number that is a page's: see `number_in`. Unless the line is only a
    named page number, that number must run with the pages.
    """

    def __init__(self, pages: Sequence[Page], count: int) -> None:
        self._equal: set[str] = set()
        self._numbered: dict[str, Shifts] = {}
        self._seen: dict[tuple[str, bool], PageNumber | None] = {}
        if count < 3:
            return
        enough = max(3, -(-3 * count // 5))
        lines: Counter[str] = Counter()
        numbered: defaultdict[str, list[tuple[Place, bool]]] = defaultdict(list)
        for page in pages:
            first, last = page.top[0], page.bottom[0]
            lines.update({first.text, last.text})
            for line, top in ((first, True), (last, False))[: 1 if first is last else 2]:
                if number := self._number(line, top):
                    numbered[number.rest].append((Place(number.value, page.ordinal, page.kept), number.sure))
        self._equal = {line for line, votes in lines.items() if votes >= enough}
        for rest, places in numbered.items():
            shifts = Shifts(place for place, _ in places)
            if len({place.ordinal for place, sure in places if sure or shifts.fit(place)}) >= enough:
                self._numbered[rest] = shifts

    def has(self, page: Page, line: Line, top: bool) -> bool:
        """Whether the line is one of them."""
        if line.text in self._equal:
            return True
        if not self._numbered or not (number := self._number(line, top)) or number.rest not in self._numbered:
            return False
        return number.sure or self._numbered[number.rest].fit(Place(number.value, page.ordinal, page.kept))

    def _number(self, line: Line, top: bool) -> PageNumber | None:
        key = line.text, top
        if key not in self._seen:
            self._seen[key] = number_in(line.text, top=top)
        return self._seen[key]


class _PageNumbers:
    """The lines that are nothing but a page's number.

    The number is the page's place in the text, or it runs ahead of it by as much as at a neighbouring page with such a
    line, or dashes stand on both sides of it. Other lines of digits are data. Where numbers fit both at the top and at
    the bottom of a page, those of the edge where more pages have one are meant.
    """

    def __init__(self, pages: Sequence[Page], running: _RunningLines) -> None:
        self._shifts: dict[bool, Shifts] = {}
        self._count = {True: 0, False: 0}
        found: dict[bool, list[tuple[Page, Line]]] = {True: [], False: []}
        for page in pages:
            for top, lines in ((True, page.top), (False, page.bottom)):
                for line in lines:
                    if number_line(line.text):
                        found[top].append((page, line))
                        break
                    if not running.has(page, line, top):
                        break
        for top, places in found.items():
            numbers = [(number_line(line.text), page) for page, line in places]
            self._shifts[top] = Shifts(
                (Place(number[0], page.ordinal, page.kept) for number, page in numbers if number),
                given=[(0, 0), (1, 0)],
            )
        both = [{id(page) for page, line in found[top] if self._fits(page, line, top)} for top in (True, False)]
        self._count = {True: len(both[0]), False: len(both[1])}
        self._twice = both[0] & both[1]

    def has(self, page: Page, line: Line, top: bool) -> bool:
        """Whether the line is the page's number."""
        if id(page) in self._twice and self._count[top] < self._count[not top]:
            return False
        return self._fits(page, line, top)

    def _fits(self, page: Page, line: Line, top: bool) -> bool:
        number = number_line(line.text)
        return number is not None and (number[1] or self._shifts[top].fit(Place(number[0], page.ordinal, page.kept)))
