"""Edits of documents, made of numbers: what tests do and what processes do that they kill is the same."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

DATASETS = ("docs", "other")
SOURCES = ("a.md", "b.md", "ç\udc80.md")
_POOL = [f"Text {n}: " + " ".join(f"word{n * k % 97}" for k in range(1 + n * 7 % 60)) for n in range(40)]


class Edit(NamedTuple):
    """A sync of a document, or (without chunks) its deletion in all datasets."""

    dataset: str
    source: str
    chunks: list[dict[str, Any]] | None
    metadata: dict[str, Any]


State = dict[tuple[str, str], Edit]


def vector_of(text: str) -> list[float]:
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return [byte / 128 - 1 for byte in digest[:8]]


class Counting:
    """An embedder that makes 8 numbers of a text, and remembers which texts it was asked for."""

    name = "counting"
    batch_size = 100

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.asked += texts
        assert len(texts) <= self.batch_size
        return [vector_of(text) for text in texts]


def edit(seed: int, number: int) -> Edit:
    """The edit of this number."""
    chance = random.Random(f"{seed} {number}")
    dataset, source = chance.choice(DATASETS), chance.choice(SOURCES)
    if chance.random() < 0.1:
        return Edit(dataset, source, None, {})
    texts = [chance.choice(_POOL) for _ in range(chance.randint(0, 30))]
    own = chance.choice(["x", "y", None])
    chunks = [{"text": text, "metadata": {"own": own} if n % 3 else {}} for n, text in enumerate(texts)]
    return Edit(dataset, source, chunks, {"dept": chance.choice(["hr", "it"]), "level": chance.randint(0, 2)})


def do(store: Any, one: Edit, embedder: Any) -> Any:
    """Do an edit."""
    if one.chunks is None:
        return store.delete(one.source)
    return store.sync(one.dataset, one.source, one.chunks, embedder, metadata=one.metadata)


def after(state: State, one: Edit) -> State:
    """The state after an edit."""
    if one.chunks is None:
        return {name: kept for name, kept in state.items() if name[1] != one.source}
    return {**state, (one.dataset, one.source): one}


def ingest(store: Any, state: State, ever: Iterable[Edit]) -> None:
    """A fresh ingest of a state. Datasets that were there once are there: empty, and with their embedder."""
    for one in ever:
        if one.chunks is not None:
            store.sync(one.dataset, "first", one.chunks, Counting())
            store.sync(one.dataset, "first", [], Counting(), wipe=False)
    store.delete("first")
    for (dataset, source), one in sorted(state.items()):
        store.sync(dataset, source, one.chunks, Counting(), metadata=one.metadata)
