"""BM25 as it is defined, over texts that have words of every number; however they are found, scores are the same."""

from __future__ import annotations

from collections import Counter
from math import log
from typing import Any

import pytest

from cantle_store import Store
from cantle_store.searching import bm25, by_words
from cantle_store.terms import MOST_COUNTED, tokens

COUNTS = [1, 2, 3, 14, 15, 16, 17, 31, 32, 47, 48, 100, 239, 240, 254, 255, 256, 1000]
TEXTS = [" ".join(["alpha"] * count + ["beta"] * (count % 5) + [f"w{count}"]) for count in COUNTS]
TEXTS += [f"beta gamma{number % 7} delta" for number in range(30)] + ["alpha1 alpha16", "16 alpha/2", "nothing here"]
QUERIES = ["alpha", "beta alpha", "alpha gamma3 w16 absent", "absent", "16", "alpha16 delta"]


def expected(texts: list[str], query: str) -> list[float]:
    """The scores above 0, by hand, the highest first."""
    words = [Counter(text.replace("/", " ").split()) for text in texts]
    found = [(number, word) for number, counts in enumerate(words) for word in query.split() if word in counts]
    if not found:
        return []
    mean = sum(words[number].total() for number, _ in found) / len(found)
    having = Counter(word for _, word in found)
    scores: Counter[int] = Counter()
    for number, word in found:
        count = min(words[number][word], MOST_COUNTED)
        idf = log(1 + (len(texts) - having[word] + 0.5) / (having[word] + 0.5))
        scores[number] += idf * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * words[number].total() / mean))  # type: ignore[assignment]
    return sorted(scores.values(), reverse=True)


WAYS: dict[str, dict[Any, dict[str, int]]] = {
    "each chunk": {},
    "lists": {by_words: {"_FEW_CHUNKS": 0}},
    "lists, and all chunks": {by_words: {"_FEW_CHUNKS": 0, "_FEW_FOUND": 0}},
    "lists, long chunks": {by_words: {"_FEW_WORDS": 0}},
    "read twice": {by_words: {"_FEW_CHUNKS": 0, "_FEW_FOUND": 40}, bm25: {"_MOST_KEPT": 0}},
}


def test_scores_are_those_of_the_definition(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(3):
        part = [{"text": text} for text in TEXTS[number::3]]
        store.sync("docs", f"d{number}", part, metadata={"seen": "yes"})
        store.sync("docs", f"hidden{number}", part, metadata={"seen": "no"})
        store.for_host("other").sync("docs", f"d{number}", part, metadata={"seen": "yes"})
    store.set_roles({"reader": {"seen": "yes"}})
    filters: list[dict[str, Any]] = [{"roles": ["reader"]}, {"where": {"seen": "yes"}}]
    found = {}
    for way, settings in WAYS.items():
        with monkeypatch.context() as patch:
            for module, values in settings.items():
                for name, value in values.items():
                    patch.setattr(module, name, value)
            for query in QUERIES:
                for filtered in filters:
                    hits = store.search(query, k=200, **filtered)
                    assert [hit.score for hit in hits] == pytest.approx(expected(TEXTS, query), abs=1e-8), way
                    shown = [(hit.chunk.source, hit.chunk.index, hit.score) for hit in hits]
                    assert found.setdefault(query, shown) == shown
                    few = store.search(query, k=3, **filtered)
                    assert [(hit.chunk.source, hit.chunk.index, hit.score) for hit in few] == shown[:3]


def test_every_count_has_tokens() -> None:
    parts = sorted(tokens("a").values())
    for count in range(1, MOST_COUNTED + 1):
        assert {count % 16, count // 16 * 16} - {0} <= set(parts)
    assert tokens("a")["a"] == 1
    assert len({*tokens("a"), *tokens("a1"), *tokens("1")}) == 3 * len(parts)
