"""The cosine of term frequencies."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Sequence

from .terms import terms

__all__ = ["TfCosine", "tf_cosine"]


def tf_cosine(texts: Sequence[str], stop_words: Collection[str] = ()) -> TfCosine:
    """A scorer over `texts`: the cosine, from 0 to 1, between the term frequencies of a question and of each text.

    `stop_words` are folded words (see `terms`).
    """
    return TfCosine(texts, stop_words)


class TfCosine:
    """For each word the texts that have it and how often: only the words of a question are looked at."""

    def __init__(self, texts: Sequence[str], stop_words: Collection[str] = ()) -> None:
        self._stop_words = stop_words
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        self._squares: array[int] = array("q", bytes(8 * len(texts)))
        for i, text in enumerate(texts):
            counts = Counter(terms(text, stop_words))
            self._squares[i] = sum(n * n for n in counts.values())
            for word, n in counts.items():
                posting = self._postings.get(word)
                if posting is None:
                    posting = self._postings[word] = array("q"), array("q")
                posting[0].append(i)
                posting[1].append(n)

    def __call__(self, question: str) -> list[float]:
        """A score for each text.

        Products and sums are of whole numbers and exact: neither the order of words nor that of texts matters, and no
        score is above 1.
        """
        import numpy as np

        asked = Counter(terms(question, self._stop_words))
        products = np.zeros(len(self._squares))
        for word, n in asked.items():
            if word in self._postings:
                found, counts = (np.frombuffer(part, np.int64) for part in self._postings[word])
                products[found] += n * counts
        squares = np.frombuffer(self._squares, np.int64) if self._squares else np.zeros(0)
        norms = np.sqrt(squares * float(sum(n * n for n in asked.values())))
        scores: list[float] = np.divide(products, norms, out=np.zeros(len(norms)), where=norms > 0).tolist()
        return scores
