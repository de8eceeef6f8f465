"""Many calls at once: order, ends, interruptions, memory."""

from __future__ import annotations

import contextvars
import os
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cantle_llm import AnswerError, Client, ModelError
from cantle_llm.runs import Outcome, each
from cantle_llm.testing import Asked, Fault, ScriptedServer


@pytest.mark.parametrize("workers", [1, 2, 7, 100])
def test_outcomes_are_in_the_order_of_the_items(workers: int) -> None:
    def work(number: int) -> int:
        time.sleep((number * 7 % 5) / 1000)
        if number % 3 == 2:
            raise AnswerError("malformed", str(number))
        return number * number

    told: list[int] = []
    outcomes = each(range(40), work, workers=workers, done=lambda number, outcome: told.append(number))
    assert sorted(told) == list(range(40))
    for number, outcome in enumerate(outcomes):
        if number % 3 == 2:
            assert outcome.value is None
            assert outcome.error is not None
            assert outcome.error.detail == str(number)
        else:
            assert outcome == Outcome(number * number)


@pytest.mark.parametrize("workers", [1, 4])
def test_nothing_to_do(workers: int) -> None:
    assert each([], print, workers=workers) == []


def test_never_more_at_once_than_workers() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def work(_: int) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.002)
        with lock:
            now[0] -= 1

    each(range(60), work, workers=5)
    assert 1 < most[0] <= 5


@pytest.mark.parametrize("workers", [1, 3])
def test_after_a_fatal_error_no_call_is_begun(workers: int) -> None:
    begun: list[int] = []

    def work(number: int) -> int:
        begun.append(number)
        if number == 4:
            raise ModelError("unauthorized", "no")
        return number

    outcomes = each(range(50), work, workers=workers)
    assert len(begun) <= 4 + workers
    assert [outcome.value for outcome in outcomes[:4]] == [0, 1, 2, 3]
    rest = {outcome.error.reason for outcome in outcomes[len(begun) :] if outcome.error}
    assert rest == {"unauthorized"}
    assert outcomes[-1].value is None


def test_one_worker_is_the_calling_thread_and_others_have_its_context() -> None:
    held = contextvars.ContextVar("held", default="none")
    held.set("mine")

    def work(_: int) -> tuple[str, bool]:
        seen = held.get()
        held.set("changed")
        return seen, threading.current_thread() is threading.main_thread()

    assert [outcome.value for outcome in each(range(4), work, workers=3)] == [("mine", False)] * 4
    assert each([1], work, workers=1)[0].value == ("mine", True)


@pytest.mark.parametrize("workers", [1, 4])
@pytest.mark.parametrize("where", ["work", "done"])
def test_another_error_ends_the_run_when_what_is_under_way_has_ended(workers: int, where: str) -> None:
    begun, ended = list[int](), list[int]()

    def work(number: int) -> int:
        begun.append(number)
        if where == "work" and number == 5:
            raise ZeroDivisionError
        time.sleep(0.005)
        ended.append(number)
        return number

    def done(number: int, outcome: Outcome) -> None:
        if where == "done" and number == 5:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        each(range(100), work, workers=workers, done=done)
    assert len(begun) <= 5 + 2 * workers
    assert sorted(ended) == sorted(set(begun) - ({5} if where == "work" else set()))


def test_no_thread_is_left() -> None:
    before = threading.active_count()
    for _ in range(5):
        each(range(30), abs, workers=10)
    assert threading.active_count() == before


def test_memory_does_not_grow_with_what_waits() -> None:
    tracemalloc.start()
    try:
        outcomes = each(range(100_000), lambda number: None, workers=4, done=lambda number, outcome: None)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(outcomes) == 100_000
    assert peak < 12_000_000  # an outcome each, and no more


def test_waiting_is_told() -> None:
    told = threading.Event()
    outcomes = each([1, 2], lambda _: told.wait(30), workers=2, waiting=told.set)
    assert [outcome.value for outcome in outcomes] == [True, True]


