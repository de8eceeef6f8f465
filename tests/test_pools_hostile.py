"""Pools of workers that fork, close all their files, or are killed whenever they start."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from cantle.errors import CantleError, WorkerError, WorkerWarning
from cantle.pools import Pool
from cantle.pools.process import Process

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers find this module only when they are forked")


class Do:
    """Does what an item says; the answer is a list of what came of each."""

    def __call__(self, batch: list[Any], skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Any:
        done: list[Any] = []
        for i, item in enumerate(batch):
            if i in skip:
                done.append(skip[i])
                continue
            mark(i)
            if item == "fork":
                os.fork()  # both come back
            elif item == "close":
                os.closerange(3, 1000)
                time.sleep(600)
            done.append(item)
        return done


def test_a_fork_that_comes_back_gives_no_second_answer() -> None:
    batches = [[i, "fork", "fork", i] for i in range(30)]
    with Pool(Do(), 2, timeout=60) as pool:
        assert [answer for _, answer in pool.run(batches)] == batches


def test_a_worker_that_closes_all_its_files_and_goes_on_is_ended() -> None:
    with Pool(Do(), 1) as pool:
        with pytest.warns(WorkerWarning, match="SIGKILL"):
            ((_, (first, bad, last)),) = list(pool.run([[1, "close", 2]]))
        assert (first, last) == (1, 2)
        assert isinstance(bad, WorkerError)
        assert len(multiprocessing.active_children()) == 1


class SlowToStart(Do):
    """Cannot begin before the file is there."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ = state
        while not self.path.exists():
            time.sleep(0.01)


def test_workers_that_are_killed_before_they_can_begin_are_replaced(tmp_path: Path) -> None:
    go = tmp_path / "go"
    killed: set[int | None] = set()

    def kill() -> None:
        while len(killed) < 6:
            for child in multiprocessing.active_children():
                if child.pid not in killed:
                    killed.add(child.pid)
                    os.kill(child.pid or 0, signal.SIGKILL)
                    break
            time.sleep(0.02)
        go.touch()

    killer = threading.Thread(target=kill)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Pool(SlowToStart(go), 2) as pool:
            killer.start()
            assert [answer for _, answer in pool.run([[1], [2], [3]])] == [[1], [2], [3]]
            killer.join()
    assert {str(one.message).split("died ")[1] for one in caught} == {
        "(SIGKILL) before it could begin. Another one is started."
    }
    assert len(caught) == 6


class DiesFirst(Do):
    """Dies before it is at an item, until the file holds so many bytes."""

    def __init__(self, path: Path, deaths: int) -> None:
        self.path, self.deaths = path, deaths

    def __call__(self, batch: list[Any], skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Any:
        with self.path.open("ab") as file:
            file.write(b".")
            count = file.tell()
        if count <= self.deaths:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(batch, skip, mark)


def test_chance_kills_before_an_item_some_times_but_not_for_ever(tmp_path: Path) -> None:
    with pytest.warns(WorkerWarning, match="tried once more"), Pool(DiesFirst(tmp_path / "three", 3), 1) as pool:
        assert [answer for _, answer in pool.run([[1, 2]])] == [[1, 2]]
    with (
        pytest.warns(WorkerWarning, match="tried once more"),
        pytest.raises(CantleError, match="before they get to a document"),
        Pool(DiesFirst(tmp_path / "always", 99), 1) as pool,
    ):
        list(pool.run([[1, 2]]))
    assert (tmp_path / "always").stat().st_size == 5


def test_a_process_may_be_closed_twice() -> None:
    process = Process(multiprocessing.get_context("fork"), b"")
    process.kill()
    assert process.close() == "SIGKILL"
    assert process.close() == ""
