"""Topical segmentation without a model: by headings where there are some, and by lexical cohesion."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from ..lines import Line
from .cleaning import LONGEST_LABEL, shortened
from .cohesion import divide
from .headings import headings
from .labels import key_phrases
from .sections import Section, sections
from .terms import Terms

__all__ = ["Topic", "segment"]

_LONG = 12_000
"""Longer sections, in characters, are divided by their words."""
_SMALL = 1500
"""A text with one heading is divided if it is longer."""
_UNEVEN, _TIMES = 3000, 4
"""In a text without markup so is a section that is longer, and more than so many times as long as the others mostly."""
_SOLID = ("table", "code", "formula")


class Topic(NamedTuple):
    """Lines `first` to `last`, both inclusive, and what they are about; None where they have no words."""

    first: int
    last: int
    label: str | None


def segment(text: str, lines: Sequence[Line], *, language: str | None = None) -> list[Topic]:
    """The topics of a text, which tile its lines in order. No model is asked; the same text gives the same topics.

    Headings come first: sections are topics, with the headings' words as labels. Small sections below another one stay
    with it, and one of more than 12,000 characters is divided further; where no markup makes the headings, so is one of
    more than 3,000 that is four times as long as the others are in the middle. Where there are no headings the text is
    divided where its words change, and labels are key phrases.

    `language` tells stop words and stems: one of `cantle.words.LANGUAGES`, `"any"`, or None for a guess; it raises
    `OptionError` for another one. Takes time that is linear in the length of the text. A topic that has no heading has
    at most 300 lines.
    """
    from cantle.words import language_of, stop_words

    stop_words(language)  # a language that is unknown is an error even where no words are looked at
    if not lines:
        return []
    found = headings(text, lines)
    whole = sections(lines, found) if found else [Section(0, len(lines) - 1, None)]
    # Under a single heading a text divides as one without headings does.
    alone = len(found) == 1
    most = [_SMALL] * len(whole) if alone else _limits(lines, whole, marked=any(heading.marked for heading in found))
    divides = [not found or _size(lines, part) > limit for part, limit in zip(whole, most, strict=True)]
    if found and not any(divides) and whole[0].label is not None:
        return [Topic(*part) for part in whole]
    terms = Terms(text, lines, language or language_of(text))
    if len(whole) > 1 and whole[0].label is None and not any(terms.rows[: whole[1].first]):
        # What nobody sees above the first heading is no topic.
        whole[:2], divides[:2] = [whole[1]._replace(first=0)], [divides[1]]
    parts: list[Section] = []
    divided: list[bool] = []
    for part, long in zip(whole, divides, strict=True):
        pieces = _divided(lines, terms.rows, part, alone=alone) if long else [part]
        parts.extend(pieces)
        divided.extend([len(pieces) > 1 or part.label is None] * len(pieces))
    names = key_phrases(terms, lines, [(part.first, part.last) for part in parts], divided)
    return [
        Topic(part.first, part.last, _joined(part.label, next(names)) if wanted else part.label)
        for part, wanted in zip(parts, divided, strict=True)
    ]


def _size(lines: Sequence[Line], part: Section) -> int:
    return lines[part.last].end - lines[part.first].start


def _limits(lines: Sequence[Line], parts: Sequence[Section], *, marked: bool) -> list[int]:
    """How long each section may be before it is divided."""
    if marked or len(parts) < 2:
        return [_LONG] * len(parts)
    sizes = [_size(lines, part) for part in parts]
    ranked = sorted(sizes)
    # The median of the others, the greater of two.
    middle = (len(sizes) - 1) // 2
    others = [ranked[middle + (size <= ranked[middle])] for size in sizes]
    return [min(_LONG, max(_UNEVEN, _TIMES * other)) for other in others]


def _divided(lines: Sequence[Line], rows: Sequence[Sequence[int]], part: Section, *, alone: bool) -> list[Section]:
    first, end = part.first, part.last + 1
    # A heading stays with what is below it.
    opens = [lines[i].opens and (i == first or lines[i - 1].kind != "heading") for i in range(first, end)]
    solid = [line.kind in _SOLID and not line.opens for line in lines[first:end]]
    of = len(lines)
    if alone or part.label is None:
        of = 0
    elif _size(lines, part) > _LONG:  # under a heading that long all is about one subject
        of = max(of, _LONG)
    inner = divide(rows[first:end], opens, solid, of=of)
    borders = [first, *(first + border for border in inner), end]
    return [Section(a, b - 1, part.label) for a, b in pairwise(borders)]


def _joined(heading: str | None, phrases: str | None) -> str | None:
    if not heading or not phrases:
        return heading or phrases
    return f"{shortened(heading, LONGEST_LABEL - len(phrases) - 2)}: {phrases}"
