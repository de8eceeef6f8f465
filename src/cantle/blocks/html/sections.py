"""The sections of a page: what follows each heading up to the next, wherever the tags between them stand."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .bare import Finder
from .texts import Texts, covering
from .tree import Element, Tree

__all__ = ["Plan", "Section", "plan", "titles_at"]

_REPEATED = "  \n"
"""What stands between the contents of two sections that are joined."""


@dataclass(slots=True)
class Section:
    """The texts `first` to `last` and the heading above them (None before the first heading).

    `title` is the heading's text as it stands in the source, `shown` the same on one line.
    """

    heading: Element | None
    first: int
    last: int
    title: str = ""
    shown: str = ""


@dataclass
class Plan:
    """The sections, the texts that are left out of the page because they are in a section's metadata, and
    how `render` is to join the others: see there for `bare` and `joints`."""

    sections: list[Section]
    left_out: Any
    bare: list[tuple[int, int]]
    joints: dict[int, str]


def plan(texts: Texts, tree: Tree, gaps: Any, *, join: bool = False, keep_headings: bool = False) -> Plan:
    """Divide the page at the elements of `tree`.

    `join`: neighbours with the same heading become one section. `keep_headings`: the sections only say where headings
    stand; these stay in the text, which is rendered like that of a page without any.
    """
    elements = [e for e in tree.elements if not texts.hidden_tags[e.opens]]
    result = _Planned(texts, tree, bool(elements))
    last = elements[0].opens if elements else texts.count - 1
    if result.has_content(0, last):
        result.sections.append(Section(None, 0, last))
    previous: Section | None = None
    for i, element in enumerate(elements):
        first = element.closes + 1
        last = elements[i + 1].opens if i + 1 < len(elements) else texts.count - 1
        section = Section(element, first, last, *texts.title(element.opens, element.closes, gaps))
        filled = result.has_content(first, last)
        if join and previous is not None and _same(previous, section):
            result.join(previous, section, filled)
        else:
            result.sections.append(section)
            previous = section
            if filled:
                result.leave_out(element)
            else:  # nothing but a heading: then that is the section
                section.first, section.last = element.opens + 1, element.closes
        if filled:
            result.note_bare(first, last)
    if keep_headings:
        return Plan(result.sections, covering(texts.count, []), [], {})
    return Plan(result.sections, covering(texts.count, result.left_out), result.bare, result.joints)


def _same(one: Section, other: Section) -> bool:
    assert one.heading is not None
    assert other.heading is not None
    return one.heading.selector == other.heading.selector and one.title == other.title


class _Planned:
    """A plan in the making. `solid` are the texts that say something."""

    def __init__(self, texts: Texts, tree: Tree, headed: bool) -> None:
        import numpy

        self.sections: list[Section] = []
        self.left_out: list[tuple[int, int]] = []
        self.bare: list[tuple[int, int]] = []
        self.joints: dict[int, str] = {}
        self.solid: list[int] = numpy.flatnonzero(texts.solid).tolist()
        self.finder = Finder(texts, tree) if headed else None

    def has_content(self, first: int, last: int) -> bool:
        i = bisect_left(self.solid, first)
        return i < len(self.solid) and self.solid[i] <= last

    def leave_out(self, heading: Element) -> None:
        self.left_out.append((heading.opens + 1, heading.closes + 1))

    def join(self, previous: Section, section: Section, filled: bool) -> None:
        """Let a section go on with the content of the next, which has the same heading."""
        assert previous.heading is not None
        assert section.heading is not None
        self.leave_out(section.heading)
        if not filled:
            return
        if previous.last == previous.heading.closes:  # it was a heading alone
            self.leave_out(previous.heading)
            previous.first = section.first
        else:
            self.joints[self.solid[bisect_left(self.solid, section.first)]] = _REPEATED
        previous.last = section.last

    def note_bare(self, first: int, last: int) -> None:
        """Note a section whose text stands in no element of its own."""
        start, end = self.solid[bisect_left(self.solid, first)], self.solid[bisect_right(self.solid, last) - 1]
        if self.finder is not None and self.finder.is_bare(first, end):
            self.bare.append((start, end))


def titles_at(sections: Sequence[Section], ranks: Sequence[int]) -> list[tuple[str, ...]]:
    """For each section the titles above it, outermost first, its own last."""
    open_: list[tuple[int, str]] = []
    found = []
    for section in sections:
        if section.heading is not None:
            rank = ranks[section.heading.selector]
            while open_ and open_[-1][0] >= rank:
                open_.pop()
            open_.append((rank, section.shown))
        found.append(tuple(title for _, title in open_ if title))
    return found
