"""Rankers: how well a chunk answers a question, by its words.

A ranker is made of the texts and answers a question with a score for each of them, the higher the better.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .terms import LANGUAGES, terms
from .tf_cosine import tf_cosine

__all__ = ["LANGUAGES", "RANKERS", "Ranker", "Scorer", "terms", "tf_cosine"]

Scorer = Callable[[str], Sequence[float]]
Ranker = Callable[[Sequence[str]], Scorer]

RANKERS = ("tf-cosine", "bm25")
