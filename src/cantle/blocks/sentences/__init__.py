"""Where the sentences of a text begin and end. Knows no sizes.

`segmenter(...)` gives what cuts: by rules (`rules`, with the data of `languages`), or with NLTK's
Punkt (`punkt`). Both are asked through `Sentences`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

from .languages import LANGUAGES
from .listed import Listed
from .rules import Rules

__all__ = ["LANGUAGES", "Listed", "Segmenter", "Sentences", "segmenter"]


class Sentences(Protocol):
    """The sentences of one text. Positions are code points, ends exclusive, white space between is in none."""

    total: int
    """Where the last sentence ends."""

    def begin(self, at: int) -> int:
        """Where the sentence begins that follows position `at`: past the white space."""
        ...

    def end_from(self, at: int) -> int:
        """The first end of a sentence at or after `at`; `total` when there is no other."""
        ...

    def end_before(self, at: int, least: int) -> int:
        """The last end of a sentence at or before `at` and after `least`, or -1."""
        ...

    def finer(self, start: int, end: int) -> list[list[tuple[int, int]]] | None:
        """Parts of a sentence that is too long, in groups to use whole or not at all; None where there are none."""
        ...

    def origin(self, position: int) -> int:
        """From where on the text must be there for the sentences from a position on."""
        ...

    def listed(self, spans: list[tuple[int, int]]) -> Sentences:
        """Other sentences of the same text, given by their bounds."""
        ...

    def __iter__(self) -> Iterator[tuple[int, int]]:
        """`(start, end)` of every sentence, ascending."""
        ...


class Segmenter(Protocol):
    """Finds the sentences of any text."""

    marks: str
    """What it looks through in runs, besides white space."""
    reach: int
    """How much further than a few words it looks, in code points."""

    def on(self, text: str) -> Sentences:
        """The sentences of a text."""
        ...

    def window(self, text: str, known: int | None, start: int) -> Sentences:
        """The sentences of a window, from `start` on, where they are searched anew.

        What is not settled up to `known` raises `Unsettled`; with None the text ends with the window.
        """
        ...


def segmenter(kind: str, language: str | None = None, enders: Sequence[str] | None = None) -> Segmenter:
    """The segmenter of a kind, `rules` or `punkt`.

    Raises `MissingDependencyError` when Punkt or its model is not installed.
    """
    if kind == "punkt":
        from .punkt import Punkt

        return Punkt(language)
    return Rules(language, enders)
