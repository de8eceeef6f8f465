"""The words of lines as numbers: what cohesion and labels count."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from cantle.words import fold, stop_words, words

from ..lines import Line
from .stems import stemmer

__all__ = ["Term", "Terms"]

_LONGEST = 40
"""Longer words are hashes, addresses, encoded data: they are left out."""
_HIRAGANA = re.compile("[\u3041-\u309f]*")
"""Pairs of Hiragana are mostly endings and particles of Japanese, which are stop words."""
_MARKUP = re.compile(
    r"</?[A-Za-z][^<>]{0,300}>|&#?\w{1,8};|\\(?:begin|end|label|ref|cite|href|url)\*?\{[^{}]{0,100}\}|\\[A-Za-z]{1,30}|"
    r"\]\([^()\s]{1,300}\)|\bhttps?://[^\s<>()]{1,300}"
)
_SIGNS = re.compile(r"[<&\\]|\]\(|://")
_LETTERS = re.compile(r"[^\W\d_]{2,}")


class Term(NamedTuple):
    """A word at `[start, end)` of the text, and the numbers under which it counts: none for a stop word or a number."""

    start: int
    end: int
    numbers: tuple[int, ...]


class Terms:
    """The content words of a text by number, from 0 in order of first use.

    Words are counted by their stems, without stop words, numbers and single letters; a name such as `max_size` or
    `e-mail` counts as its parts. In scripts without blanks two neighbouring characters count as a word. Tags, commands
    of LaTeX and addresses are no words.
    """

    def __init__(self, text: str, language: str | None) -> None:
        self.text = text
        self._stop = stop_words(language)
        self._stem: Callable[[str], str] = stemmer(language)
        self._numbers: dict[str, int] = {}
        self._known: dict[str, tuple[int, ...]] = {}  # by the word as written

    def rows(self, lines: Sequence[Line]) -> list[list[int]]:
        """The numbers of every line's words."""
        found = []
        for line in lines:
            row: list[int] = []
            for _, _, word in _words(self._shown(line)):
                row.extend(self._look_up(word))
            found.append(row)
        return found

    def of(self, line: Line) -> list[Term]:
        """The words of a line with their places, stop words too."""
        at = line.start
        return [Term(at + start, at + end, self._look_up(word)) for start, end, word in _words(self._shown(line))]

    def _shown(self, line: Line) -> str:
        """What a reader sees of a line; blanks stand for the rest, so that places stay."""
        text = self.text[line.start : line.end]
        if _SIGNS.search(text):
            text = _MARKUP.sub(lambda match: " " * len(match[0]), text)
        return text

    def _look_up(self, word: str) -> tuple[int, ...]:
        found = self._known.get(word)
        if found is None:
            found = self._known[word] = self._counted(word)
        return found

    def _counted(self, word: str) -> tuple[int, ...]:
        folded = fold(word)
        if len(folded) > _LONGEST or folded in self._stop:
            return ()
        parts = [folded] if folded.isalpha() else _LETTERS.findall(folded)
        stems = [self._stem(part) for part in parts if len(part) > 1 and part not in self._stop]
        return tuple(self._numbers.setdefault(stem, len(self._numbers)) for stem in stems)


def _words(text: str) -> Iterator[tuple[int, int, str]]:
    """Words with their places, where characters of scripts without blanks give overlapping pairs."""
    previous, first, end = "", 0, -1
    for start, stop, word in words(text):
        if stop - start > 3 or word.isascii():
            yield start, stop, word
            end = -1
            continue
        if start == end:
            if not _HIRAGANA.fullmatch(previous + word):
                yield first, stop, previous + word
        elif stop - start > 1:
            yield start, stop, word
        previous, first, end = word, start, stop
