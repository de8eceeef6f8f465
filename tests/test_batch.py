"""Many documents: order, errors, workers, back-pressure, accidents."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import re
import signal
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import cantle
from cantle import Chunk, Chunks, Cut, MDocument, Registry, Source, chunk_many
from cantle.errors import (
    CantleError,
    CantleWarning,
    DocumentError,
    ExtractionError,
    GuessedEncodingWarning,
    OptionError,
    UnknownStrategyError,
    WorkerWarning,
)

TEXT = "One line of text, and some more of it.\n\n"


def documents(count: int) -> list[MDocument]:
    return [MDocument.from_text(f"Document {i}. " + TEXT * (i % 7), source=f"d{i}") for i in range(count)]


@dataclass(frozen=True)
class Picky:
    """Cuts off the first ten characters; fails as the document's text asks."""

    name: ClassVar[str] = "picky"

    def split(self, source: Source) -> list[Chunk]:
        if source.text == "fail":
            raise ValueError("no such luck")
        if source.text == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if source.text == "odd":
            raise Odd("a", 1)
        if source.text == "warn":
            warnings.warn("careful", CantleWarning, stacklevel=2)
        return [Chunk(source.text[:10], 0, min(10, len(source.text)), metadata={"n": 1})]


class Odd(Exception):
    """Pickles, but does not come back: its arguments are not those of __init__."""

    def __init__(self, first: str, second: int) -> None:
        super().__init__(f"{first}{second}")


def of(*texts: str) -> list[MDocument]:
    return [MDocument.from_text(text, source=f"d{i}") for i, text in enumerate(texts)]


