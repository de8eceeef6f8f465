"""Words that say nothing of what a text is about, read from `cantle/data/stop_words`."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ..blocks.sentences.languages import LANGUAGES
from ..errors import OptionError
from .tokens import fold, is_han, is_unspaced

__all__ = ["LANGUAGES", "check_language", "says_nothing", "stop_words"]


def stop_words(language: str | None = None) -> frozenset[str]:
    """The stop words of a language, as `fold` writes them: articles, pronouns, prepositions, auxiliaries and the like.

    `language` is one of `LANGUAGES`; `"any"` and None take those of all of them together. Raises `OptionError` for
    another one.
    """
    check_language(language)
    return _stop_words(language or "any")


def check_language(language: object) -> None:
    """Raise `OptionError` unless `language` is one that we have words of, `"any"` or None."""
    if language is not None and language != "any" and language not in LANGUAGES:
        raise OptionError(
            f"language must be one of {', '.join(map(repr, LANGUAGES))}, or 'any' for all of them; got {language!r}."
        )


def says_nothing(word: str, folded: str, stop: frozenset[str]) -> bool:
    """Whether a word is a stop word; also one of two letters that is no acronym, and a syllable of Hiragana or Thai."""
    if folded in stop or folded.endswith("'"):
        return True
    if is_unspaced(word):
        return not is_han(word)
    return len(folded) < 3 and not (len(word) == 2 and word.isupper())


@cache
def _stop_words(language: str) -> frozenset[str]:
    if language == "any":
        return frozenset().union(*map(_stop_words, LANGUAGES))
    text = (files("cantle") / "data" / "stop_words" / f"{language}.txt").read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if not line.startswith(("#", "["))]
    return frozenset(fold(word) for line in lines for word in line.split())
