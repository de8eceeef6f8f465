"""Stop words, and the language of a text as they tell it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache

from cantle.errors import OptionError

from .terms import words

__all__ = ["LANGUAGES", "LANGUAGE_WORDS", "check_languages", "language_of", "stop_words"]

LANGUAGES = ("pt", "en", "es")
"""The languages whose stop words are known."""

LANGUAGE_WORDS = ("auto", "none", "all", *LANGUAGES)
"""What a choice of language may be."""

SAMPLE = 1000
"""How many texts are looked at, at most, to tell the language."""


@cache
def stop_words(language: str) -> frozenset[str]:
    """The stop words of a language, folded: the lists of bm25s, which are those of NLTK and Lucene."""
    from bm25s import stopwords  # type: ignore[import-untyped]

    lists = {
        "pt": stopwords.STOPWORDS_PORTUGUESE,
        "en": stopwords.STOPWORDS_EN_PLUS,
        "es": stopwords.STOPWORDS_SPANISH,
    }
    return frozenset(word for entry in lists[language] for word in words(entry))


def language_of(texts: Sequence[str]) -> str:
    """The language whose stop words cover most words of the texts, `none` where none covers any.

    Of more than 1,000 texts, 1,000 at equal distances are looked at. Equal counts: the first of pt, en, es.
    """
    step = max(1, -(-len(texts) // SAMPLE))
    counts = Counter(word for text in texts[::step] for word in words(text))
    covered = {language: sum(counts[word] for word in stop_words(language)) for language in LANGUAGES}
    best = max(LANGUAGES, key=lambda language: covered[language])
    return best if covered[best] else "none"


def check_languages(wanted: str | Iterable[str]) -> tuple[str, ...]:
    """The choice as a tuple without repetitions. Raises `OptionError` for an unknown one and for mixtures with words
    that stand alone (`auto`, `none`, `all`)."""
    given = (wanted,) if isinstance(wanted, str) else tuple(dict.fromkeys(wanted))
    for language in given:
        if language not in LANGUAGE_WORDS:
            raise OptionError(
                f"language must be one of {', '.join(LANGUAGE_WORDS)}, got {language!r}. Languages are named by two "
                "letters; for another one take none."
            )
    if len(given) > 1 and (alone := [language for language in given if language not in LANGUAGES]):
        raise OptionError(f"language {alone[0]!r} stands alone, got {', '.join(given)}. Keep one of them.")
    return given or ("none",)