# -- results ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("strategy", ["recursive", Picky, Picky()])
def test_workers_give_the_same_results(strategy: Any, ordered: bool) -> None:
    docs = documents(60)
    options: dict[str, Any] = {"max_size": 60, "overlap": 10} if strategy == "recursive" else {}
    alone = list(chunk_many(docs, strategy, **options))
    together = list(chunk_many(docs, strategy, workers=2, ordered=ordered, **options))
    if not ordered:
        together.sort(key=lambda result: int(result.name[1:]))
    assert [r.name for r in together] == [d.source for d in docs]
    assert [r.chunks for r in together] == [r.chunks for r in alone] == [d.chunk(strategy, **options) for d in docs]
    assert [r.count for r in together] == [r.count for r in alone] == [len(r.chunks or ()) for r in alone]
    assert all(result.document is doc for result, doc in zip(together, docs, strict=True))
    assert {c.config_hash for r in together if (c := r.chunks)} == {docs[0].chunk(strategy, **options).config_hash}


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_every_way_to_start_processes(method: str, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import multiprocessing
        from cantle import MDocument, chunk_many

        if __name__ == "__main__":
            multiprocessing.set_start_method({method!r})
            docs = [MDocument.from_text(f"{{i}} " * 200, source=str(i)) for i in range(40)]
            docs[0].chunk("token", max_size=50)  # a tokenizer in use before processes start
            for result in chunk_many(docs, "token", max_size=50, workers=2):
                assert result.chunks == result.document.chunk("token", max_size=50)
            print("same")
        """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("same\n", "")


def test_paths_are_read_by_the_workers(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: A\n---\n# A\n")
    (tmp_path / "b.txt").write_bytes("ação".encode("cp1252"))
    paths: list[str | Path] = [tmp_path / "a.md", str(tmp_path / "b.txt"), tmp_path / "none.txt"]
    for workers in (1, 2):
        with pytest.warns(GuessedEncodingWarning, match=r"b\.txt is not UTF-8"):
            a, b, c = chunk_many(paths, workers=workers, errors="collect", read={"metadata": {"n": 1}})
        assert a.document is not None
        assert a.document.metadata == {"title": "A", "n": 1}
        assert b.chunks is not None
        assert b.chunks.texts == ["ação"]
        assert c.name == (tmp_path / "none.txt").as_posix()
        assert isinstance(c.error, FileNotFoundError)
        assert (c.document, c.chunks) == (None, None)


def count_characters(chunks: Chunks) -> int:
    return sum(map(len, chunks.texts))


@pytest.mark.parametrize("workers", [1, 2])
def test_then_is_done_where_the_chunks_are(workers: int) -> None:
    found = list(chunk_many(of("abc", "fail", "de"), Picky, workers=workers, then=count_characters, errors="collect"))
    assert [(r.value, r.count, r.chunks, r.ok) for r in found] == [
        (3, 1, None, True),
        (None, 0, None, False),
        (2, 1, None, True),
    ]


def test_no_documents() -> None:
    assert list(chunk_many([])) == list(chunk_many(iter(()), workers=2)) == []


# -- errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("workers", [1, 2])
def test_collect_keeps_the_others(workers: int) -> None:
    results = list(chunk_many(of("one", "fail", "odd", "two"), Picky, workers=workers, errors="collect"))
    assert [r.ok for r in results] == [True, False, False, True]
    assert isinstance(results[1].error, ValueError)
    assert "a1" in str(results[2].error)
    assert results[1].document is not None


@pytest.mark.parametrize("workers", [1, 2])
def test_raise_gives_what_came_before_and_names_the_document(workers: int) -> None:
    results = chunk_many(of("one", "fail", "two"), Picky, workers=workers)
    assert next(results).name == "d0"
    with pytest.raises(ValueError, match="no such luck") as caught:
        next(results)
    assert caught.value.__notes__ == ["The document is 'd1'."]


@pytest.mark.parametrize("workers", [1, 2])
def test_skip_warns(workers: int) -> None:
    with pytest.warns(CantleWarning, match="d1 was skipped: ValueError: no such luck"):
        assert [r.name for r in chunk_many(of("one", "fail", "two"), Picky, workers=workers, errors="skip")] == [
            "d0",
            "d2",
        ]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_generator_loses_nothing_before_it(workers: int) -> None:
    def failing() -> Iterator[MDocument]:
        yield from documents(9)
        raise RuntimeError("the source ran dry")

    results = chunk_many(failing(), workers=workers)
    assert [next(results).name for _ in range(9)] == [f"d{i}" for i in range(9)]
    with pytest.raises(RuntimeError, match="the source ran dry"):
        next(results)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize("ordered", [True, False])
def test_a_worker_that_dies_costs_one_document(ordered: bool) -> None:
    docs = of(*["fine"] * 20, "die", *["fine"] * 20, "die")
    with pytest.warns(WorkerWarning, match=r"died \(SIGKILL\) while it worked on \d+ documents?\."):
        results = list(chunk_many(docs, Picky, workers=2, errors="collect", ordered=ordered))
    assert len(results) == len(docs)
    assert {r.name for r in results if not r.ok} == {"d20", "d41"}
    assert all("the worker process died" in str(r.error) for r in results if not r.ok)


@pytest.mark.parametrize("workers", [1, 2])
def test_warnings_come_through_once(workers: int) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        assert len(list(chunk_many(of("warn", "warn", "fine"), Picky, workers=workers))) == 3
    assert [str(w.message) for w in caught] == ["careful"]


def test_warnings_that_are_errors_are_the_documents() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for workers in (1, 2):
            results = list(chunk_many(of("fine", "warn"), Picky, workers=workers, errors="collect"))
            assert [type(r.error) for r in results] == [type(None), CantleWarning]


# -- options ----------------------------------------------------------------------------------------


def nothing() -> Iterator[MDocument]:
    raise AssertionError("no document is read before the options are checked")
    yield


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"strategy": "recursve"}, UnknownStrategyError, "recursve"),
        ({"max_sise": 5}, OptionError, "Did you mean 'max_size'"),
        ({"strategy": "token", "max_size": 0}, OptionError, "max_size must be a number greater than 0"),
        ({"workers": 0}, OptionError, "workers must be an integer of at least 1, got 0"),
        ({"workers": True}, OptionError, "workers"),
        ({"errors": "ignore"}, OptionError, "errors must be one of 'raise', 'collect', 'skip'"),
        ({"read": {"source": "a"}}, OptionError, "a name in read must be one of"),
        ({"workers": 2, "length_function": lambda text: 1}, OptionError, "at the top level of a module"),
        ({"plugins": "acme"}, OptionError, "plugins must be a Registry or None, got 'acme'"),
        ({"extract": ["title"]}, OptionError, "extract must map fields to options"),
        ({"extract": {"no-such": True}}, ExtractionError, "No plugin extracts the field 'no-such'"),
    ],
)
def test_wrong_options_are_raised_at_once(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        chunk_many(nothing(), errors=arguments.pop("errors", "collect"), **arguments)


@pytest.mark.parametrize("one", ["a.md", Path("a.md"), MDocument.from_text("a"), b"a"])
def test_a_single_document_is_a_mistake(one: Any) -> None:
    with pytest.raises(OptionError, match="Put it into a list"):
        chunk_many(one)


def test_a_directory_says_how_to_give_its_files(tmp_path: Path) -> None:
    hint = re.escape(f"got the directory {str(tmp_path)!r}. Give its files, for example Path({str(tmp_path)!r}).rglob(")
    for one in (tmp_path, str(tmp_path)):
        with pytest.raises(OptionError, match=hint):
            chunk_many(one)  # type: ignore[arg-type]
        with pytest.raises(DocumentError, match=hint):
            list(chunk_many([one]))


def test_what_is_no_document_is_that_items_error() -> None:
    (result,) = chunk_many([42], errors="collect")  # type: ignore[list-item]
    assert isinstance(result.error, OptionError)
    assert "got int" in str(result.error)


class Plug:
    """A plugin that is an object, which pickles."""

    @cantle.hookimpl
    def register_strategies(self) -> list[type[Any]]:
        return [Picky]

    @cantle.hookimpl
    def register_length_functions(self) -> dict[str, Any]:
        return {"length-of-plug": lambda: len}


@pytest.mark.parametrize("workers", [1, 2])
def test_a_registry_of_ones_own_goes_to_the_workers(workers: int) -> None:
    host = Registry({"plug": Plug(), "recursive": "cantle.strategies.recursive"})
    results = list(chunk_many(of("one", "two"), "picky", plugins=host, workers=workers))
    assert [r.chunks.texts for r in results if r.chunks] == [["one"], ["two"]]
    sizes = {"length_function": "length-of-plug", "max_size": 3, "overlap": 0}
    for strategy in ("recursive", None):
        results = list(chunk_many(of("one two"), strategy, plugins=host, workers=workers, **sizes))
        assert [r.chunks.texts for r in results if r.chunks] == [["one", "two"]]


# -- flow -------------------------------------------------------------------------------------------


def test_documents_are_not_read_far_ahead() -> None:
    given = 0

    def endless() -> Iterator[MDocument]:
        nonlocal given
        while True:
            given += 1
            yield MDocument.from_text(TEXT)

    results = chunk_many(endless(), workers=2)
    for taken in range(1, 200):
        next(results)
        assert given - taken <= 5 * 64
    results.close()
    assert not multiprocessing.active_children()


def test_large_documents_are_batches_of_their_own() -> None:
    given = 0

    def large() -> Iterator[MDocument]:
        nonlocal given
        for _ in range(40):
            given += 1
            yield MDocument.from_text("word " * 60_000)

    results = chunk_many(large(), workers=2)
    for taken in range(1, 20):
        next(results)
        assert given - taken <= 4
    results.close()


@pytest.mark.parametrize(
    ("name", "value"), [("content", "cleaned"), ("overlap", 2), ("cut", Cut("mine", 0)), ("path", ("a",)), ("end", 9)]
)
def test_what_was_changed_in_a_chunk_is_sent(name: str, value: Any) -> None:
    chunks = MDocument.from_text("one two three four").chunk("recursive", max_size=8, overlap=0)
    setattr(chunks[1], name, value)
    sent = pickle.loads(pickle.dumps(chunks))
    assert sent == chunks
    assert getattr(sent[1], name) == value


def test_chunks_pickle_small_and_whole() -> None:
    doc = MDocument.from_text(TEXT * 500, metadata={"deep": {"list": [1, 2]}}, source="a")
    chunks = doc.chunk(max_size=60, overlap=20)
    list(chunks)
    data = pickle.dumps(chunks)
    assert len(data) < 2 * len(doc.text)
    back = pickle.loads(data)
    assert back == chunks
    assert (back[3].key, back[3].id, back.config_hash) == (chunks[3].key, chunks[3].id, chunks.config_hash)
    chunks[0].metadata["mine"] = True
    chunks[1].embedding = [0.5]
    back = pickle.loads(pickle.dumps(chunks))
    assert back[0].metadata == {"deep": {"list": [1, 2]}, "mine": True}
    assert back[1].embedding == [0.5]
    made = Chunks(doc, [Chunk("x: One", 0, 3, spans=((0, 3),), prefix="> ", path=("a",), metadata={"k": 1})])
    assert pickle.loads(pickle.dumps(made)) == made


def test_progress_goes_to_standard_error_only(capfd: pytest.CaptureFixture[str]) -> None:
    for result in chunk_many(documents(3), progress=True):
        print(result.name)
    out, err = capfd.readouterr()
    assert out == "d0\nd1\nd2\n"
    assert err == ""  # no terminal


def test_the_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich's word for: take it for a terminal
    for result in chunk_many(documents(3), progress=True):
        print(result.name)
    out, err = capfd.readouterr()
    assert out == "d0\nd1\nd2\n"
    assert "Documents" in err


@pytest.mark.skipif(os.name == "nt", reason="needs process groups")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_ends_workers_at_once(workers: int, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        import itertools
        from cantle import MDocument, chunk_many

        if __name__ == "__main__":
            doc = MDocument.from_text("some words " * 20_000)
            try:
                for i, result in enumerate(chunk_many(itertools.repeat(doc), workers={workers})):
                    if i == 3:
                        print("ready", flush=True)
            except KeyboardInterrupt:
                print("stopped", flush=True)
        """)
    )
    process = subprocess.Popen(
        [sys.executable, str(script)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # what runs in the background may ignore it
    )
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "ready\n"
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    assert (out, err, process.returncode) == ("stopped\n", "", 0)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_workers_do_not_outlive_a_parent_that_was_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent("""
        import itertools, os, signal
        from cantle import MDocument, chunk_many

        if __name__ == "__main__":
            results = chunk_many(itertools.repeat(MDocument.from_text("some words")), workers=3)
            next(results)
            os.kill(os.getpid(), signal.SIGKILL)
        """)
    )
    # The pipe ends only when all who hold it have ended, the workers too.
    done = subprocess.run([sys.executable, str(script)], capture_output=True, timeout=20)
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")


def test_the_error_of_a_lost_worker_is_cantles() -> None:
    with pytest.warns(WorkerWarning), pytest.raises(CantleError, match="worker"):
        list(chunk_many(of("die"), Picky, workers=2))


def test_without_a_strategy_an_option_of_any_kind_is_taken() -> None:
    page = MDocument.from_html("<h1>A</h1>x<table><tr><td>1<td>2</table>")
    (result,) = chunk_many([page], tables="markdown")
    assert result.chunks is not None
    assert result.chunks.texts == page.chunk(tables="markdown").texts
    (result,) = chunk_many([MDocument.from_json('{"a": [1, 2]}')], min_size=5)
    assert result.chunks is not None
    with pytest.raises(OptionError, match="has no option 'tabels'"):
        list(chunk_many([page], tabels="markdown"))
    with pytest.raises(OptionError, match="max_size must be"):
        list(chunk_many([page], max_size=-1))
