"""Several writers at once: threads and processes end in one consistent state, and none of them fails."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from cantle_store import NotFoundError, Store

THREADS = 6


def at_once(*works: Callable[[], Any]) -> list[Any]:
    """Run them in threads that begin together."""
    ready = Barrier(len(works))

    def run(work: Callable[[], Any]) -> Any:
        ready.wait()
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        return [done.result() for done in [pool.submit(run, work) for work in works]]


def version(number: int) -> list[dict[str, Any]]:
    """A version of a document: half of it is in all versions."""
    own = [{"text": f"version {number}, part {n}", "metadata": {"n": number}} for n in range(20)]
    return [{"text": f"part {n}"} for n in range(20)] + own


def is_one_version(store: Store, source: str, number: int | None = None) -> bool:
    """Whether a document is one of the versions, whole."""
    texts = [chunk.text for chunk in store.chunks("docs", source)]
    found = int(texts[-1].split(",")[0].removeprefix("version ")) if number is None else number
    return texts == [one["text"] for one in version(found)]


def test_one_document_by_many_threads(store: Store, edits: Any, snapshot: Callable[..., Any]) -> None:
    def work(number: int) -> None:
        for round_ in range(3):
            store.sync("docs", "a.md", version(10 * number + round_), edits.Counting(), metadata={"n": number})

    at_once(*(lambda number=number: work(number) for number in range(THREADS)))
    assert is_one_version(store, "a.md")
    held = snapshot(store)
    (last,) = {row["metadata"]["n"] for row in held["documents"]}
    assert {row["metadata"]["n"] // 10 for row in held["chunks"] if row["text"].startswith("version")} == {last}
    assert all(chunk.embedding == pytest.approx(edits.vector_of(chunk.text)) for chunk in store.chunks("docs"))


def test_many_documents_of_a_dataset_that_nobody_made(store: Store, edits: Any, snapshot: Callable[..., Any]) -> None:
    def work(number: int) -> None:
        for one in range(3):
            store.sync("docs", f"{number} {one}", version(number), edits.Counting())

    at_once(*(lambda number=number: work(number) for number in range(THREADS)))
    assert (len(store.avatars()), len(store.datasets())) == (1, 1)
    assert (store.dataset("docs").documents, store.dataset("docs").chunks) == (3 * THREADS, 40 * 3 * THREADS)
    assert all(is_one_version(store, f"{number} {one}", number) for number in range(THREADS) for one in range(3))
    found = snapshot(store)
    for number in range(THREADS):  # a fresh ingest, in another order
        for one in range(3):
            assert not store.sync("docs", f"{number} {one}", version(number), edits.Counting()).wrote
    assert snapshot(store) == found


def test_hosts_avatars_and_datasets_are_made_once(store: Store) -> None:
    def work(number: int) -> tuple[Any, ...]:
        mine = store.for_host(f"host{number % 2}")
        main = mine.main_avatar()
        other = mine.create_avatar("ann", main=number > 3)
        made = mine.create_dataset("docs", avatar=other, exist_ok=True)
        mine.set_roles({"hr": {"dept": "hr"}})
        return main.id, other.id, made.id

    found = at_once(*(lambda number=number: work(number) for number in range(THREADS)))
    for number in range(2):
        mine = store.for_host(f"host{number}")
        assert [one.name for one in mine.avatars() if one.main] in (["ann"], ["main"])
        assert len(mine.avatars()) <= 2
        assert len(mine.datasets()) == 1
        assert list(mine.roles()) == ["hr"]
        assert len({made for _, _, made in found[number::2]}) == 1


def test_one_is_made_of_those_who_make_a_dataset_at_once(store: Store) -> None:
    from cantle_store import StoreError

    def work() -> bool:
        try:
            store.create_dataset("docs")
        except StoreError:
            return False
        return True

    assert sorted(at_once(*[work] * THREADS)) == [False] * (THREADS - 1) + [True]


def test_deleting_while_others_write(store: Store, edits: Any, snapshot: Callable[..., Any]) -> None:
    def writes(number: int) -> None:
        for round_ in range(4):
            store.sync("docs", f"{number}.md", version(round_), edits.Counting())
            store.sync("other", f"{number}.md", version(round_), edits.Counting())

    def deletes() -> None:
        for round_ in range(6):
            store.delete(f"{round_ % 3}.md")

    def drops() -> None:
        for _ in range(4):
            try:
                store.delete_dataset("docs")
            except NotFoundError:
                continue

    at_once(*(lambda number=number: writes(number) for number in range(3)), deletes, drops)
    held = snapshot(store)  # indexes, words and labels are sound
    documents = {row["id"] for row in held["documents"]}
    assert {row["document_id"] for row in held["chunks"]} <= documents
    for row in held["documents"]:
        assert row["chunks"] == sum(one["document_id"] == row["id"] for one in held["chunks"]) == 40
    for dataset in ("docs", "other"):
        for number in range(3):
            store.sync(dataset, f"{number}.md", version(9), edits.Counting())
    assert is_one_version(store, "0.md", 9)


def test_two_embedders_at_once_leave_vectors_of_one(store: Store) -> None:
    from cantle_store import DimensionError, EmbedderError

    class Fixed:
        def __init__(self, size: int) -> None:
            self.name, self.size = f"of {size}", size

        def embed(self, texts: Any) -> list[list[float]]:
            return [[1.0] * self.size for _ in texts]

    def work(size: int) -> bool:
        try:
            store.sync("docs", f"{size}.md", version(size), Fixed(size))
        except (EmbedderError, DimensionError):
            return False
        return True

    done = at_once(*(lambda size=size: work(size) for size in range(1, THREADS + 1)))
    assert sum(done) == 1
    size = 1 + done.index(True)
    assert (store.dataset("docs").embedder, store.dataset("docs").dimension) == (f"of {size}", size)
    assert {len(chunk.embedding or ()) for chunk in store.chunks("docs")} == {size}


def test_reembedding_while_others_write(store: Store, edits: Any) -> None:
    store.sync("docs", "a.md", version(0), edits.Counting())
    again = edits.Counting()

    def writes() -> None:
        for number in range(1, 6):
            store.sync("docs", f"{number}.md", version(number), edits.Counting())

    at_once(writes, lambda: store.reembed("docs", again))
    assert all(chunk.embedding == pytest.approx(edits.vector_of(chunk.text)) for chunk in store.chunks("docs"))
    assert store.dataset("docs").chunks == 240


def test_processes_write_the_same_documents(
    shared_urls: Callable[[], str], snapshot: Callable[..., Any], fresh: Callable[..., Any], edits: Any
) -> None:
    url, seeds, count = shared_urls(), (1, 2, 3), 8
    program = Path(__file__).with_name("store_writer.py")
    Store(url).close()
    writers = [
        subprocess.Popen(
            [sys.executable, str(program), url, str(seed), str(count)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for seed in seeds
    ]  # fmt: skip
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("x")
        writer.stdin.flush()
    answers = [writer.communicate() for writer in writers]
    assert [writer.returncode for writer in writers] == [0] * len(writers), answers
    done = [edits.edit(seed, number) for seed in seeds for number in range(count)]
    with Store(url) as store:
        found = snapshot(store)
        state = {}
        for dataset in store.datasets():  # every document is a version that somebody wrote, whole
            for document in store.documents(dataset):
                texts = [chunk.text for chunk in store.chunks(dataset, document.source)]
                fitting = [
                    one
                    for one in done
                    if (one.dataset, one.source, one.metadata) == (dataset.name, document.source, document.metadata)
                    and [chunk["text"] for chunk in one.chunks or []] == texts
                ]
                state[dataset.name, document.source] = fitting[0]
    ever = {one.dataset: one for one in done if one.chunks}
    assert found["chunks"] == fresh(state, ever.values())["chunks"]
    wanted = fresh(state, ever.values())
    assert {name: found[name] for name in wanted if name != "hosts"} == {
        name: wanted[name] for name in wanted if name != "hosts"
    }
