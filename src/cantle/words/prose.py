"""The sentences of a text and the words in each, without what is no prose: code, addresses, tags, commands of TeX."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from .tokens import Word, words

__all__ = ["Sentence", "one_line", "sentences"]

_NO_PROSE = (
    r"(?:https?|ftp)://[^\s<>]+|www\.[^\s<>]+"
    r"|@[\w.-]+"  # a name on some site, and where mail goes
    r"|\]\([^()\s]{0,2000}\)"  # where a link of Markdown leads to
    r"|(?m:^)\[[^\]\n]{1,200}\]:[^\n]*"  # and where one that is named does
    r"|</?[A-Za-z][^<>]{0,1000}>|<!--.{0,200}?-->|&\#?\w{1,32};"  # HTML
    r"|\\(?:begin|end|cite[a-z]{0,8}|[a-z]{0,4}ref|label|input|include[a-z]{0,12}|usepackage|documentclass)"
    r"\*?(?:\[[^\[\]\n]{0,200}\])?\{[^{}\n]{0,200}\}"
    r"|\\[A-Za-z]+\*?"
)


_NEVER = (sys.maxsize, sys.maxsize)


class Sentence(NamedTuple):
    """`text[start:end]` and the words in it. Positions are code points."""

    start: int
    end: int
    words: list[Word]


def sentences(text: str, language: str) -> list[Sentence]:
    """The sentences of a text by the rules of a language, or of `"any"`, with their words.

    Words in fenced code count where there are no others.
    """
    found = _sentences(text, language, _code(text))
    return found if any(sentence.words for sentence in found) else _sentences(text, language, [])


def _sentences(text: str, language: str, code: list[tuple[int, int]]) -> list[Sentence]:
    from ..blocks.sentences import segmenter

    found: list[Sentence] = []
    rest = _outside(_outside(words(text), code), (match.span() for match in _no_prose().finditer(text)))
    word = next(rest, None)
    for start, end in segmenter("rules", language).on(text):
        inside = []
        while word is not None and word.start < end:
            inside.append(word)
            word = next(rest, None)
        found.append(Sentence(start, end, inside))
    return found


def one_line(text: str) -> str:
    """A text with one blank where it has white space, and none around it."""
    return " ".join(text.split())


def _outside(inside: Iterator[Word], left_out: Iterable[tuple[int, int]]) -> Iterator[Word]:
    """The words that are in none of some stretches, which come in order."""
    stretches = iter(left_out)
    start, end = next(stretches, _NEVER)
    for word in inside:
        while end <= word.start:
            start, end = next(stretches, _NEVER)
        if word.end <= start:
            yield word


def _code(text: str) -> list[tuple[int, int]]:
    """Fenced code of Markdown. A part of a document may begin or end in the middle of some."""
    if "```" not in text and "~~~" not in text:
        return []
    fences = [(match.start(), match.end(), bool(match[1])) for match in _fence().finditer(text)]
    found = []
    if len(fences) % 2 and not fences[0][2]:  # none opens here: the code began before
        found.append((0, fences.pop(0)[1]))
    for opens, closes in zip_longest(fences[::2], fences[1::2]):
        found.append((opens[0], closes[1] if closes else len(text)))
    return found


@cache
def _fence() -> re.Pattern[str]:
    return re.compile(r"^[ \t]{0,8}(?:```|~~~)([^`\n]{0,200})$", re.MULTILINE)


@cache
def _no_prose() -> re.Pattern[str]:
    return re.compile(_NO_PROSE)
