"""`contextualize`: clients, the order of calls, failures, what is skipped."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import threading
import time
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from scripted_clients import (
    CLIENTS,
    COUNTS,
    DOCUMENT,
    TEMPLATE,
    WAYS,
    Client,
    Later,
    chunks_of,
    dictionaries,
    run_async,
)

from cantle import acontextualize, contextualize
from cantle.context.notes.notes import text_of
from cantle.errors import ContextWarning, OptionError

# Clients and ways to call them


@WAYS
@CLIENTS
@COUNTS
def test_every_client_every_way(run: Any, kind: type[Client], concurrency: int) -> None:
    chunks, client = dictionaries(5), kind()
    assert run(client, DOCUMENT, chunks, template=TEMPLATE, concurrency=concurrency) is chunks
    assert [c["context"] for c in chunks] == [f"note of block {i}" for i in range(5)]
    assert [c["text"] for c in chunks] == [f"# T\n\nnote of block {i}\n\nblock {i}" for i in range(5)]
    assert sorted(client.users) == [f"{DOCUMENT}|block {i}" for i in range(5)]
    assert client.options == [{"temperature": 0.0}] * 5
    assert [c["id"] for c in chunks] == [f"d#{i}" for i in range(5)]


@CLIENTS
def test_one_after_another_goes_in_order(kind: type[Client]) -> None:
    client = kind()
    contextualize(client, DOCUMENT, dictionaries(20), template=TEMPLATE)
    assert client.users == [f"{DOCUMENT}|block {i}" for i in range(20)]


def test_an_ordinary_client_is_called_in_the_calling_thread() -> None:
    threads = []

    def answer(user: str) -> str:
        threads.append(threading.current_thread())
        return "n"

    contextualize(Client(answer), DOCUMENT, dictionaries())
    assert threads == [threading.current_thread()] * 3


def test_coroutines_of_one_run_share_a_loop_and_see_the_callers_context() -> None:
    from contextvars import ContextVar

    tenant: ContextVar[str] = ContextVar("tenant", default="none")
    seen = []

    class Looking:
        async def complete(self, messages: Any, **options: Any) -> str:
            seen.append((asyncio.get_running_loop(), tenant.get()))
            return "n"

    tenant.set("acme")
    contextualize(Looking(), DOCUMENT, dictionaries(6), concurrency=3)
    assert len({id(loop) for loop, _ in seen}) == 1
    assert {name for _, name in seen} == {"acme"}
    assert not [t for t in threading.enumerate() if t.name.startswith("cantle-notes")]


@pytest.mark.parametrize("run", [contextualize, run_async])
@pytest.mark.parametrize("kind", [Client, Later])
def test_concurrency_is_bounded_reached_and_changes_nothing(run: Any, kind: type[Client]) -> None:
    now, most, lock = 0, 0, threading.Lock()

    class Slow:
        def enter(self) -> None:
            nonlocal now, most
            with lock:
                now += 1
                most = max(most, now)

        def leave(self, messages: Any) -> str:
            nonlocal now
            with lock:
                now -= 1
            return f"note of {messages[-1]['content'].rpartition('|')[2]}"

    class Blocking(Slow):
        def complete(self, messages: Any, **options: Any) -> str:
            self.enter()
            time.sleep(0.005 * (len(messages[-1]["content"]) % 3))
            return self.leave(messages)

    class Waiting(Slow):
        async def complete(self, messages: Any, **options: Any) -> str:
            self.enter()
            await asyncio.sleep(0.005 * (len(messages[-1]["content"]) % 3))
            return self.leave(messages)

    made = dictionaries(12)
    for i, chunk in enumerate(made):
        chunk["content"] = "on" + "x" * i
    expected = contextualize(Client(), DOCUMENT, [dict(chunk) for chunk in made], template=TEMPLATE)
    client = Blocking() if kind is Client else Waiting()
    assert run(client, DOCUMENT, made, template=TEMPLATE, concurrency=4) == expected
    assert 2 <= most <= 4


@WAYS
@pytest.mark.parametrize("kind", [Client, Later])
def test_no_client_or_one_that_is_not_ready(run: Any, kind: type[Client]) -> None:
    class Attribute(kind):  # type: ignore[valid-type, misc]
        ready = False

    class Method(kind):  # type: ignore[valid-type, misc]
        def is_ready(self) -> bool:
            return False

    class Coroutine(kind):  # type: ignore[valid-type, misc]
        async def is_ready(self) -> bool:
            return False

    for client in (None, Attribute(), Method(), Coroutine()):
        before = dictionaries()
        given: list[dict[str, Any]] = [dict(chunk) for chunk in before]
        with pytest.warns(ContextWarning, match="the chunks stay without notes"):
            assert run(client, DOCUMENT, given) is given
        assert given == before
        chunks = chunks_of("a", "b")
        with pytest.warns(ContextWarning, match="no client|not ready"):
            assert run(client, None, chunks) is chunks


@WAYS
def test_a_client_that_says_it_is_ready(run: Any) -> None:
    client = Client()
    client.is_ready = lambda: True  # type: ignore[attr-defined]
    assert run(client, DOCUMENT, dictionaries(1))[0]["context"]


@pytest.mark.parametrize("client", [object(), "gpt-4o", lambda messages: "n"])
def test_what_is_no_client(client: Any) -> None:
    with pytest.raises(OptionError, match=r"^client must have a method complete\(messages, \*\*options\)"):
        contextualize(client, DOCUMENT, dictionaries())


@WAYS
def test_nothing_to_do(run: Any) -> None:
    client, empty = Client(), list[dict[str, Any]]()
    assert run(client, DOCUMENT, empty) is empty
    assert run(client, DOCUMENT, None) is None
    assert run(None, DOCUMENT, empty) is empty
    nothing = chunks_of()
    assert run(client, None, nothing) is nothing
    assert not client.messages


def test_many_threads_have_their_own_runs() -> None:
    client, results = Client(), {}

    def work(n: int) -> None:
        results[n] = contextualize(client, f"block 0 {n}", dictionaries(8), template="{document}|{document} {chunk}")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for n in range(6):
        assert [c["context"] for c in results[n]] == [f"note of block 0 {n} block {i}" for i in range(8)]


# Real HTTP


@pytest.fixture
def server() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The chat completions of OpenAI's protocol on this machine; the third request fails."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            failing = len(asked) == 3
            message = {"role": "assistant", "content": f"  nota nº {len(asked)}\n"}
            body = json.dumps({"error": "busy"} if failing else {"choices": [{"message": message}]}).encode()
            self.send_response(503 if failing else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        thread = threading.Thread(target=http.serve_forever, args=(0.01,))
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}/v1/chat/completions", asked
        http.shutdown()
        thread.join()


class Http:
    def __init__(self, url: str) -> None:
        self.url = url

    def complete(self, messages: list[dict[str, str]], **options: Any) -> str:
        body = json.dumps({"messages": messages, **options}).encode()
        request = urllib.request.Request(self.url, body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=10) as answer:
            return str(json.load(answer)["choices"][0]["message"]["content"])


def test_over_http(server: tuple[str, list[dict[str, Any]]]) -> None:
    url, asked = server
    chunks = dictionaries(4)
    with pytest.warns(ContextWarning, match=r"^No note for chunk d#2: HTTPError: HTTP Error 503"):
        contextualize(Http(url), "Ação: block 0.", chunks, model="m")
    assert [c["context"] for c in chunks] == ["nota nº 1", "nota nº 2", "", "nota nº 4"]
    assert [(a["model"], a["temperature"]) for a in asked] == [("m", 0.0)] * 4
    assert all([m["role"] for m in a["messages"]] == ["system", "user"] for a in asked)


# What is skipped


def test_what_has_a_note_or_no_content_is_skipped() -> None:
    chunks = [*dictionaries(1, context="old", text="as it was"), *dictionaries(1, content=" \n"), *dictionaries(1)]
    before = [dict(chunk) for chunk in chunks]
    client = Client()
    contextualize(client, DOCUMENT, chunks, template=TEMPLATE)
    assert chunks[:2] == before[:2]
    assert len(client.messages) == 1
    contextualize(client, DOCUMENT, chunks, template=TEMPLATE, skip_if_present=False)
    assert len(client.messages) == 3
    assert chunks[0]["text"] == "# T\n\nnote of block 0\n\nblock 0"


def test_dictionaries_may_hold_little() -> None:
    chunks = [{"content": "c"}]
    contextualize(Client(), "c d", chunks, template=TEMPLATE)
    assert chunks == [{"content": "c", "context": "note of c", "text": "note of c\n\nc"}]


@pytest.mark.parametrize(
    ("embed", "context", "expected"),
    [
        ("full", "n", "# H\n\nn\n\nc"),
        ("full", "", "# H\n\nc"),
        ("context", "n", "# H\n\nn"),
        ("context", "", "# H\n\nc"),
        ("content", "n", "c"),
        ("content", "", "c"),
    ],
)
def test_the_text_of_a_chunk(embed: str, context: str, expected: str) -> None:
    assert text_of("# H", context, "c", embed) == expected
    assert text_of("", context, "c", embed) == expected.removeprefix("# H\n\n")


# Failures


@WAYS
@COUNTS
@pytest.mark.parametrize("kind", [Client, Later])
@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        (ValueError("bad key"), "ValueError: bad key"),
        ("", "the answer is empty"),
        (" \n", "the answer is empty"),
        (None, "the answer is empty"),
        (3, r"TypeError: complete\(\) must give a str, got int"),
    ],
)
def test_a_failure_is_named_and_stops_nothing(
    run: Any, concurrency: int, kind: type[Client], answer: Any, cause: str, caplog: pytest.LogCaptureFixture
) -> None:
    client = kind(lambda user: "n" if "block 1" in user else answer)
    chunks = dictionaries()
    with (
        caplog.at_level(logging.WARNING, "cantle"),
        pytest.warns(ContextWarning, match=rf"^No note for chunk d#0: {cause}\.$"),
        pytest.warns(ContextWarning, match=rf"^No note for chunk d#2: {cause}\.$"),
        pytest.warns(ContextWarning, match=r"^2 of 3 chunks have no note\. Call contextualize again with what"),
    ):
        run(client, DOCUMENT, chunks, template=TEMPLATE, concurrency=concurrency)
    assert [c["context"] for c in chunks] == ["", "n", ""]
    assert chunks[0] == dictionaries()[0]
    assert len(client.messages) == 3
    logged = [r.getMessage().partition(":")[0] for r in caplog.records]
    assert (sorted(logged) if concurrency > 1 else logged) == ["No note for chunk d#0", "No note for chunk d#2"]


ALIKE = r"The first calls all failed with ValueError; fail_fast=True stops at the first error\."


def summary(caught: pytest.WarningsRecorder) -> list[str]:
    return [str(warning.message) for warning in caught if "have no note" in str(warning.message)]


@WAYS
@COUNTS
@pytest.mark.parametrize("kind", [Client, Later])
def test_calls_that_all_fail_are_summed_up(run: Any, concurrency: int, kind: type[Client]) -> None:
    client = kind(lambda user: ValueError("wrong key"))
    with pytest.warns(ContextWarning) as caught:
        run(client, DOCUMENT, dictionaries(11), concurrency=concurrency)
    assert len(client.messages) == 11
    assert len(caught) == 12
    (message,) = summary(caught)
    assert re.match(rf"11 of 11 chunks have no note\. {ALIKE} Call contextualize again", message)
    assert "have no note" in str(caught[-1].message)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ([ValueError()] * 5 + ["n"] * 3, "5 of 8 chunks have no note. The first calls all"),
        (["n"] + [ValueError()] * 7, "7 of 8 chunks have no note. Call"),
        ([ValueError()] * 4 + ["n"] + [ValueError()] * 3, "7 of 8 chunks have no note. Call"),
        ([ValueError()] * 4 + [KeyError()] * 4, "8 of 8 chunks have no note. Call"),
        ([""] * 8, "8 of 8 chunks have no note. Call"),
        ([ValueError()] * 2 + ["n"] * 6, "2 of 8 chunks have no note. Call"),
        ([ValueError()] + ["n"] * 7, None),
    ],
)
def test_advice_is_given_where_it_helps(answers: list[Any], expected: str | None) -> None:
    script = iter(answers)
    with pytest.warns(ContextWarning) as caught:
        contextualize(Client(lambda user: next(script)), DOCUMENT, dictionaries(8))
    messages = summary(caught)
    assert len(messages) == (expected is not None)
    assert expected is None or messages[0].startswith(expected)


def test_notes_of_an_earlier_run_are_no_success_of_this_one(tmp_path: Path) -> None:
    contextualize(Client(lambda user: "n"), DOCUMENT, dictionaries(8)[:2], resume=tmp_path / "n")
    with pytest.warns(ContextWarning) as caught:
        contextualize(
            Client(lambda user: ValueError()), DOCUMENT, dictionaries(8), resume=tmp_path / "n", skip_if_present=False
        )
    (message,) = summary(caught)
    assert re.fullmatch(rf"6 of 8 chunks have no note\. {ALIKE}", message)


def test_the_warning_points_at_the_caller() -> None:
    async def wait() -> None:
        await acontextualize(Client(lambda user: ""), DOCUMENT, dictionaries(1), concurrency=2)

    with pytest.warns(ContextWarning) as caught:
        contextualize(Client(lambda user: ""), DOCUMENT, dictionaries(1), concurrency=2)
    with pytest.warns(ContextWarning) as later:
        asyncio.run(wait())
    assert [warning.filename for warning in [*caught, *later]] == [__file__] * 2


@WAYS
@pytest.mark.parametrize("kind", [Client, Later])
def test_fail_fast_raises_and_keeps_what_was_made(run: Any, kind: type[Client], tmp_path: Path) -> None:
    client, chunks = kind(lambda user: ValueError("no") if "block 2" in user else "n"), dictionaries(5)
    with pytest.raises(ValueError, match=r"^no$"):
        run(client, DOCUMENT, chunks, template=TEMPLATE, fail_fast=True, resume=tmp_path / "n")
    assert [c["context"] for c in chunks] == ["n", "n", "", "", ""]
    assert len(client.messages) == 3
    assert len((tmp_path / "n").read_text().splitlines()) == 2


class Spent(Exception):
    is_fatal = True


@WAYS
@COUNTS
@pytest.mark.parametrize("kind", [Client, Later])
def test_a_fatal_error_ends_the_run_and_keeps_what_was_made(run: Any, kind: type[Client], concurrency: int) -> None:
    client = kind(lambda user: Spent("the limit is reached") if user[-1] in "23456789" else "n")
    chunks = chunks_of(*(f"block {i}" for i in range(10)))
    with pytest.warns(ContextWarning) as warned:
        found = run(client, None, chunks, template="{chunk}", concurrency=concurrency)
    assert [chunk.metadata.get("context") for chunk in found] == ["n", "n", *[None] * 8]
    assert len(client.messages) <= 2 + concurrency
    assert [str(one.message) for one in warned] == [
        "8 of 10 chunks have no note. The run was stopped by Spent: the limit is reached. Call contextualize again "
        "with what came back: only these chunks are asked for."
    ]


def test_a_fatal_error_with_fail_fast_is_raised() -> None:
    with pytest.raises(Spent, match="limit"):
        contextualize(Client(lambda user: Spent("limit")), DOCUMENT, dictionaries(3), fail_fast=True)


@pytest.mark.parametrize("run", [contextualize, run_async])
def test_fail_fast_waits_for_what_is_under_way(run: Any) -> None:
    gate = threading.Barrier(3)

    def answer(user: str) -> Any:
        gate.wait(10)  # all three are under way
        number = int(user[-1])
        time.sleep((0.05, 0, 0.05)[number])
        return ValueError(f"no {number}") if number else "n"

    client, chunks = Client(answer), dictionaries(9)
    with pytest.raises(ValueError, match=r"^no 1$"):
        run(client, DOCUMENT, chunks, template=TEMPLATE, fail_fast=True, concurrency=3)
    assert len(client.messages) == 3
    assert [c["context"] for c in chunks[:3]] == ["n", "", ""]


def test_an_empty_answer_is_no_error_for_fail_fast() -> None:
    chunks = dictionaries(2)
    with pytest.warns(ContextWarning):
        contextualize(Client(lambda user: "" if "block 0" in user else "n"), "block 1", chunks, fail_fast=True)
    assert chunks[1]["context"] == "n"


@COUNTS
def test_an_interruption_keeps_what_was_made(concurrency: int) -> None:
    done = []

    def progress(n: int, total: int) -> None:
        done.append(n)
        if n == 2:
            raise KeyboardInterrupt

    chunks = dictionaries(9)
    with pytest.raises(KeyboardInterrupt):
        contextualize(Client(lambda user: "n"), DOCUMENT, chunks, progress=progress, concurrency=concurrency)
    assert done == [1, 2]
    assert 2 <= sum(bool(c["context"]) for c in chunks) <= 1 + concurrency


def test_a_note_that_comes_after_cancelling_is_saved(tmp_path: Path) -> None:
    started, go = threading.Event(), threading.Event()

    def answer(user: str) -> str:
        started.set()
        go.wait(10)
        return "late"

    async def main() -> None:
        task = asyncio.create_task(acontextualize(Client(answer), DOCUMENT, dictionaries(3), resume=tmp_path / "n"))
        await asyncio.to_thread(started.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    go.set()
    until = time.monotonic() + 10
    while not (tmp_path / "n").read_bytes() and time.monotonic() < until:
        time.sleep(0.005)
    assert json.loads((tmp_path / "n").read_text())["note"] == "late"


def test_more_calls_at_once_than_the_loop_has_threads() -> None:
    gate = threading.Barrier(40)
    chunks = run_async(Client(lambda user: f"n {gate.wait(10)}"), DOCUMENT, dictionaries(40), concurrency=40)
    assert {c["context"] for c in chunks} == {f"n {i}" for i in range(40)}


def test_cancelling_cancels_what_is_under_way() -> None:
    cancelled = []

    class Hangs:
        async def complete(self, messages: Any, **options: Any) -> str:
            try:
                if "block 0" in messages[-1]["content"]:
                    return "n"
                await asyncio.sleep(60)
            except asyncio.CancelledError:
                cancelled.append(1)
                raise
            raise AssertionError

    chunks = dictionaries(5)

    async def main() -> None:
        task = asyncio.create_task(acontextualize(Hangs(), "block 1", chunks, concurrency=2))
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert len(cancelled) == 2
    assert [bool(c["context"]) for c in chunks] == [True, False, False, False, False]
