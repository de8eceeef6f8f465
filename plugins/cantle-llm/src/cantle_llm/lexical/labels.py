"""Names for topics: the key phrases that tell each from the others, as they are written in the text."""

from __future__ import annotations

import re
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
_CHARACTERS = 6
"""The most Chinese characters of a phrase."""
_READ = 400
"""Of a topic so many lines are read, spread evenly, and of a line so many words."""
_PROSE = 0.25
"""Markup and the like are read where other lines have less than this part of the words."""
_ADDRESS = (
    "mr mrs ms miss mister dr prof sir madam monsieur madame mademoiselle mme mlle sr sra srta dra senhor senhora "
    "señor señora señorita dona doña herr frau fräulein signor signora signore signorina"
)
"""Titles of address, which say no more of a topic than stop words do."""
_FOREIGN, _FOREIGN_SHARE = 3, 0.04
"""So many different stop words of another language, and so large a part of the words: the topic is in that one too."""
_HAN = re.compile("[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_KANA = re.compile("[\u3041-\u309f]")
_PARTICLES = frozenset("的了是这這那们們吗嗎呢吧很让讓也和与與或但把被从從就都该該其将將在一个個些我你他她它您么麼")
"""Characters of Chinese function words: `的`, `一个`, `我们`."""
_FREE = ("", "")
"""No character stands always before it, and none always behind."""
_APART = re.compile(r"[^\s.,'’-]")
"""What words that are quoted as they stand have not between them."""


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
            yield _label(terms, _read(terms, lines, first, last), spread, len(topics))


def _read(terms: Terms, lines: Sequence[Line], first: int, last: int) -> list[int]:
    """The lines to read: formulas only if there is nothing else, markup and the like if there is little else."""
    every = range(first, last + 1)
    shown = [number for number in every if lines[number].kind != "formula"] or list(every)
    prose = [number for number in shown if lines[number].kind != "other"]
    if sum(len(terms.rows[n]) for n in prose) < _PROSE * sum(len(terms.rows[n]) for n in shown) or not prose:
        prose = shown
    count = len(prose)
    return prose if count <= _READ else [prose[i * count // _READ] for i in range(_READ)]


def _label(terms: Terms, lines: Sequence[int], spread: Counter[int], topics: int) -> str | None:
    text = terms.text
    used: Counter[tuple[int, ...]] = Counter()
    places: dict[tuple[int, ...], tuple[int, int]] = {}
    single: set[tuple[int, ...]] = set()
    beside: dict[tuple[int, ...], tuple[str, ...]] = {}
    for read in _telling(text, [terms.of(line, _READ) for line in lines]):
        single.update(term.numbers for term in read if term.numbers)
        for key, start, end in _phrases(read, text):
            used[key] += 1
            first = places.setdefault(key, (start, end))
            if first[0] != start and beside.get(key) != _FREE and _HAN.match(text, start):
                pair = zip(beside.get(key) or _neighbours(text, *first), _neighbours(text, start, end), strict=True)
                beside[key] = tuple(a if a == b else "" for a, b in pair)
    if not used:
        return _any_word(terms, lines)

    def weight(key: tuple[int, ...]) -> float:
        rarity = sum(log(1 + topics / max(1, spread[number])) for number in key) / len(key)
        return used[key] * rarity * (0.4 + 0.6 * min(len(key), _WORDS))

    keys = [key for key in used if used[key] > 1 or key in single]
    # What always has the same Chinese character beside it is a piece of a word (accessor variety, Feng et al. 2004).
    keys = [key for key in keys if (beside.get(key) or _neighbours(text, *places[key])) == _FREE] or keys
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


def _telling(text: str, read: Sequence[Sequence[Term]]) -> list[list[Term]]:
    """The words, where titles of address, and stop words of other languages that a topic is in too, count for none."""
    from cantle.words import LANGUAGES, stop_words

    counts = Counter(term.folded for line in read for term in line)
    dull = set(_ADDRESS.split())
    own = {term.folded for line in read for term in line if not term.numbers}
    for language in LANGUAGES:
        foreign = {word: counts[word] for word in stop_words(language) if word in counts and word not in own}
        if len(foreign) >= _FOREIGN and sum(foreign.values()) >= _FOREIGN_SHARE * sum(counts.values()):
            dull.update(foreign)
    if any(_HAN.match(word) for word in counts) and not any(
        _KANA.search(text, line[0].start, line[-1].end) for line in read if line
    ):
        dull |= _PARTICLES
    return [[term._replace(numbers=()) if term.folded in dull else term for term in line] for line in read]


def _neighbours(text: str, start: int, end: int) -> tuple[str, ...]:
    """The Chinese characters right before and behind Chinese ones; nothing where there is none, or a function word."""
    if not _HAN.match(text, start):
        return _FREE
    before, behind = text[max(0, start - 1) : start], text[end : end + 1]
    return (
        before if _HAN.match(before) and before not in _PARTICLES else "",
        behind if _HAN.match(behind) and behind not in _PARTICLES else "",
    )


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
        wide = _HAN.match(text, term.start) is not None
        for following in line[i + 1 : i + 2 * _WORDS]:
            gap = text[end : following.start]
            if len(gap) > 2 or gap.strip() or wide != (_HAN.match(text, following.start) is not None) or (wide and gap):
                break
            end = following.end
            if not following.numbers:
                if skipped or wide:
                    break
                skipped = True
                continue
            key += following.numbers
            if len(key) > (_CHARACTERS if wide else _WORDS):
                break
            found.append((key, term.start, end))
            skipped = False
    return found


def _any_word(terms: Terms, lines: Sequence[int]) -> str | None:
    """The first words that stand together, where all are stop words, numbers or single letters; if one is, of more."""
    found: str | None = None
    for line in lines:
        words = terms.of(line, _READ)
        i = 0
        while i < len(words):
            start, end = words[i].start, words[i].end
            i += 1
            while i < len(words) and not _APART.search(terms.text, end, words[i].start):
                end = words[i].end
                i += 1
            run = " ".join(terms.text[start:end].split())
            if sum(map(str.isalpha, run)) > 1:
                return shortened(run, _LONGEST)
            found = found or shortened(run, _LONGEST)
    return found
