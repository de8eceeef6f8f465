"""Rankers: how well a chunk answers a question, by its words.

A ranker is made of the texts and answers a question with a score for each of them, the higher the better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .bm25 import bm25
from .languages import LANGUAGE_WORDS, LANGUAGES, language_of, stop_words
from .named import RANKERS, NamedRanker, named
from .terms import fold, terms, words
from .tf_cosine import tf_cosine

__all__ = [
    "LANGUAGES",
    "LANGUAGE_WORDS",
    "RANKERS",
    "NamedRanker",
    "Ranker",
    "Scorer",
    "bm25",
    "fold",
    "language_of",
    "named",
    "stop_words",
    "terms",
    "tf_cosine",
    "words",
]

Scorer = Callable[[str], Sequence[float]]
"""Gives one score per text for a question."""

Ranker = Callable[[Sequence[str]], Scorer]
"""Makes a scorer of texts."""
