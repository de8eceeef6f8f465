"""Which lines are headings: those that markup makes so, and short paragraphs of plain text that look so."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..lines import PARAGRAPH, Line
from ..lines.looks import LOOSE, SURE, WEAK, is_bare, look
from .cleaning import cleaned

__all__ = ["Heading", "headings"]

_MOST_CHARACTERS, _MOST_WORDS, _MOST_LINES = 100, 14, 3
"""A paragraph that is longer is no heading."""
_LONGEST_TITLE = 60
_BREAK = re.compile(r"[\r\n\u2028\u2029]")


class Heading(NamedTuple):
    """Lines `first` to `last` that are one heading, its level from 1 (the smaller, the higher) and its text.

    `marked` says that markup makes it one.
    """

    first: int
    last: int
    level: int
    label: str
    marked: bool = False


class _Found(NamedTuple):
    heading: Heading
    strength: int
    said: bool
    """Whether the lines say that it is a heading."""


def headings(text: str, lines: Sequence[Line]) -> list[Heading]:
    """The headings among the lines, in order.

    Lines of kind `heading` that have markup are headings, and so are short paragraphs (at most 100 characters, where
    `opens` marks paragraphs) that begin as headings do in books and laws: `Chapter 1`, `Artigo 5º`. Numbers (`3.1`,
    Roman ones alone) and capitals need a second heading somewhere in the text. Title-like lines need two such,
    or three of their own kind that are no more than half of the paragraphs; a text's first line may be one alone.
    A number alone takes a short paragraph below it as its words.
    """
    found, paragraphs = _candidates(text, lines)
    firm = [one for one in found if one.strength >= WEAK]
    if len(firm) < 2:
        firm = [one for one in firm if one.strength == SURE]
    loose = [one for one in found if one.strength == LOOSE]
    if len(firm) > 1:
        loose = [one for one in loose if one.said]
    elif firm or not 3 <= len(loose) <= paragraphs / 2:
        loose = [one for one in loose if one.heading.first == 0]
    kept = sorted(one.heading for one in firm + loose)
    lowest = max((heading.level for heading in kept), default=0) or 1
    return _titled(text, lines, [heading if heading.level else heading._replace(level=lowest) for heading in kept])


def _candidates(text: str, lines: Sequence[Line]) -> tuple[list[_Found], int]:
    """All that may be headings, and the number of paragraphs."""
    found: list[_Found] = []
    marked = any(line.kind == "heading" for line in lines)
    opened = [i for i in range(len(lines)) if _begins(lines, i)]
    opened.append(len(lines))
    # Where nearly every line is a paragraph, to stand alone says nothing.
    single = len(opened) - 1 >= len(lines) * 0.98 and not marked
    for number, (at, after) in enumerate(pairwise(opened)):
        line, last = lines[at], after - 1
        said = line.kind == "heading"
        if said:
            last = at
            while last + 1 < after and lines[last + 1].kind == "heading":
                last += 1
        elif after - at > _MOST_LINES or lines[last].end - line.start > _MOST_CHARACTERS or line.kind != "sentence":
            continue
        raw = text[line.start : lines[last].end]
        label = cleaned(raw)
        seen = look(label) if label else None
        if said and label and (line.level or seen is None) and not _is_plain(raw, label):
            found.append(_Found(Heading(at, last, line.level, label, True), SURE, said))
        elif seen is None or (not said and len(label.split()) > _MOST_WORDS):
            continue
        elif seen.strength == SURE or said:
            found.append(_Found(Heading(at, last, line.level or seen.level, label), seen.strength, said))
        elif seen.strength == WEAK and not single and (not marked or is_bare(label)):
            found.append(_Found(Heading(at, last, seen.level, label), WEAK, said))
        elif not marked and not single and after < len(lines):
            below = opened[number + 2] - 1
            if lines[below].end - lines[after].start > 2 * (lines[last].end - line.start):
                found.append(_Found(Heading(at, last, 0, label), LOOSE, said))
    return found, len(opened) - 1


def _begins(lines: Sequence[Line], number: int) -> bool:
    """Whether a line begins a paragraph or a heading: before and after headings one does in any case."""
    line, above = lines[number], lines[number - 1]
    if number == 0 or line.opens or (line.kind == "heading") != (above.kind == "heading"):
        return True
    return line.kind == "heading" and line.level != above.level


def _is_plain(raw: str, label: str) -> bool:
    return len(raw) < 1000 and " ".join(raw.split()) == label


def _titled(text: str, lines: Sequence[Line], found: Sequence[Heading]) -> list[Heading]:
    """The headings, where one that is a number alone takes the short paragraph below it as its words."""
    starts = {heading.first for heading in found}
    kept = []
    for heading in found:
        at = heading.last + 1
        plain = _is_plain(text[lines[heading.first].start : lines[heading.last].end], heading.label)
        if plain and is_bare(heading.label) and at + 1 < len(lines) and not {at, at + 1} & starts and lines[at].opens:
            title, below = lines[at], lines[at + 1]
            last = at + 1
            while last + 1 < min(at + 5, len(lines)) and not lines[last + 1].opens:
                last += 1
            size = title.end - title.start
            # Where paragraphs are lines, so is the title.
            near = not PARAGRAPH.search(text, lines[heading.last].end, title.start)
            ends = below.opens or (near and _BREAK.search(text, title.end, below.start))
            if ends and size <= _LONGEST_TITLE and size < lines[last].end - below.start:
                words = cleaned(text[title.start : title.end])
                if words[:1].isupper():
                    heading = heading._replace(last=at, label=f"{heading.label.rstrip(' .:')} – {words}")
        kept.append(heading)
    return kept
