"""The words of lines as numbers: what cohesion and labels count."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from cantle.words import fold, stop_words, words

from ..lines import Line
from .stems import stemmer
from .visible import Visible

__all__ = ["Term", "Terms"]

_LONGEST = 40
"""Longer words are hashes, addresses, encoded data: they are left out."""
_HIRAGANA = re.compile("[\u3041-\u309f]")
_HAN = re.compile("[\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


class Term(NamedTuple):
    """A word at `[start, end)` of the text, and the numbers under which it counts: none for a stop word or a number.

    `folded` is the word as it is compared.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    folded: str


class Terms:
    """The content words of a text's lines by number, from 0 in order of first use.

    Words are counted by their stems, without stop words, numbers and single letters; a name such as `max_size` or
    `e-mail` counts as its parts. For scripts without blanks see `_words`. Markup, its comments, styles and scripts,
    formulas of LaTeX and addresses are no words.
    """

    def __init__(self, text: str, lines: Sequence[Line], language: str | None) -> None:
        self.text = text
        self.stop = stop_words(language)
        self._visible = Visible(text)
        self._stem: Callable[[str], str] = stemmer(language)
        self._numbers: dict[str, int] = {}
        self._kinds: list[tuple[int, ...]] = []  # the numbers of a word, by its place in `_known`
        self._folded: list[str] = []
        self._known: dict[str, int] = {}  # words as written
        self._words, self._starts, self._ends = array("q"), array("q"), array("q")
        self._first = array("q", [0])
        for line in lines:
            self._read(line)
        self.rows = [
            [number for word in self._words[a:b] for number in self._kinds[word]] for a, b in pairwise(self._first)
        ]
        """The numbers of every line's words."""

    def of(self, line: int, most: int) -> list[Term]:
        """The first words of a line, by its number, with their places; stop words too."""
        a, b = self._first[line], min(self._first[line + 1], self._first[line] + most)
        return [
            Term(start, end, self._kinds[word], self._folded[word])
            for start, end, word in zip(self._starts[a:b], self._ends[a:b], self._words[a:b], strict=True)
        ]

    def _read(self, line: Line) -> None:
        at, known = line.start, self._known
        for start, end, word in _words(self._visible.of(line)):
            kind = known.get(word)
            if kind is None:
                kind = known[word] = len(self._kinds)
                self._folded.append(fold(word))
                self._kinds.append(self._counted(self._folded[-1]))
            self._words.append(kind)
            self._starts.append(at + start)
            self._ends.append(at + end)
        self._first.append(len(self._words))

    def _counted(self, folded: str) -> tuple[int, ...]:
        if len(folded) > _LONGEST or folded in self.stop:
            return ()
        if _HAN.match(folded):
            return (self._numbers.setdefault(folded, len(self._numbers)),)
        parts = [folded] if folded.isalpha() else _LETTERS.findall(folded)
        stems = [self._stem(part) for part in parts if len(part) > 1 and part not in self.stop]
        return tuple(self._numbers.setdefault(stem, len(self._numbers)) for stem in stems)


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """The words of a text with their places.

    Where a script has no blanks between words, a Chinese character stands alone for a word (in our measurements better
    than pairs), Hiragana, which are mostly endings and particles, for none, and of other letters each with the next.
    """
    previous, first, end = "", 0, -1
    for start, stop, word in words(text):
        if stop - start > 3 or word.isascii() or _HAN.match(word):
            yield start, stop, word
        elif not _HIRAGANA.match(word):
            if start == end:
                yield first, stop, previous + word
            elif stop - start > 1:
                yield start, stop, word
            previous, first, end = word, start, stop
