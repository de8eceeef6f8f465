"""The sentences of a text and the words in each, without what is no prose: code, addresses, tags, commands of TeX."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from .tokens import Word, words

__all__ = ["Sentence", "bare", "is_command", "one_line", "sentences"]

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


_FENCE = r"(?m)^[ \t]{0,8}(?:```|~~~)([^`\n]{0,200})$"
_STRUCTURE = (
    # what begins something new in TeX, with what it says
    r"\\(?:documentclass|usepackage|title|author|date|maketitle|part|chapter|(?:sub){0,2}section|paragraph|begin|end|item)"
    r"(?![A-Za-z@])\*?(?:\[[^\[\]\n]{0,200}\])?(?:\{[^{}\n]{0,300}\})?"
)
_MARKS = r"(?:[ \t>]|\#{1,6}(?=[ \t])|[-+*\u2022\u25aa\u25cf](?=[ \t]))*"
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
    rest = _outside(_outside(words(text), code), (match.span() for match in _pattern(_NO_PROSE).finditer(text)))
    word = next(rest, None)
    for start, end in _divided(text, segmenter("rules", language).on(text)):
        inside = []
        while word is not None and word.start < end:
            inside.append(word)
            word = next(rest, None)
        found.append(Sentence(start, end, inside))
    return found


def bare(text: str, start: int, end: int) -> int:
    """Where a sentence begins after the marks of a heading, list or quotation of Markdown."""
    match = _pattern(_MARKS).match(text, start, end)
    return match.end() if match else start


def is_command(text: str, start: int, end: int) -> bool:
    """Whether `sentences` gave a command of TeX: a title, the name of an environment."""
    return text[start] == "\\" and _pattern(_STRUCTURE).fullmatch(text, start, end) is not None


def one_line(text: str) -> str:
    """A text with one blank where it has white space, and none around it."""
    return " ".join(text.split())


def _divided(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Sentences, and apart from them what stands in commands of TeX that begin something new."""
    if "\\" not in text:
        yield from spans
        return
    commands = _pattern(_STRUCTURE).finditer(text)
    command = next(commands, None)
    for start, end in spans:
        while command is not None and command.start() < end:
            yield from _trimmed(text, start, command.start())
            yield from _trimmed(text, max(start, command.start()), min(end, command.end()))
            start = max(start, min(end, command.end()))
            if command.end() > end:
                break
            command = next(commands, None)
        yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    inside = text[start:end].strip()
    if inside:
        start = text.index(inside[0], start)
        yield start, start + len(inside)


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
    fences = [(match.start(), match.end(), bool(match[1])) for match in _pattern(_FENCE).finditer(text)]
    found = []
    if len(fences) % 2 and not fences[0][2]:  # none opens here: the code began before
        found.append((0, fences.pop(0)[1]))
    for opens, closes in zip_longest(fences[::2], fences[1::2]):
        found.append((opens[0], closes[1] if closes else len(text)))
    return found


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
