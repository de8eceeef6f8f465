"""Recorded answers: paid for once, found again, replayed as they were, whatever happens to the file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import OptionError
from cantle_llm import AnswerError, Client, ModelError, ModelWarning, RefusedError
from cantle_llm.client.answers import Answers, key_of
from cantle_llm.model.protocol import Request
from cantle_llm.testing import Asked, Fault, ScriptedServer

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


def user(text: str = "hello") -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "sub" / "answers.jsonl"


def test_an_answer_is_paid_for_once(path: Path) -> None:
    with ScriptedServer(lambda asked: f"<{asked.prompt}>") as server:
        for _ in range(2):
            with Client("m", base_url=server.url, answers=path) as client:
                run = client.run("x")
                assert [run.complete(user(name)) for name in "aba"] == ["<a>", "<b>", "<a>"]
    assert len(server.requests) == 2
    assert (run.replayed, run.ledger.usage.calls, client.usage.total_tokens) == (3, 0, 0)
    used = run.recorded_usage
    assert (used.source, used.calls, used.input_tokens, used.output_tokens) == ("recorded", 3, 3, 3)
    assert client.recorded_usage == used
    assert client.cost.total_cost == 0
    assert "hello" not in path.read_text()
    assert path.read_text().count("\n") == 2


def test_what_the_key_depends_on() -> None:
    base = Request(messages=({"role": "user", "content": "x"},), model="m", temperature=0.0)
    others = [
        Request(messages=({"role": "system", "content": "x"},), model="m", temperature=0.0),
        Request(messages=({"role": "user", "content": "y"},), model="m", temperature=0.0),
        Request(messages=({"role": "user", "content": "\udc00"},), model="m", temperature=0.0),
        Request(messages=({"role": "user", "content": "\ufffd"},), model="m", temperature=0.0),
        Request(messages=base.messages, model="n", temperature=0.0),
        Request(messages=base.messages, model="m", temperature=0.5),
        Request(messages=base.messages, model="m", temperature=None),
        Request(messages=base.messages, model="m", temperature=0.0, schema={}),
        Request(messages=base.messages, model="m", temperature=0.0, schema=SCHEMA),
    ]
    assert len({key_of(request) for request in [base, *others]}) == 10
    same = Request(messages=base.messages, model="m", temperature=0.0, max_output_tokens=9, schema_name="z")
    assert key_of(same) == key_of(base)


def test_a_failure_is_replayed_as_it_was_and_asked_for_again_otherwise(path: Path) -> None:
    faults = {
        "refusal": (Fault.refusal("I will not."), "refused"),
        "malformed": ("nonsense", "malformed"),
        "rate": (Fault.http(429), "rate_limited"),
        "length": (Fault.truncated('{"a'), "truncated"),
    }
    with (
        ScriptedServer(lambda asked: faults[asked.prompt][0]) as server,
        Client("m", base_url=server.url, answers=path, retries=0, reasks=0) as client,
    ):
        first = [failure(client, name) for name in faults]
    assert [error.reason for error in first] == [reason for _, reason in faults.values()]
    with Client("m", answers=path, replay=True) as client:
        run = client.run("x")
        again = [failure(run, name) for name in faults]
        assert [(type(error), str(error)) for error in again] == [(type(error), str(error)) for error in first]
        assert isinstance(again[0], RefusedError)
        assert "I will not." in str(again[0])
        assert failure(run, "other").reason == "not_recorded"
        assert run.recorded_usage.calls == 3
        assert run.ledger.usage.calls == 0
    with ScriptedServer(lambda asked: {"a": 1}) as server:
        with Client("m", base_url=server.url, answers=path, retries=0) as client:
            assert [client.structured(user(name), SCHEMA) for name in faults] == [{"a": 1}] * 4
            assert [client.structured(user(name), SCHEMA) for name in faults] == [{"a": 1}] * 4
        assert len(server.requests) == 4
    with Client("m", answers=path, replay=True) as client:
        assert [client.structured(user(name), SCHEMA) for name in faults] == [{"a": 1}] * 4


def failure(asking: Any, name: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        asking.structured(user(name), SCHEMA)
    return caught.value


def test_a_fatal_failure_is_not_recorded(path: Path) -> None:
    with (
        ScriptedServer(lambda asked: Fault.http(401)) as server,
        Client("m", base_url=server.url, answers=path, api_key="sk-secret") as client,
    ):
        assert failure(client, "x").reason == "unauthorized"
    assert not path.exists()


def test_a_failure_after_an_answer_does_not_hide_it(path: Path) -> None:
    answers = Answers(path)
    answers.add("k", "good")
    answers.fail("k", "timeout", "")
    assert answers.get("k") is not None
    for held in (answers.get("k"), Answers(path).get("k")):
        assert held is not None
        assert (held.answer, held.reason) == ("good", "")


def test_a_recorded_answer_that_is_of_no_use_any_more_is_not_there(path: Path) -> None:
    def newer(value: Any) -> Any:
        if "b" not in value:
            raise AnswerError("invalid", "b is missing")
        return value

    with (
        ScriptedServer([{"a": 1}, {"a": 1, "b": 2}]) as server,
        Client("m", base_url=server.url, answers=path) as client,
    ):
        client.structured(user(), SCHEMA)
        with Client("m", answers=path, replay=True) as replaying:
            with pytest.raises(ModelError, match=r"The recorded one cannot be used: .* b is missing") as caught:
                replaying.structured(user(), SCHEMA, check=newer)
            assert caught.value.reason == "not_recorded"
        assert client.structured(user(), SCHEMA, check=newer) == {"a": 1, "b": 2}
        assert client.structured(user(), SCHEMA) == {"a": 1, "b": 2}
    assert len(server.requests) == 2


def test_the_cost_of_an_answer_is_that_of_all_its_tries(path: Path) -> None:
    with (
        ScriptedServer(["no", {"a": 1}], usage=lambda asked, text: (10, 5)) as server,
        Client("m", base_url=server.url, answers=path) as client,
    ):
        client.structured(user(), SCHEMA)
    with Client("m", answers=path, replay=True) as client:
        client.structured(user(), SCHEMA)
        used = client.recorded_usage
    assert (used.calls, used.input_tokens, used.output_tokens, used.is_estimated) == (2, 20, 10, False)


def test_the_same_request_from_many_threads_is_asked_once(path: Path) -> None:
    barrier = threading.Barrier(16)

    def call(_: int) -> Any:
        barrier.wait()
        return client.complete(user())

    with ScriptedServer(lambda asked: f"number {asked.number}", seconds=0.05) as server:
        with Client("m", base_url=server.url, answers=path, concurrency=16) as client, ThreadPoolExecutor(16) as pool:
            assert set(pool.map(call, range(16))) == {"number 0"}
        assert client._flights._held == {}
    assert len(server.requests) == 1
    assert client.usage.calls == 1


def test_after_a_failure_the_next_thread_asks_itself(path: Path) -> None:
    barrier = threading.Barrier(4)

    def call(_: int) -> str:
        barrier.wait()
        try:
            return client.complete(user())
        except ModelError as error:
            return error.reason

    with (
        ScriptedServer([Fault.http(500), "fine", "again", "again"]) as server,
        Client("m", base_url=server.url, answers=path, retries=0) as client,
        ThreadPoolExecutor(4) as pool,
    ):
        assert sorted(pool.map(call, range(4))) == ["fine", "fine", "fine", "server_error"]
    assert len(server.requests) == 2


def test_a_torn_line_is_passed_over_and_what_follows_is_kept(path: Path) -> None:
    answers = Answers(path)
    for name in "abc":
        answers.add(name, name.upper())
    whole = path.read_bytes()
    for end in range(len(whole)):
        path.write_bytes(whole[:end])
        again = Answers(path)
        kept = [name for name in "abc" if again.get(name)]
        assert len(kept) == whole[:end].count(b"\n")
        again.add("d", "D")
        for reread in (again, Answers(path)):
            held = [reread.get(name) for name in [*kept, "d"]]
            assert [one.answer for one in held if one] == [*(name.upper() for name in kept), "D"]


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"null",
        b"[]",
        b'{"key": 1, "answer": "x"}',
        b'{"key": "k"}',
        b'{"key": "k", "answer": 1}',
        b'{"key": "k", "failed": "unheard of"}',
        b'{"key": "k", "answer": "\xff"}',
        b"\xff\xfe",
        b"[" * 100_000,
        b"9" * 10_000,
    ],
    ids=lambda line: line[:20].decode("latin-1"),
)
def test_lines_that_are_no_entries_are_passed_over(path: Path, line: bytes) -> None:
    answers = Answers(path)
    answers.add("before", "1")
    with path.open("ab") as file:
        file.write(line + b"\n")
    answers.add("after", "2")
    for reread in (answers, Answers(path)):
        assert reread.get("k") is None
        assert [held.answer for name in ("before", "after") if (held := reread.get(name))] == ["1", "2"]


@pytest.mark.parametrize("usage", [None, 7, [], {}, {"input": "x", "output": -1, "calls": None, "estimated": 1}])
def test_odd_usage_counts_nothing(path: Path, usage: Any) -> None:
    path.parent.mkdir()
    path.write_text(json.dumps({"key": "k", "answer": "x", "usage": usage}) + "\n")
    held = Answers(path).get("k")
    assert held is not None
    assert held.usage.total_tokens == 0
    assert not held.usage.is_estimated


@pytest.mark.parametrize("content", [b"# a document\n", b"{}\n", b'[{"key": "x"}]', b"\x00" * 100, b'{"id": 1}\n'])
def test_a_file_of_another_kind_is_refused_and_left_alone(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(OptionError, match="Nothing was written to it"):
        Client("m", answers=path)
    assert path.read_bytes() == content


def test_what_can_be_no_file_of_answers(path: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no regular file"):
        Client("m", answers=tmp_path)
    with pytest.raises(OptionError, match="there is no file"):
        Client("m", answers=path, replay=True)
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OptionError, match="answers must be the path"):
        Client("m", answers=tmp_path / "file" / "x")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(OptionError, match="no regular file"):
            Client("m", answers=tmp_path / "pipe")


def test_replay_writes_nothing(path: Path) -> None:
    Answers(path).add("k", "x")
    path.chmod(0o444)
    before = path.read_bytes()
    with Client("m", answers=path, replay=True) as client:
        assert failure(client, "x").reason == "not_recorded"
        assert client.ready
    assert path.read_bytes() == before


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_a_warning_once_and_the_run_goes_on(path: Path) -> None:
    with (
        ScriptedServer(lambda asked: f"<{asked.prompt}>") as server,
        Client("m", base_url=server.url, answers=path) as client,
    ):
        assert client.complete(user("a")) == "<a>"
        assert client.answers is not None
        kept, client.answers.path = client.answers.path, "/dev/full"
        with pytest.warns(ModelWarning, match="cannot be kept") as caught:
            assert [client.complete(user(name)) for name in "bcb"] == ["<b>", "<c>", "<b>"]
        assert len(caught) == 1
        client.answers.path = kept
        assert [client.complete(user(name)) for name in "abc"] == ["<a>", "<b>", "<c>"]
    assert len(server.requests) == 3


def test_a_file_that_vanishes_or_changes_is_no_trouble(path: Path) -> None:
    answers = Answers(path)
    for number in range(20):
        answers.add(f"k{number}", "x" * number)
    path.unlink()
    assert answers.get("k3") is None
    assert answers.get("none") is None
    answers.add("new", "y")
    held = answers.get("new")
    assert held is not None
    assert held.answer == "y"
    assert answers.get("k3") is None
    path.write_text(json.dumps({"key": "other", "answer": "z"}) + "\n")
    assert answers.get("new") is None


def test_memory_holds_places_and_not_answers(path: Path) -> None:
    answers = Answers(path)
    for number in range(50):
        answers.add(f"k{number}", chr(97 + number % 26) * 10_000)
    reread = Answers(path)
    assert len(repr(vars(reread))) < 20_000
    held = reread.get("k49")
    assert held is not None
    assert held.answer == "x" * 10_000


def test_processes_and_threads_append_whole_lines_and_find_those_of_others(path: Path) -> None:
    Answers(path)
    code = (
        "import sys; from threading import Thread; from cantle_llm.client.answers import Answers\n"
        "answers = Answers(sys.argv[1])\n"
        "def write(name):\n"
        "    for number in range(50): answers.add(f'{name}.{number}', name * 500)\n"
        "threads = [Thread(target=write, args=(f'{sys.argv[2]}{t}',)) for t in range(3)]\n"
        "[t.start() for t in threads]; [t.join() for t in threads]"
    )
    ours = Answers(path)
    running = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in "ab"]
    for number in range(50):
        ours.add(f"c.{number}", "c" * 500)
    assert [process.wait() for process in running] == [0, 0]
    # One that looks while another writes may take its line for a torn one: an empty line between is no harm.
    lines = [line for line in path.read_text().splitlines() if line]
    assert len(lines) == len({json.loads(line)["key"] for line in lines}) == 2 * 3 * 50 + 50
    for name in ("a0", "a1", "a2", "b0", "b1", "b2"):
        held = ours.get(f"{name}.49")
        assert held is not None
        assert held.answer == name * 500


def test_a_text_of_any_kind_comes_back(path: Path) -> None:
    for number, text in enumerate(["a\x00b", "\ud800", "\u2028\u2029\x85", "\r\n\n", '"}\n{"key": "x"', "\U0001f600"]):
        Answers(path).add(str(number), text)
        held = Answers(path).get(str(number))
        assert held is not None
        assert held.answer == text


def test_asked_twice_by_two_clients_on_one_file(path: Path) -> None:
    def answer(asked: Asked) -> str:
        return f"number {asked.number}"

    with ScriptedServer(answer) as server:
        one = Client("m", base_url=server.url, answers=path)
        two = Client("m", base_url=server.url, answers=path)
        assert one.complete(user()) == two.complete(user()) == "number 0"
        one.close()
        two.close()


def test_the_file_is_made_with_the_first_answer(path: Path) -> None:
    answers = Answers(path)
    assert answers.get("k") is None
    assert not path.parent.exists()
    answers.add("k", "x")
    assert path.is_file()
    if os.name != "nt":  # links take a privilege there
        (path.parent / "link").symlink_to(path.parent / "elsewhere")
        Answers(path.parent / "link").add("k", "x")
        assert (path.parent / "elsewhere").is_file()


def test_a_place_where_no_file_can_be_made(path: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for wrong in (tmp_path / "file" / "a" / "b", tmp_path / ("x" * 300)):
        with pytest.raises(OptionError, match="answers must be the path"):
            Answers(wrong)
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if not os.access(closed, os.W_OK):  # an administrator may write everywhere
        with pytest.raises(OptionError, match="nothing can be written"):
            Answers(closed / "a" / "b")
