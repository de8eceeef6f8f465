"""Which language a text is in, by its stop words."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from .stops import LANGUAGES, stop_words
from .tokens import fold, words

__all__ = ["language_of"]

_SAMPLE = 4000
_SAMPLES = 5
_LEAST = 1.5
"""So much must speak for a language: a word that no other has counts 1, one that three have a third."""
_SHARE = 0.05
"""So large a part of the words, at least."""
_AHEAD = 1.25
"""How far the first must be ahead of the second."""


def language_of(text: str) -> str | None:
    """The language of `LANGUAGES` that a text is in, or None where that cannot be told.

    The words of a language's list of stop words are counted, each the less the more languages have it. None is the
    answer for a text in another language, for one of names, numbers or code, and mostly for one of a few words. Of a
    text of more than 20,000 characters five samples of 4,000 are looked at, spread evenly from its beginning to its
    end.
    """
    weights = _weights()
    scores = dict.fromkeys(LANGUAGES, 0.0)
    total = 0
    for sample in _samples(text):
        for word in words(sample):
            total += 1
            for language, weight in weights.get(fold(word.text), ()):
                scores[language] += weight
    ranked = sorted(LANGUAGES, key=lambda language: -scores[language])
    first, second = scores[ranked[0]], scores[ranked[1]]
    return ranked[0] if first >= max(_LEAST, _SHARE * total, _AHEAD * second) else None


def _samples(text: str) -> Iterator[str]:
    if len(text) <= _SAMPLE * _SAMPLES:
        yield text
        return
    for i in range(_SAMPLES):
        start = (len(text) - _SAMPLE) * i // (_SAMPLES - 1)
        yield text[start : start + _SAMPLE]


@cache
def _weights() -> dict[str, tuple[tuple[str, float], ...]]:
    """The languages that have a word, and what it says for each."""
    having: dict[str, list[str]] = {}
    for language in LANGUAGES:
        for word in stop_words(language):
            having.setdefault(word, []).append(language)
    return {word: tuple((language, 1 / len(all_)) for language in all_) for word, all_ in having.items()}