RUN = """
import sys, threading
from cantle_llm import Client
from cantle_llm.runs import each

url, answers, ready = sys.argv[1:]
client = Client("m", base_url=url, answers=answers, concurrency=4)
run = client.run("x")

def work(name):
    return run.complete([{"role": "user", "content": name}])

def ending(under_way):
    print("ending", under_way, flush=True)

def done(number, outcome):
    print("done", number, flush=True)

outcomes = each([f"item {n}" for n in range(40)], work, workers=4, done=done, ending=ending)
print("all", sum(outcome.error is None for outcome in outcomes), run.replayed, flush=True)
"""


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def started(server: ScriptedServer, path: Path) -> subprocess.Popen[str]:
    """A process that handles SIGINT, whatever this one was started with."""
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n" + RUN
    command = [sys.executable, "-c", code, server.url, str(path), "x"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def line_of(process: subprocess.Popen[str], begins: str) -> str:
    assert process.stdout is not None
    for line in process.stdout:
        if line.startswith(begins):
            return line.strip()
    raise AssertionError(f"no line that begins with {begins}")


def wait_until(holds: Any) -> None:
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never came to that")


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupted_run_keeps_what_was_under_way_and_is_resumed(tmp_path: Path, gate: threading.Event) -> None:
    def answer(asked: Asked) -> str:
        if asked.number >= 8:
            gate.wait(60)
        return f"<{asked.prompt}>"

    path = tmp_path / "answers.jsonl"
    with ScriptedServer(answer) as server:
        process = started(server, path)
        wait_until(lambda: len(server.requests) == 12)  # 8 answered, 4 under way
        process.send_signal(signal.SIGINT)
        assert line_of(process, "ending") == "ending 4"
        gate.set()
        _, said = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT)
        assert "KeyboardInterrupt" in said
        assert said.count("Traceback") == 1
        assert len(server.requests) == 12
        assert path.read_text().count('"answer"') == 12

        again = started(server, path)
        assert line_of(again, "all") == "all 40 12"
        again.communicate(timeout=60)
        assert again.returncode == 0
    assert len(server.requests) == 40


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_a_second_interrupt_ends_at_once(tmp_path: Path, gate: threading.Event) -> None:
    def answer(asked: Asked) -> str:
        if asked.number >= 4:
            gate.wait(60)
        return "fine"

    with ScriptedServer(answer) as server:
        process = started(server, tmp_path / "answers.jsonl")
        wait_until(lambda: len(server.requests) == 8)
        process.send_signal(signal.SIGINT)
        line_of(process, "ending")
        time.sleep(0.1)  # it is waiting now; were it not yet, this test would pass all the same
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)  # nothing is answered in this time
        assert not gate.is_set()
        assert process.returncode in (130, -signal.SIGINT)
        gate.set()
        assert said.count("Traceback") <= 2
        assert "Exception in thread" not in said
        assert "Fatal" not in said


BUSY = """
import signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)
from cantle_llm.runs import each
print("begun", flush=True)
each(range(10**7), lambda n: time.sleep(0.0001 * (n % 5)), workers=4, done=lambda number, outcome: None)
"""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX signals")
def test_an_interrupt_at_any_moment_ends_the_run() -> None:
    """Between any two steps: what is counted must not be waited for."""
    for number in range(8):
        command = [sys.executable, "-c", BUSY]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        line_of(process, "begun")
        time.sleep(0.003 * number)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode in (130, -signal.SIGINT)
        assert said.count("Traceback") == 1


def test_a_thousand_calls_at_sixteen() -> None:
    def answer(asked: Asked) -> Any:
        return Fault.http(429) if asked.number % 50 == 7 else f"<{asked.prompt}>"

    with ScriptedServer(answer) as server, Client("m", base_url=server.url, concurrency=16) as client:
        run = client.run("x")
        outcomes = each(
            [str(number) for number in range(1000)],
            lambda name: run.complete([{"role": "user", "content": name}]),
            workers=client.concurrency,
        )
    assert [outcome.value for outcome in outcomes] == [f"<{number}>" for number in range(1000)]
    assert run.ledger.usage.calls == 1000
    assert len(server.requests) > 1000
    assert server.most_at_once <= 16
