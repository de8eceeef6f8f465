"""Pools of worker processes: answers, accidents, time-outs, what is held, and what is left behind."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import CantleError, DocumentTimeoutError, OptionError, WorkerError, WorkerWarning
from cantle.pools import Pool, run

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers find this module only when they are forked")

STUCK = re.compile(r"(a|aa)+$"), "a" * 60 + "b"
"""A pattern and a text that hold the interpreter's lock for hours."""


class Do:
    """Does what an item says; the answer is a list of what came of each."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def __call__(self, batch: list[Any], skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Any:
        done: list[Any] = []
        for i, item in enumerate(batch):
            if i in skip:
                done.append(skip[i])
                continue
            mark(i)
            done.append(self.do(item))
        return done

    def do(self, item: Any) -> Any:
        if not isinstance(item, str):
            return item
        what, _, more = item.partition(" ")
        if what == "signal":
            faulthandler.disable()
            os.kill(os.getpid(), getattr(signal, more))
        elif what == "_exit":
            os._exit(int(more))
        elif what == "exit":
            sys.exit(int(more))
        elif what == "sleep":
            time.sleep(float(more))
        elif what == "stuck":
            STUCK[0].match(STUCK[1])
        elif what == "pid":
            return os.getpid()
        elif what == "large":
            return "x" * int(more)
        elif what == "raise":
            raise Odd(more, 1)
        elif what == "lambda":
            return lambda: None
        elif what == "wait":
            while not Path(more).exists():
                time.sleep(0.01)
        elif what == "once":  # kills the first that does it
            assert self.folder is not None
            if not (self.folder / more).exists():
                (self.folder / more).touch()
                os.kill(os.getpid(), signal.SIGKILL)
        elif what == "log":
            assert self.folder is not None
            with open(self.folder / "log", "a") as log:
                log.write(more + "\n")
        elif what == "child":  # it has what we have, the connection too
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
            os.kill(os.getpid(), signal.SIGKILL)
        return item


class Odd(Exception):
    """Pickles, but does not come back."""

    def __init__(self, first: str, second: int) -> None:
        super().__init__(f"{first}{second}")


class Deaf:
    """Cannot be unpickled."""

    def __call__(self, batch: Any, skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Any:
        return None

    def __reduce__(self) -> Any:
        return int, ("no number",)


class Dies:
    """Dies as soon as it is unpickled, or before the first item."""

    def __init__(self, at_once: bool) -> None:
        self.at_once = at_once

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self.at_once:
            os._exit(9)

    def __call__(self, batch: Any, skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Any:
        os._exit(8)


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not true():
        assert time.monotonic() < end, "it did not happen within half a minute"
        time.sleep(0.02)


# -- answers ----------------------------------------------------------------------------------------


def test_every_batch_gets_its_answer_in_order() -> None:
    batches = [list(range(n)) for n in range(50)]
    with Pool(Do(), 3) as pool:
        assert list(pool.run(batches)) == [(batch, batch) for batch in batches]
        assert sorted(pool.run(iter(batches), ordered=False)) == sorted((batch, batch) for batch in batches)
        assert list(pool.run([])) == []
    assert not multiprocessing.active_children()


def test_runs_use_the_same_processes_and_only_as_many_as_there_is_work_for() -> None:
    with Pool(Do(), 8) as pool:
        ((_, [first]),) = pool.run([["pid"]])
        assert len(multiprocessing.active_children()) == 1
        ((_, [second]),) = pool.run([["pid"]])
        assert first == second != os.getpid()


def test_what_is_later_in_order_may_come_first(tmp_path: Path) -> None:
    batches = [[f"wait {tmp_path / 'go'}"], [1], [2], [3]]
    with Pool(Do(), 2) as pool:
        came = []
        for batch, _ in pool.run(batches, ordered=False):
            came.append(batch)
            if len(came) == 3:
                (tmp_path / "go").touch()
    assert sorted(map(batches.index, came[:3])) == [1, 2, 3]
    assert came[3] == batches[0]


@pytest.mark.parametrize("size", [0, 1, 1 << 16, 1 << 20, (1 << 20) + 1, 12_000_000])
def test_batches_and_answers_of_any_size(size: int) -> None:
    batches = [["x" * size, f"large {size}"]] * 5
    with Pool(Do(), 2) as pool:
        assert [answer for _, answer in pool.run(batches)] == [["x" * size] * 2] * 5


# -- errors -----------------------------------------------------------------------------------------


def test_an_exception_of_the_work_ends_the_run_but_not_the_pool() -> None:
    with Pool(Do(), 2) as pool:
        answers = pool.run([[1], ["raise no"], [2]])
        assert next(answers) == ([1], [1])
        with pytest.raises(CantleError, match="Odd: no1"):
            next(answers)
        with pytest.raises(Exception, match="lambda"):
            list(pool.run([["lambda"]]))
        assert list(pool.run([[3]])) == [([3], [3])]


def test_what_a_generator_gave_before_it_failed_is_done() -> None:
    def failing() -> Iterator[list[int]]:
        yield [1]
        yield [2]
        raise RuntimeError("ran dry")

    with Pool(Do(), 2) as pool:
        answers = pool.run(failing())
        assert [next(answers)[1], next(answers)[1]] == [[1], [2]]
        with pytest.raises(RuntimeError, match="ran dry"):
            next(answers)


def test_work_that_cannot_be_sent_or_loaded() -> None:
    with pytest.raises(OptionError, match=r"function cannot be sent to worker processes: .* at the top level"):
        Pool(lambda batch, skip, mark: None, 1)
    with Pool(Deaf(), 2) as pool, pytest.raises(CantleError, match=r"cannot load what they shall do .ValueError: inv"):
        list(pool.run([[1], [2]]))


def test_work_that_dies_before_there_is_an_item() -> None:
    with Pool(Dies(at_once=True), 2) as pool, pytest.raises(CantleError, match=r"cannot start \(exit code 9\).*main"):
        list(pool.run([[1], [2]]))
    with Pool(Dies(at_once=False), 2, on_event=print) as pool, pytest.raises(CantleError, match=r"die .exit code 8"):
        list(pool.run([[1]]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"workers": 0}, "workers must be an integer of at least 1, got 0"),
        ({"timeout": 0}, "timeout must be a number greater than 0, got 0"),
        ({"timeout": float("inf")}, "timeout must be .* finite"),
        ({"start_method": "thread"}, "start_method must be one of '.*', got 'thread'"),
    ],
)
def test_wrong_options(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Pool(Do(), **{"workers": 1, **arguments})


def test_one_run_at_a_time_and_none_when_it_is_closed() -> None:
    pool = Pool(Do(), 1)
    one = pool.run([[1], [2]])
    next(one)
    with pytest.raises(CantleError, match="one run at a time"):
        next(pool.run([[1]]))
    one.close()
    pool.close()
    pool.close()
    with pytest.raises(CantleError, match="closed"):
        next(pool.run([[1]]))
    assert not multiprocessing.active_children()


# -- accidents --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [True, False])
def test_a_worker_that_dies_once_is_told_of_and_costs_nothing(tmp_path: Path, ordered: bool) -> None:
    batches = [[i, f"once {i}" if i == 7 else "pid"] for i in range(30)]
    with (
        pytest.warns(
            WorkerWarning, match=r"^Worker process \d+ died \(SIGKILL\) while it worked on 2 documents\. They"
        ),
        Pool(Do(tmp_path), 2) as pool,
    ):
        found = list(pool.run(batches, ordered=ordered))
    if not ordered:
        found.sort()
    assert [batch for batch, _ in found] == batches
    assert [answer[0] for _, answer in found] == list(range(30))
    assert found[7][1] == [7, "once 7"]


def test_the_warning_points_at_the_caller(tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as caught, Pool(Do(tmp_path), 1) as pool:
        warnings.simplefilter("always")
        list(pool.run([["once a"]]))
    assert [(w.category, w.filename) for w in caught] == [(WorkerWarning, __file__)]


@pytest.mark.parametrize(
    ("item", "how"),
    [
        ("signal SIGKILL", "SIGKILL"),
        ("signal SIGSEGV", "SIGSEGV"),
        ("signal SIGTERM", "SIGTERM"),
        ("_exit 3", "exit code 3"),
        ("_exit 0", "exit code 0"),
        ("exit 4", "exit code 4"),
        ("child", "SIGKILL"),
    ],
)
def test_what_kills_its_worker_twice_is_left_out(item: str, how: str) -> None:
    told: list[WorkerWarning] = []
    batches = [["a", item, "b", item], ["c"], [item], ["d"]]
    with Pool(Do(), 2, on_event=told.append) as pool:
        found = dict(zip("wxyz", (answer for _, answer in pool.run(batches)), strict=True))
    assert (found["x"], found["z"]) == (["c"], ["d"])
    assert (found["w"][0], found["w"][2]) == ("a", "b")
    for lost in (found["w"][1], found["w"][3], found["y"][0]):
        assert isinstance(lost, WorkerError)
        assert f"the worker process died while it cut this document, twice ({how})" in str(lost)
    assert len(told) == 3  # once for each
    assert all(how in str(event) for event in told)


def test_a_worker_that_is_killed_while_it_does_nothing() -> None:
    told: list[WorkerWarning] = []
    with Pool(Do(), 2, on_event=told.append) as pool:
        for _ in range(3):
            pids = {answer[0] for _, answer in pool.run([["pid", "sleep 0.1"]] * 4)}
            assert len(pids) == 2
            for pid in pids:
                os.kill(pid, signal.SIGKILL)
            until(lambda: not multiprocessing.active_children())
    assert len(told) in range(2, 5)
    assert all("while it did nothing" in str(event) for event in told)


def test_an_answer_that_was_given_counts_though_its_worker_dies() -> None:
    with Pool(Do(), 1, on_event=print) as pool:
        answers = pool.run([["pid"], [2], ["large 50000"]])
        (_, [pid]) = next(answers)
        time.sleep(0.3)  # the others are in the pipe, or on their way
        os.kill(pid, signal.SIGKILL)
        assert [answer for _, answer in answers] == [[2], ["x" * 50000]]


# -- time-outs --------------------------------------------------------------------------------------


@pytest.mark.parametrize("item", ["sleep 600", "stuck"])
@pytest.mark.parametrize("ordered", [True, False])
def test_an_item_that_takes_too_long_is_given_up(item: str, ordered: bool, recwarn: pytest.WarningsRecorder) -> None:
    batches = [["a", item, "b"], ["c"], [item], *([i] for i in range(20))]
    with Pool(Do(), 2, timeout=0.4) as pool:
        found = list(pool.run(batches, ordered=ordered))
    answers = [answer for batch in batches for given, answer in found if given is batch]
    assert len(found) == len(answers) == len(batches)
    assert answers[0][::2] == ["a", "b"]
    assert answers[1] == ["c"]
    assert answers[3:] == [[i] for i in range(20)]
    for late in (answers[0][1], answers[2][0]):
        assert isinstance(late, DocumentTimeoutError)
        assert "took longer than 0.4 seconds" in str(late)
    assert not recwarn.list


def test_the_time_is_that_of_one_item_and_none_is_counted_while_nobody_takes_answers() -> None:
    with Pool(Do(), 2, timeout=1.0) as pool:
        for _, answer in pool.run([["sleep 0.2"] * 8, ["large 9000000"], ["large 9000000"], [1]]):
            time.sleep(1.3)
            assert not any(isinstance(one, Exception) for one in answer)


def test_a_slow_caller_does_not_keep_a_late_item_alive() -> None:
    with Pool(Do(), 2, timeout=0.5) as pool:
        late = []
        for i, (_, answer) in enumerate(pool.run([["sleep 600"], *([i] for i in range(100))], ordered=False)):
            time.sleep(0.05)
            if isinstance(answer[0], DocumentTimeoutError):
                late.append(i)
    assert len(late) == 1
    assert late[0] < 90  # not only when all else was done


# -- what is held -----------------------------------------------------------------------------------


@pytest.mark.parametrize("ordered", [True, False])
def test_no_more_is_read_than_is_worked_on(ordered: bool) -> None:
    given = 0

    def endless() -> Iterator[list[int]]:
        nonlocal given
        while True:
            given += 1
            yield [given]

    with Pool(Do(), 2) as pool:
        answers = pool.run(endless(), ordered=ordered)
        for taken in range(1, 200):
            next(answers)
            assert given - taken <= 4
        answers.close()
        ((_, answer),) = pool.run([[1]])
        assert answer == [1]


def test_what_waits_behind_a_slow_batch_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "HELD", 1_000_000)
    go, given, logged = tmp_path / "go", 0, tmp_path / "log"

    def batches() -> Iterator[list[str]]:
        nonlocal given
        yield [f"wait {go}"]
        for i in range(300):
            given = i
            if i == 60:  # nothing comes out before, so it is read on while the first is at work
                go.touch()
            yield [f"log {i}", "large 10000"]

    with Pool(Do(tmp_path), 2) as pool:
        answers = pool.run(batches())
        next(answers)
        assert 60 <= given < 120  # a hundred of them are as much as may be held
        assert len(list(answers)) == 300
    assert sorted(map(int, logged.read_text().split())) == list(range(300))  # each once
