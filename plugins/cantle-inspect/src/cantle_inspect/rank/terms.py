"""The words of a text as rankers compare them: lower case, accents folded, no stop words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from itertools import pairwise
from unicodedata import category, combining, normalize

__all__ = ["fold", "needs_words", "plain_words", "terms", "words"]

# Scripts that put no blanks between words: Thai, Lao, Myanmar, Khmer, kana, Han.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af"
)
_RUNS = re.compile(f"([{_UNSPACED}]+)")


def fold(text: str) -> str:
    """The text in lower case, decomposed (NFD), and without accents and other combining marks."""
    text = text.lower()
    return text if text.isascii() else _BEYOND_ASCII.sub(_folded, text)


_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")


def _folded(match: re.Match[str]) -> str:
    return match[0].translate(_FOLDING)


class _Folding(dict[int, str]):
    """Code point -> what is left of it. Character by character: to normalize a long run of marks takes squared time."""

    def __missing__(self, code: int) -> str:
        c = chr(code)
        self[code] = "" if _selects(c) else "".join(d for d in normalize("NFD", c) if not combining(d))
        return self[code]


_FOLDING = _Folding()


_PLAIN_WORD = re.compile(r"\w+")


def plain_words(text: str) -> list[str]:
    r"""What `\w+` finds in a text, folded. Right for scripts that put blanks between words, but Indic ones."""
    return _PLAIN_WORD.findall(fold(text))


def needs_words(text: str) -> bool:
    """Whether a text has characters for which plain words are wrong: of scripts without blanks, or Indic signs."""
    text = fold(text)
    return not text.isascii() and (_RUNS.search(text) is not None or _signs().search(text) is not None)


def words(text: str) -> list[str]:
    r"""The words of a text, folded: what `\w+` finds, and vowel signs of Indic scripts in and behind it.

    Underscores at the edges are no part of a word: they are emphasis in Markdown. Stretches in scripts that put no
    blanks between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese) are given as their pairs of neighbouring
    characters, as Lucene's CJKBigramFilter does; a character that stands alone is a word.
    """
    text = fold(text)
    found: list[str] = (_PLAIN_WORD if text.isascii() else _word()).findall(text)
    if "_" in text:
        found = [word for each in found if (word := each.strip("_"))]
    if text.isascii() or _RUNS.search(text) is None:
        return found
    return [part for word in found for part in _parts(word)]


def terms(text: str, stop_words: Collection[str] = (), least: int = 3) -> list[str]:
    """The words of a text that are no stop words and have at least `least` letters.

    `stop_words` are folded words. Pairs of characters from scripts without blanks count as long enough.
    """
    return [
        word for word in words(text) if word not in stop_words and (len(word) >= least or _RUNS.match(word) is not None)
    ]


def _parts(word: str) -> Iterator[str]:
    """The pairs of each stretch without blanks, and what is between such stretches."""
    for i, part in enumerate(_RUNS.split(word)):
        if i % 2 == 0 or len(part) == 1:
            if part:
                yield part
        else:
            yield from (a + b for a, b in pairwise(part))


@cache
def _kept() -> str:
    r"""Marks that are not folded away (vowel signs). They belong to words, though `\w` has none of them."""
    every = map(chr, (*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)))  # no other plane has marks
    return "".join(c for c in every if category(c)[0] == "M" and _FOLDING[ord(c)])


@cache
def _word() -> re.Pattern[str]:
    return re.compile(rf"\w[\w{_kept()}]*")


@cache
def _signs() -> re.Pattern[str]:
    return re.compile(f"[{_kept()}]")


def _selects(c: str) -> bool:
    """Whether it is a variation selector: it says how the character before it looks."""
    return "\ufe00" <= c <= "\ufe0f" or "\U000e0100" <= c <= "\U000e01ef" or "\u180b" <= c <= "\u180f"
