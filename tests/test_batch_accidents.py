"""Many documents: some hang, some kill their worker, some cannot be sent; what is counted, and what is shown."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cantle import Chunk, Chunks, MDocument, Source, chunk_many
from cantle.errors import (
    CantleError,
    CantleWarning,
    DocumentTimeoutError,
    OptionError,
    WorkerError,
    WorkerWarning,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers find this module only when they are forked")


@dataclass(frozen=True)
class Poisoned:
    """One chunk, unless the text says otherwise."""

    name: ClassVar[str] = "poisoned"

    def split(self, source: Source) -> Iterator[Chunk]:
        if "HANG" in source.text:
            re.match(r"(a|aa)+$", "a" * 60 + "b")  # the interpreter's lock is held, for hours
        if "DIE" in source.text:
            os._exit(3)
        if "SLOW" in source.text:
            time.sleep(0.1)
        if "FLOOD" in source.text:
            for i in range(100_000):
                warnings.warn(f"the {i}th", CantleWarning, stacklevel=1)
        yield Chunk(source.text, 0, len(source.text))


def of(*texts: str) -> list[MDocument]:
    return [MDocument.from_text(text, source=f"d{i}") for i, text in enumerate(texts)]


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("ordered", [True, False])
def test_poisoned_documents_cost_themselves(workers: int, ordered: bool) -> None:
    texts = [{7: "HANG", 20: "DIE", 33: "HANG DIE", 59: "DIE"}.get(i, "fine") for i in range(60)]
    docs = of(*texts)
    with pytest.warns(WorkerWarning, match="exit code 3"):
        results = list(chunk_many(docs, Poisoned, workers=workers, timeout=0.5, errors="collect", ordered=ordered))
    if not ordered:
        results.sort(key=lambda result: int(result.name[1:]))
    assert [result.document for result in results] == docs
    assert all(result.document is doc for result, doc in zip(results, docs, strict=True))
    kinds = {"HANG": DocumentTimeoutError, "HANG DIE": DocumentTimeoutError, "DIE": WorkerError}
    for result, text in zip(results, texts, strict=True):
        assert type(result.error) is kinds.get(text, type(None))
        assert (result.chunks is None) == (text != "fine")
        assert (result.characters, result.bytes) == (len(text), len(text))


def test_what_becomes_of_a_document_that_takes_too_long() -> None:
    docs = of("fine", "HANG", "fine")
    results = chunk_many(docs, Poisoned, timeout=0.3)
    assert next(results).name == "d0"
    with pytest.raises(DocumentTimeoutError, match=r"took longer than 0\.3 seconds") as caught:
        next(results)
    assert caught.value.__notes__ == ["The document is 'd1'."]
    assert not multiprocessing.active_children()
    with pytest.warns(CantleWarning, match="d1 was skipped: DocumentTimeoutError"):
        assert [r.name for r in chunk_many(docs, Poisoned, timeout=0.3, errors="skip")] == ["d0", "d2"]


def test_time_is_that_of_a_document_and_not_of_its_batch() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(r.ok for r in chunk_many(of(*["fine"] * 40, *["SLOW"] * 20), Poisoned, workers=2, timeout=1.5))


@pytest.mark.parametrize("ordered", [True, False])
def test_workers_that_are_killed_again_and_again_lose_and_double_nothing(ordered: bool) -> None:
    count, stop = 0, threading.Event()

    def given() -> Iterator[MDocument]:
        for i in range(4000):
            yield MDocument.from_text(f"{i} " * 300, source=f"d{i}")

    def kill() -> None:
        nonlocal count
        while not stop.wait(0.07) and count < 8:
            for child in multiprocessing.active_children()[:1]:
                if child.pid is not None:
                    os.kill(child.pid, signal.SIGKILL)
                    count += 1

    killer = threading.Thread(target=kill)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = chunk_many(
            given(), "recursive", max_size=100, overlap=0, workers=2, errors="collect", ordered=ordered
        )
        found = [next(results)]
        killer.start()
        for result in results:
            found.append(result)
            if len(found) % 400 == 0:
                time.sleep(0.05)
        stop.set()
        killer.join()
    names = [result.name for result in found]
    if not ordered:
        names.sort(key=lambda name: int(name[1:]))
    assert names == [f"d{i}" for i in range(4000)]
    # A document that two workers were killed at, one after another, is taken for the cause.
    assert sum(not result.ok for result in found) <= count // 2
    told = [w for w in caught if issubclass(w.category, WorkerWarning)]
    assert count >= 2
    assert 1 <= len(told) <= count
    for result in found:
        if result.ok:
            assert result.document is not None
            assert result.chunks == result.document.chunk("recursive", max_size=100, overlap=0)


def test_a_document_that_cannot_be_sent_costs_itself() -> None:
    docs = [
        MDocument("one", source="a"),
        MDocument("two", metadata={"lock": threading.Lock()}, source="b"),
        MDocument("three", source="c"),
    ]
    good, bad, other = chunk_many(docs, workers=2, errors="collect")
    assert good.ok
    assert other.ok
    assert (bad.name, bad.document) == ("b", docs[1])
    assert isinstance(bad.error, OptionError)
    assert "cannot be sent to worker processes" in str(bad.error)


def unsendable(chunks: Chunks) -> Any:
    return threading.Lock() if chunks.texts == ["two"] else len(chunks)


def test_an_answer_that_cannot_be_sent_back_costs_its_document() -> None:
    results = list(chunk_many(of("one", "two", "three"), workers=2, then=unsendable, errors="collect"))
    assert [result.value for result in results] == [1, None, 1]
    assert isinstance(results[1].error, CantleError)
    assert "cannot be sent back" in str(results[1].error)


def test_warnings_without_end_are_a_hundred() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        (result,) = chunk_many(of("FLOOD"), Poisoned, timeout=60)
    assert result.ok
    assert [str(w.message) for w in caught] == [f"the {i}th" for i in range(100)]


def test_what_is_counted(tmp_path: Path) -> None:
    texts = {"a.txt": "plain", "b.txt": "ação €😀", "c.txt": "x" * 1_500_000 + "é" * 1_500_000}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, "utf-8")
    items: list[Any] = [tmp_path / name for name in texts]
    items += [MDocument(text) for text in texts.values()]
    items += [MDocument("lone \ud800"), tmp_path / "missing", 7]
    expected = [(len(text), len(text.encode())) for text in texts.values()] * 2 + [(6, 8), (0, 0), (0, 0)]
    for arguments in ({"workers": 1}, {"workers": 2}, {"workers": 2, "then": len}):
        found = list(chunk_many(items, "character", errors="collect", max_size=1_000_000, overlap=0, **arguments))
        assert [(result.characters, result.bytes) for result in found] == expected


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_the_start_method_is_an_argument(method: str) -> None:
    docs = of(*["some words"] * 20)
    results = list(chunk_many(docs, max_size=5, overlap=0, workers=2, start_method=method))
    assert [result.chunks for result in results] == [doc.chunk(max_size=5, overlap=0) for doc in docs]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"timeout": -1}, "timeout must be a number greater than 0, got -1"),
        ({"timeout": "1"}, "timeout must be a number greater than 0, got '1'"),
        ({"start_method": "threads"}, "start_method must be one of"),
    ],
)
def test_wrong_options_are_raised_at_once(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        chunk_many([], **arguments)


def test_a_document_in_front_that_takes_long_is_not_waited_for(tmp_path: Path) -> None:
    """Others go on, for a while: see `test_pools.py` for how long."""
    done = tmp_path / "done"
    results = chunk_many(
        [MDocument(f"HOLD {done}"), *of(*["fine"] * 500)], Held, workers=2, then=Counted(str(done), 300), timeout=60
    )
    assert len(list(results)) == 501


@dataclass(frozen=True)
class Held:
    """Waits for a file."""

    name: ClassVar[str] = "held"

    def split(self, source: Source) -> Iterator[Chunk]:
        if source.text.startswith("HOLD "):
            while not Path(source.text[5:]).exists():
                time.sleep(0.01)
        yield Chunk(source.text, 0, len(source.text))


class Counted:
    """Makes the file when it was called so many times in one process."""

    def __init__(self, path: str, most: int) -> None:
        self.path, self.most, self.count = path, most, 0

    def __call__(self, chunks: Chunks) -> int:
        self.count += 1
        if self.count == self.most:
            Path(self.path).touch()
        return self.count


def test_the_bar_shows_what_is_done(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich's word for: take it for a terminal
    monkeypatch.setenv("COLUMNS", "160")
    docs = [MDocument("word " * 50_000, source=str(i)) for i in range(4)]
    for _ in chunk_many(docs, max_size=1000, overlap=0, progress=True):
        time.sleep(0.15)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", capfd.readouterr().err)
    assert re.search(r"Documents .* 4/4 \d+ chunks · 1\.0M characters · \d+\.\d MB/s", shown)
