"""Okapi BM25, by bm25s."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from .terms import terms

__all__ = ["Bm25", "bm25"]

K1 = 1.2
B = 0.75


def bm25(texts: Sequence[str], stop_words: Collection[str] = ()) -> Bm25:
    """A scorer over `texts`: Okapi BM25 with Lucene's idf, k1 = 1.2 and b = 0.75; scores are at least 0.

    For each word of the question, as often as it stands there: log(1 + (N - n + 0.5) / (n + 0.5)) * tf / (tf + k1 *
    (1 - b + b * words of the text / mean of them)), N texts of which n have the word (Robertson and Zaragoza, "The
    Probabilistic Relevance Framework", 2009; Kamphuis et al., "Which BM25 Do You Mean?", 2020).
    """
    return Bm25(texts, stop_words)


class Bm25:
    """An index of bm25s over words as we tell them apart."""

    def __init__(self, texts: Sequence[str], stop_words: Collection[str] = ()) -> None:
        self._stop_words = stop_words
        self._size = len(texts)
        self._numbers: dict[str, int] = {}
        documents = [[self._number(word) for word in terms(text, stop_words, least=1)] for text in texts]
        self._index: Any = _indexed(documents, self._numbers) if self._numbers else None

    def _number(self, word: str) -> int:
        return self._numbers.setdefault(word, len(self._numbers))

    def __call__(self, question: str) -> list[float]:
        """A score for each text."""
        asked = [self._numbers[w] for w in terms(question, self._stop_words, least=1) if w in self._numbers]
        if not asked:
            return [0.0] * self._size
        scores: list[float] = self._index.get_scores_from_ids(asked).tolist()
        return scores


def _indexed(documents: list[list[int]], numbers: dict[str, int]) -> Any:
    from bm25s import BM25  # type: ignore[import-untyped]

    # A mean below one word would make every text long: it counts as one, which these k1 and b come to.
    mean = min(1.0, sum(map(len, documents)) / len(documents))
    k1 = K1 * (1 - B + B * mean)
    index = BM25(k1=k1, b=K1 * B * mean / k1, method="lucene", dtype="float64")
    index.index((documents, numbers), show_progress=False)
    return index
