"""Headers, footers and page numbers: the lines of a paginated text that belong to its pages, not to what it says."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from .numbers import PageNumber, Shifts, number_in, number_line
from .pages import Layout, Line, Page

__all__ = ["Furniture", "furniture"]

# How many lines to drop at the top of a page, how many at its bottom, and why: first the top's lines, then the
# bottom's, each from outside to inside.
Furniture = tuple[int, int, tuple[str, ...]]


def furniture(pages: Sequence[Page], count: int) -> Iterator[Furniture]:
    """What is to be dropped of each page.

    A running line is dropped only as the first or last line of a page that is not blank, and so is a page number; one
    of each kind may stand at an edge, in either order. `count` is the number of all pages.
    """
    running = _RunningLines(pages, count)
    numbers = _PageNumbers(pages, running)
    known: dict[Layout, Furniture] = {}
    for page in pages:
        layout = page.layout
        found = known.get(layout)
        if found is None:
            top = _outer(page, layout.top, True, running, numbers)
            last = layout.top[len(top) - 1].end if top else -1
            rest = layout.bottom if last < 0 else [line for line in layout.bottom if line.start >= last]
            bottom = _outer(page, rest, False, running, numbers) if rest else []
            found = len(top), len(bottom), (*top, *bottom)
            if not layout.digits:  # then it is the same on whatever page it stands
                known[layout] = found
        yield found


def _outer(page: Page, lines: Sequence[Line], top: bool, running: _RunningLines, numbers: _PageNumbers) -> list[str]:
    reasons: list[str] = []
    for line in lines:
        if "page-number" not in reasons and numbers.has(page, line, top):
            reasons.append("page-number")
        elif "running-line" not in reasons and running.has(page, line, top):
            reasons.append("running-line")
        else:
            break
    return reasons


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
        with_number: dict[Layout, tuple[PageNumber | None, PageNumber | None]] = {}
        for layout, votes in Counter(page.layout for page in pages).items():
            for line in {layout.top[0].text, layout.bottom[0].text}:
                lines[line] += votes
            if layout.digits:
                above = self._number(layout.top[0].text, True)
                below = self._number(layout.bottom[0].text, False) if layout.lines else None
                if above or below:
                    with_number[layout] = above, below
        self._equal = {line for line, votes in lines.items() if votes >= enough}
        numbered: defaultdict[str, list[tuple[PageNumber, Page]]] = defaultdict(list)
        for page in pages if with_number else ():
            for number in with_number.get(page.layout, ()):
                if number:
                    numbered[number.rest].append((number, page))
        for rest, places in numbered.items():
            if len(places) < enough:
                continue
            shifts = Shifts((number.value, page) for number, page in places)
            if len({page.ordinal for n, page in places if n.sure or shifts.fit(n.value, page)}) >= enough:
                self._numbered[rest] = shifts

    def has(self, page: Page, line: Line, top: bool) -> bool:
        """Whether the line is one of them."""
        if line.text in self._equal:
            return True
        if not self._numbered or not (number := self._number(line.text, top)) or number.rest not in self._numbered:
            return False
        return number.sure or self._numbered[number.rest].fit(number.value, page)

    def _number(self, line: str, top: bool) -> PageNumber | None:
        if (line, top) not in self._seen:
            self._seen[line, top] = number_in(line, top=top)
        return self._seen[line, top]


class _PageNumbers:
    """The lines that are nothing but a page's number.

    The number is the page's place in the text, or it runs ahead of it by as much as at a neighbouring page with such a
    line, or dashes stand on both sides of it. Other lines of digits are data. Where numbers fit both at the top and at
    the bottom of a page, those of the edge where more pages have one are meant.
    """

    def __init__(self, pages: Sequence[Page], running: _RunningLines) -> None:
        self._seen: dict[str, tuple[int, bool] | None] = {}
        self._shifts: dict[bool, Shifts] = {}
        fitting: dict[bool, set[int]] = {}
        for top in (True, False):
            found: list[tuple[tuple[int, bool], Page]] = []
            for page in pages:
                layout = page.layout
                if not layout.digits:
                    continue
                for line in layout.top if top else layout.bottom:
                    if number := self._number(line.text):
                        found.append((number, page))
                    if number or not running.has(page, line, top):
                        break
            shifts = Shifts(((number[0], page) for number, page in found), place=True)
            fitting[top] = {page.ordinal for number, page in found if number[1] or shifts.fit(number[0], page)}
            self._shifts[top] = shifts
        self._twice = fitting[True] & fitting[False]
        self._fewer = {top: len(fitting[top]) < len(fitting[not top]) for top in (True, False)}

    def has(self, page: Page, line: Line, top: bool) -> bool:
        """Whether the line is the page's number."""
        number = self._number(line.text)
        if not number or (self._fewer[top] and page.ordinal in self._twice):
            return False
        return number[1] or self._shifts[top].fit(number[0], page)

    def _number(self, line: str) -> tuple[int, bool] | None:
        if line not in self._seen:
            self._seen[line] = number_line(line)
        return self._seen[line]
