"""The sections of a page: what follows each heading up to the next, wherever the tags between them stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .names import NUMBER, VOID
from .texts import Texts
from .tree import Element, Tree

__all__ = ["Plan", "Section", "plan", "titles_at"]

_VOID = [NUMBER[name] for name in VOID]
_REPEATED = "  \n"
"""What stands between the contents of two sections that are joined."""


@dataclass
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


def plan(texts: Texts, tree: Tree, gaps: Any, *, join: bool) -> Plan:
    """Divide the page at the elements of `tree`. `join`: neighbours with the same heading become one section."""
    import numpy

    result = Plan([], numpy.zeros(texts.count, bool), [], {})
    solid = numpy.flatnonzero(texts.solid)
    elements = [e for e in tree.elements if not texts.hidden_tags[e.opens]]
    plain = _plain(texts, tree) if elements else numpy.zeros(len(texts.tokens), bool)
    rough = numpy.concatenate(([0], numpy.cumsum(~plain)))
    last = elements[0].opens if elements else texts.count - 1
    if len(solid) and solid[0] <= last:
        result.sections.append(Section(None, 0, last))
    previous: Section | None = None
    for i, element in enumerate(elements):
        first = element.closes + 1
        last = elements[i + 1].opens if i + 1 < len(elements) else texts.count - 1
        section = Section(element, first, last, *texts.title(element.opens, element.closes, gaps))
        low, high = (int(numpy.searchsorted(solid, n, side)) for n, side in ((first, "left"), (last, "right")))
        if join and previous is not None and previous.heading is not None and _same(previous, section):
            _join(result, previous, section, low < high, solid, low)
            if low < high:
                _keep_bare(result, solid, low, high, rough, first)
            continue
        result.sections.append(section)
        previous = section
        if low < high:
            result.left_out[element.opens + 1 : first] = True
            _keep_bare(result, solid, low, high, rough, first)
        else:  # nothing but a heading: then that is the section
            section.first, section.last = element.opens + 1, element.closes
    return result


def _same(one: Section, other: Section) -> bool:
    assert one.heading is not None
    assert other.heading is not None
    return one.heading.selector == other.heading.selector and one.title == other.title


def _join(result: Plan, previous: Section, section: Section, has_content: bool, solid: Any, low: int) -> None:
    """Let a section go on with the content of the next, which has the same heading."""
    assert previous.heading is not None
    assert section.heading is not None
    result.left_out[section.heading.opens + 1 : section.heading.closes + 1] = True
    if not has_content:
        return
    if previous.last == previous.heading.closes:  # it was a heading alone
        result.left_out[previous.heading.opens + 1 : previous.heading.closes + 1] = True
        previous.first = section.first
    else:
        result.joints[int(solid[low])] = _REPEATED
    previous.last = section.last


def _keep_bare(result: Plan, solid: Any, low: int, high: int, rough: Any, first: int) -> None:
    """Note a section whose text stands in no element of its own: it is taken as it stands."""
    end = int(solid[high - 1])
    if rough[end] == rough[first]:
        result.bare.append((int(solid[low]), end))


def _plain(texts: Texts, tree: Tree) -> Any:
    """Which tags neither begin nor end an element that holds something: comments, void and empty elements, strays."""
    import numpy

    codes = texts.tokens.codes
    plain = (codes == 0) | numpy.isin(codes, _VOID) | texts.hidden_tags
    plain[tree.strays] = True
    empty = numpy.flatnonzero((codes[:-1] > 0) & (codes[1:] == -codes[:-1]) & (_sizes(texts)[1:-1] == 0))
    plain[empty] = plain[empty + 1] = True
    return plain


def _sizes(texts: Texts) -> Any:
    return texts.tokens.tag_at - texts.tokens.text_at


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
