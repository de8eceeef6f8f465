"""Threads and processes give what a single call gives; everything that travels pickles."""

from __future__ import annotations

import multiprocessing
import pickle
import sys
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument, registry
from cantle.testing import hostile_documents

VARIANTS: tuple[dict[str, Any], ...] = (
    {},
    {"max_size": 40, "overlap": 15},
    {"max_size": 30, "overlap": 5, "length_function": "cl100k_base"},
)
BUILTIN = ("character", "recursive", "token")


def work(job: tuple[str, dict[str, Any], MDocument]) -> Chunks:
    name, options, document = job
    return document.chunk(name, **options)


def jobs() -> list[tuple[str, dict[str, Any], MDocument]]:
    documents = [d for d in hostile_documents() if d.text]
    return [
        (name, options, document)
        for name in BUILTIN
        for options in VARIANTS
        if not (name == "token" and "length_function" in options)  # it counts tokens anyway
        for document in documents
    ]


@pytest.fixture(scope="module")
def alone() -> list[Chunks]:
    return [work(job) for job in jobs()]


def test_eight_threads(alone: list[Chunks]) -> None:
    with ThreadPoolExecutor(8) as pool:
        # Every job three times and in another order, so that threads meet at the same document.
        mixed = [(i * 7) % len(alone) for i in range(3 * len(alone))]
        todo = jobs()
        results = list(pool.map(lambda i: (i, work(todo[i])), mixed))
    assert all(chunks == alone[i] and chunks.dropped == alone[i].dropped for i, chunks in results)


def test_eight_threads_share_one_strategy() -> None:
    document = MDocument.from_text("The tide came in. " * 400, source="tide")
    for name in BUILTIN:
        strategy = registry().make(name, {"max_size": 30, "overlap": 6})
        wanted = document.chunk(strategy)
        with ThreadPoolExecutor(8) as pool:
            assert all(chunks == wanted for chunks in pool.map(lambda _: document.chunk(strategy), range(16)))  # noqa: B023


def test_threads_read_one_result() -> None:
    chunks = MDocument.from_text("same words " * 300).chunk("recursive", max_size=20, overlap=0)
    wanted = [c.key for c in MDocument.from_text("same words " * 300).chunk("recursive", max_size=20, overlap=0)]
    with ThreadPoolExecutor(8) as pool:
        assert all(keys == wanted for keys in pool.map(lambda _: [c.key for c in chunks], range(16)))


def test_two_processes(alone: list[Chunks]) -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        results = list(pool.map(work, jobs(), chunksize=20))
    assert results == alone
    assert [r.config_hash for r in results] == [a.config_hash for a in alone]
    assert [[c.key for c in r] for r in results] == [[c.key for c in a] for a in alone]


@pytest.mark.parametrize("name", BUILTIN)
def test_strategies_documents_and_chunks_pickle(name: str) -> None:
    document = MDocument.from_markdown("# T\n\nSome text, \ud800.\n", metadata={"a": [1]}, source="s")
    strategy = registry().make(name, {"max_size": 9, "overlap": 2})
    chunks = document.chunk(strategy)
    assert pickle.loads(pickle.dumps(document)) == document
    assert pickle.loads(pickle.dumps(strategy)) == strategy
    assert pickle.loads(pickle.dumps(strategy)).split(document) == strategy.split(document)  # type: ignore[attr-defined]
    assert pickle.loads(pickle.dumps(chunks)) == chunks
    assert pickle.loads(pickle.dumps(chunks[0])) == chunks[0]


def test_threads_that_ask_for_a_chunk_at_once_get_the_same() -> None:
    """Written into by one, it must be seen by all."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(50):
            chunks = MDocument.from_text("word " * 200).chunk("recursive", max_size=20, overlap=0)
            gate = threading.Barrier(4)

            def ask(chunks: Chunks = chunks, gate: threading.Barrier = gate) -> list[Chunk]:
                gate.wait()
                return list(chunks)

            with ThreadPoolExecutor(4) as pool:
                first, *others = [future.result() for future in [pool.submit(ask) for _ in range(4)]]
            assert all(a is b for other in others for a, b in zip(first, other, strict=True))
    finally:
        sys.setswitchinterval(interval)
