"""The words of a text, and the form under which they are counted."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

__all__ = ["Word", "fold", "is_han", "is_unspaced", "words"]

_UNSPACED = r"[[\p{Han}\p{Hiragana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]&&[\p{L}\p{Nl}]]"
"""Letters of scripts that put no blanks between words. Katakana runs and Korean are words as they stand."""
_FIRST = rf"[[\p{{L}}\p{{N}}]--{_UNSPACED}]"
_INNER = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{_UNSPACED}]"
_JOINS = (
    # between letters or digits: apostrophes, hyphens, Catalan's raised dot, soft hyphen, joiners, underscores
    r"(?:['\u2019\u2010\u2011\u00b7\u00ad\u200c\u200d-]|_+"
    # between two letters a period, between two digits also a comma: e.g, example.com, 3.14, 1,000
    r"|(?<=[\p{L}\p{M}])\.(?=\p{L})|(?<=\p{N})[.,](?=\p{N}))"
)
_ELIDED = (
    # What French, Italian, Catalan and Portuguese put in front of a vowel is a word of its own: l'amour, dell'arte.
    r"(?:[ldjmtsncv]|qu|jusqu|lorsqu|puisqu|quoiqu|un|gl|dov|quest|quell|(?:d[ae]|a|ne|su|co)ll)['\u2019]"
    r"(?=[aeiouyhàáâäæèéêëìíîïòóôöœùúûü])"
)

_PIECE = 128
"""Longer words are normalised in pieces of so many code points: sorting one endless run of marks takes squared time."""

_SAME = str.maketrans({"\u2019": "'", "\u02bc": "'", "\u2010": "-", "\u2011": "-", "\u00ad": None})


class Word(NamedTuple):
    """A word of a text as it is written: `text[start:end]`. Positions are code points."""

    start: int
    end: int
    text: str


def words(text: str) -> Iterator[Word]:
    """The words of a text in order, none over another.

    A word is a run of letters, marks and digits. Apostrophes, hyphens, underscores and the raised dot of Catalan join
    two of these (`don't`, `e-mail`, `max_size`), a period joins two letters (`e.g`, `example.com`), a period or a comma
    two digits (`3.14`, `1,000`). An article or pronoun that lost its vowel is a word with its
    apostrophe: `l'amour` is `l'` and `amour`.

    Chinese characters, Hiragana, and letters of Thai, Lao, Khmer and Burmese, which are written without blanks, are one
    word each, with the marks that follow; there is no dictionary that would tell more. Katakana and Korean make runs.
    """
    for match in _pattern().finditer(text):
        yield Word(match.start(), match.end(), match[0])


def fold(word: str) -> str:
    """The form under which a word is counted: case-folded, in NFC, with straight apostrophes and plain hyphens.

    Accents stay, for they tell words apart (`avó`, `avô`). Soft hyphens go. Folding twice is folding once, but for
    words of more than 128 code points.
    """
    if word.isascii():
        return word.lower()
    if len(word) <= _PIECE:
        return _folded(word)
    return "".join(_folded(word[i : i + _PIECE]) for i in range(0, len(word), _PIECE))


def _folded(word: str) -> str:
    # Folding case may undo the order of marks, and composing may make what folds again.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", word).casefold()).translate(_SAME)


def is_unspaced(word: str) -> bool:
    """Whether a word is a character of a script without blanks."""
    return not word.isascii() and _unspaced().match(word) is not None


def is_han(word: str) -> bool:
    """Whether a word is a Chinese character, in whatever language."""
    return is_unspaced(word) and word[0] >= "\u2e80" and not "\u3041" <= word[0] <= "\u309f"


@cache
def _pattern() -> Any:
    import regex

    return regex.compile(
        rf"(?V1)(?i:{_ELIDED})|{_FIRST}{_INNER}*(?:{_JOINS}(?={_FIRST}){_INNER}*)*|{_UNSPACED}\p{{M}}*"
    )


@cache
def _unspaced() -> Any:
    import regex

    return regex.compile(rf"(?V1){_UNSPACED}")
