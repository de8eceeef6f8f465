"""Okapi BM25, by bm25s."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .terms import needs_words, plain_words, words

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
    """Two indexes of bm25s, each made for the first question that needs it: over plain words, and over words as
    scripts without blanks and Indic ones need them. The script of the question decides: what other texts are written
    in has no part in the scores of a question in a script with blanks."""

    def __init__(self, texts: Sequence[str], stop_words: Collection[str] = ()) -> None:
        self._texts, self._stop_words = texts, stop_words
        self._indexes: dict[Callable[[str], list[str]], _Index] = {}

    def __call__(self, question: str) -> list[float]:
        """A score for each text."""
        split = words if needs_words(question) else plain_words
        if split not in self._indexes:
            self._indexes[split] = _Index([self._kept(split(text)) for text in self._texts])
        return self._indexes[split].scores(self._kept(split(question)))

    def _kept(self, found: list[str]) -> list[str]:
        return [word for word in found if word not in self._stop_words] if self._stop_words else found


class _Index:
    def __init__(self, texts: Iterable[list[str]]) -> None:
        self._numbers: dict[str, int] = {}
        number = self._numbers.setdefault
        documents = [[number(word, len(self._numbers)) for word in found] for found in texts]
        self._size = len(documents)
        self._index: Any = _indexed(documents, self._numbers) if self._numbers else None

    def scores(self, asked: Iterable[str]) -> list[float]:
        known = [self._numbers[word] for word in asked if word in self._numbers]
        if not known:
            return [0.0] * self._size
        scores: list[float] = self._index.get_scores_from_ids(known).tolist()
        return scores


def _indexed(documents: list[list[int]], numbers: dict[str, int]) -> Any:
    from bm25s import BM25  # type: ignore[import-untyped]

    # A mean below one word would make every text long: it counts as one, which these k1 and b come to.
    mean = min(1.0, sum(map(len, documents)) / len(documents))
    k1 = K1 * (1 - B + B * mean)
    index = BM25(k1=k1, b=K1 * B * mean / k1, method="lucene", dtype="float64")
    with _no_monitor():
        index.index((documents, numbers), show_progress=False)
    return index


@contextmanager
def _no_monitor() -> Iterator[None]:
    """Keep tqdm, where it is installed, from leaving a thread behind: it starts one though no progress is shown."""
    module = sys.modules.get("tqdm.std")
    if module is None:
        yield
        return
    bar: Any = module.tqdm
    interval, bar.monitor_interval = bar.monitor_interval, 0
    try:
        yield
    finally:
        bar.monitor_interval = interval
