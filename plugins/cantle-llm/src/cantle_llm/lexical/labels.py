"""Names for topics: the key phrases that tell each from the others, as they are written in the text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log

from ..lines import Line
from .cleaning import shortened
from .terms import Term, Terms

__all__ = ["key_phrases"]

_LONGEST = 60
_PHRASES = 3
_WORDS = 3
"""The most content words of a phrase; one stop word may stand between two."""
_READ = 400
"""Of a topic so many lines are read, spread evenly, and of a line so many words."""


def key_phrases(
    terms: Terms,
    lines: Sequence[Line],
    topics: Sequence[tuple[int, int]],
    wanted: Sequence[bool],
) -> Iterator[str | None]:
    """Labels of at most 60 characters for those of the topics `(first line, last line)` that are `wanted`.

    None stands for a topic without words.

    A word's weight is its frequency in the topic times the logarithm of how few topics have it (tf-idf, Sparck Jones
    1972); a phrase that is used at least twice has the mean of its words' rarity and counts more for each word it has.
    The best up to three without a common word are taken, as first written.
    """
    spread: Counter[int] = Counter()
    for first, last in topics:
        spread.update({number for row in terms.rows[first : last + 1] for number in row})
    for (first, last), name in zip(topics, wanted, strict=True):
        if name:
            yield _label(terms, _read(lines, first, last), spread, len(topics))


def _read(lines: Sequence[Line], first: int, last: int) -> list[int]:
    """The lines to read: of markup and the like only if there is nothing else."""
    every = range(first, last + 1)
    kept = [number for number in every if lines[number].kind != "other"] or every
    count = len(kept)
    return list(kept) if count <= _READ else [kept[i * count // _READ] for i in range(_READ)]


def _label(terms: Terms, lines: Sequence[int], spread: Counter[int], topics: int) -> str | None:
    text = terms.text
    used: Counter[tuple[int, ...]] = Counter()
    places: dict[tuple[int, ...], tuple[int, int]] = {}
    single: set[tuple[int, ...]] = set()
    for line in lines:
        read = terms.of(line, _READ)
        single.update(term.numbers for term in read if term.numbers)
        for key, start, end in _phrases(read, text):
            used[key] += 1
            places.setdefault(key, (start, end))
    if not used:
        return _any_word(terms, lines)

    def weight(key: tuple[int, ...]) -> float:
        rarity = sum(log(1 + topics / max(1, spread[number])) for number in key) / len(key)
        return used[key] * rarity * (0.4 + 0.6 * len(key))

    keys = [key for key in used if used[key] > 1 or key in single]
    if any(_is_wide(places[key]) for key in keys):  # a Chinese character alone tells little
        keys = [key for key in keys if _is_wide(places[key])]
    keys.sort(key=lambda key: (-weight(key), places[key]))
    label, taken, count = "", set[int](), 0
    for key in keys:
        if taken.intersection(key):
            continue
        start, end = places[key]
        phrase = " ".join(text[start:end].split())
        if label and (weight(key) < weight(keys[0]) / 3 or len(label) + 2 + len(phrase) > _LONGEST):
            continue
        label = f"{label}, {phrase}" if label else shortened(phrase, _LONGEST)
        taken.update(key)
        count += 1
        if count == _PHRASES:
            break
    return label


def _is_wide(place: tuple[int, int]) -> bool:
    return place[1] - place[0] > 1


def _phrases(line: Sequence[Term], text: str) -> list[tuple[tuple[int, ...], int, int]]:
    """The phrases of a line: words that follow one another with blanks between them, or one stop word."""
    found = []
    for i, term in enumerate(line):
        if not term.numbers:
            continue
        key = term.numbers
        found.append((key, term.start, term.end))
        end, skipped = term.end, False
        for following in line[i + 1 : i + 2 * _WORDS]:
            gap = text[end : following.start]
            if len(gap) > 2 or gap.strip():
                break
            end = following.end
            if not following.numbers:
                if skipped:
                    break
                skipped = True
                continue
            key += following.numbers
            if len(key) > _WORDS:
                break
            found.append((key, term.start, end))
            skipped = False
    return found


def _any_word(terms: Terms, lines: Sequence[int]) -> str | None:
    """The first words as they are, where all are stop words, numbers or single letters."""
    for line in lines:
        words = terms.of(line, _READ)
        if words:
            return shortened(" ".join(terms.text[words[0].start : words[-1].end].split()), _LONGEST)
    return None
