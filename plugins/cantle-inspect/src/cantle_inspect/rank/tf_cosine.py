"""The cosine of term frequencies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from math import sqrt

from .terms import terms

__all__ = ["tf_cosine"]


def tf_cosine(texts: Sequence[str], stop_words: Collection[str] = ()) -> TfCosine:
    """A scorer over `texts`: the cosine, from 0 to 1, between the term frequencies of a question and of each text."""
    return TfCosine(texts, stop_words)


class TfCosine:
    """See `tf_cosine`."""

    def __init__(self, texts: Sequence[str], stop_words: Collection[str]) -> None:
        self._stop_words = stop_words
        self._vectors = [Counter(terms(text, stop_words)) for text in texts]

    def __call__(self, question: str) -> list[float]:
        """A score for each text."""
        asked = Counter(terms(question, self._stop_words))
        return [_cosine(asked, vector) for vector in self._vectors]


def _cosine(a: Counter[str], b: Counter[str]) -> float:
    norm = sqrt(sum(n * n for n in a.values())) * sqrt(sum(n * n for n in b.values()))
    return sum(n * b[word] for word, n in a.items()) / norm if norm else 0.0
