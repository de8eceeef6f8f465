"""The sentences of a text and the words in each, without what is no prose: code, addresses, tags, commands of TeX."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from ..graphemes import previous_boundary
from .tokens import Word, words

__all__ = ["BEHIND", "Sentence", "bare", "cut_short", "is_command", "one_line", "sentences"]

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
BEHIND = " \t.:;,\u3002\uff0c\uff1a-\u2013\u2014"
"""What is left out where a line is cut."""
Span = tuple[int, int]
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
    blocks, fences = _code(text)
    found = _sentences(text, language, blocks)
    return found if any(sentence.words for sentence in found) else _sentences(text, language, fences)


def _sentences(text: str, language: str, code: list[Span]) -> list[Sentence]:
    from ..blocks.sentences import segmenter

    found: list[Sentence] = []
    rest = _outside(_outside(words(text), code), (match.span() for match in _pattern(_NO_PROSE).finditer(text)))
    word = next(rest, None)
    for start, end in _divided(text, segmenter("rules", language).on(text), _apart(text, code)):
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


def cut_short(line: str, size: int) -> str:
    """A line of at most `size` code points: what is longer is cut between two words, if there are any, and has `…`."""
    if len(line) <= size:
        return line
    end = line.rfind(" ", size // 2, size)
    if end < 0:
        end = previous_boundary(line, size - 1, 0) or size - 1
    return line[:end].rstrip(BEHIND) + "\u2026"


def _apart(text: str, code: list[Span]) -> Iterator[Span]:
    """What no sentence goes through: code, and commands of TeX that begin something new."""
    commands = [match.span() for match in _pattern(_STRUCTURE).finditer(text)] if "\\" in text else []
    before = 0
    for start, end in sorted(code + commands):
        if start >= before:
            yield start, end
            before = end


def _divided(text: str, spans: Iterable[Span], apart: Iterator[Span]) -> Iterator[Span]:
    """Sentences, and what stands apart by itself."""
    opens, closes = next(apart, _NEVER)
    for start, end in spans:
        at = start
        while opens < end:
            yield from _trimmed(text, at, opens)
            at = max(at, opens)
            yield from _trimmed(text, at, min(end, closes))
            at = min(end, closes)
            if closes > end:
                break
            opens, closes = next(apart, _NEVER)
        yield from _trimmed(text, at, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    inside = text[start:end].strip()
    if inside:
        start = text.index(inside[0], start)
        yield start, start + len(inside)


def _outside(inside: Iterator[Word], left_out: Iterable[Span]) -> Iterator[Word]:
    """The words that are in none of some stretches, which come in order."""
    stretches = iter(left_out)
    start, end = next(stretches, _NEVER)
    for word in inside:
        while end <= word.start:
            start, end = next(stretches, _NEVER)
        if word.end <= start:
            yield word


def _code(text: str) -> tuple[list[Span], list[Span]]:
    """Fenced code of Markdown, and the lines of its fences. A part of a document may begin or end inside of some."""
    if "```" not in text and "~~~" not in text:
        return [], []
    matches = list(_pattern(_FENCE).finditer(text))
    fences = [match.span() for match in matches]
    edges = fences
    if len(fences) % 2 and not matches[0][1]:  # none opens here: the code began before
        edges = [(0, 0), *fences]
    blocks = [
        (opens, closes) for (opens, _), (_, closes) in zip_longest(edges[::2], edges[1::2], fillvalue=(0, len(text)))
    ]
    return blocks, fences


@cache
def _pattern(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
