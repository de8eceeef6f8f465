"""Worker processes: results, errors, time, deaths, and calls that nobody waits for."""

from __future__ import annotations

import asyncio
import operator
import os
import socket
import time
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
import regex
import worker_jobs

from cantle import MDocument
from cantle.errors import OptionError
from cantle_server import Problem
from cantle_server.work import Workers
from cantle_server.work.process import Process


def using(test: Callable[[Workers], Coroutine[Any, Any, None]], count: int = 1, **options: Any) -> None:
    """Run a test with workers of its own."""

    async def run() -> None:
        workers = Workers(count, warm=False, **options)
        await workers.start()
        try:
            await test(workers)
        finally:
            await workers.stop()

    asyncio.run(run())


async def alive(workers: Workers, count: int) -> None:
    """Wait until there are so many workers again."""
    async with asyncio.timeout(60):
        while workers.alive < count:
            await asyncio.sleep(0.02)


def test_results_and_errors_come_back() -> None:
    async def test(workers: Workers) -> None:
        assert await workers.run(operator.add, 1, 2) == 3
        found = await workers.run(MDocument("a b c").chunk, "recursive")
        assert found.texts == ["a b c"]
        with pytest.raises(ZeroDivisionError):
            await workers.run(operator.truediv, 1, 0)
        with pytest.raises(OptionError, match="max_size"):
            await workers.run(_chunk_wrongly())
        text = "x" * 5_000_000
        assert await workers.run(str.upper, text) == text.upper()
        assert await workers.run(os.getpid) == await workers.run(os.getpid) != os.getpid()
        assert workers.restarts == 0

    using(test)


def _chunk_wrongly() -> Any:
    """A call that pickles, and raises in the worker."""
    from functools import partial

    return partial(MDocument("a").chunk, "recursive", max_size=-1)


def test_a_generator_comes_in_pieces() -> None:
    async def test(workers: Workers) -> None:
        pids = [value async for value in workers.stream(worker_jobs.counting, 3)]
        assert pids == [0, 1, 2]
        stream = workers.stream(worker_jobs.counting, 10**9)
        assert [await anext(stream) for _ in range(3)] == [0, 1, 2]
        await stream.aclose()  # type: ignore[attr-defined]
        await alive(workers, 1)
        assert workers.restarts == 1
        assert await workers.run(operator.add, 1, 2) == 3

    using(test)


def test_what_takes_too_long_is_ended_and_others_are_not_disturbed() -> None:
    async def test(workers: Workers) -> None:
        began = time.monotonic()
        slow = asyncio.create_task(workers.run(time.sleep, 600, timeout=1))
        await asyncio.sleep(0)
        others = [await workers.run(operator.add, 1, n) for n in range(20)]
        assert others == list(range(1, 21))
        with pytest.raises(Problem) as caught:
            await slow
        assert caught.value.status == 504
        assert time.monotonic() - began < 60
        await alive(workers, 2)

    using(test, 2)


def test_a_pattern_that_never_ends_is_ended() -> None:
    async def test(workers: Workers) -> None:
        pattern = regex.compile("(a|aa)+$")
        with pytest.raises(Problem) as caught:
            await workers.run(pattern.match, "a" * 200 + "b", timeout=0.5)
        assert caught.value.code == "job_timeout"
        await alive(workers, 1)
        assert await workers.run(operator.add, 1, 2) == 3

    using(test)


def test_a_worker_that_dies_is_replaced() -> None:
    async def test(workers: Workers) -> None:
        for _ in range(3):
            with pytest.raises(Problem) as caught:
                await workers.run(os._exit, 1)
            assert caught.value.status == 503
            assert caught.value.headers == {"Retry-After": "1"}
            assert await workers.run(operator.add, 1, 2) == 3
        assert workers.restarts == 3

    using(test)


def test_too_much_memory_is_an_error_of_the_call() -> None:
    async def test(workers: Workers) -> None:
        with pytest.raises(Problem) as caught:
            await workers.run(bytearray, 4 << 30)
        assert (caught.value.status, caught.value.code) == (413, "too_much_memory")
        assert await workers.run(operator.add, 1, 2) == 3

    using(test, memory=1024)


def test_a_call_that_is_cancelled_is_ended() -> None:
    async def test(workers: Workers) -> None:
        task = asyncio.create_task(workers.run(time.sleep, 600))
        while not workers.busy:
            await asyncio.sleep(0.01)
        waiting = asyncio.create_task(workers.run(operator.add, 1, 2))
        while not workers.waiting:
            await asyncio.sleep(0.01)
        gone = asyncio.create_task(workers.run(operator.add, 1, 2))
        await asyncio.sleep(0)
        gone.cancel()
        task.cancel()
        assert await waiting == 3
        found = await asyncio.gather(task, gone, return_exceptions=True)
        assert all(isinstance(one, asyncio.CancelledError) for one in found)
        assert workers.waiting == 0
        assert workers.busy == 0

    using(test)


def test_a_worker_that_is_ended_before_its_answer_was_read_leaves_no_pipe() -> None:
    def pipes() -> int:
        return sum(os.readlink(one).startswith("pipe:") for one in _descriptors())

    async def test(workers: Workers) -> None:
        before = pipes()
        for ended in range(1, 4):
            pieces = workers.stream(worker_jobs.pouring, 100)
            await anext(pieces)
            process = next(iter(workers._busy))
            async with asyncio.timeout(60):
                while not process._out._paused:  # type: ignore[attr-defined]  # it holds as much as it may
                    await asyncio.sleep(0.01)
            await pieces.aclose()  # type: ignore[attr-defined]
            await alive(workers, 1)
            assert workers.restarts == ended
        async with asyncio.timeout(60):
            while pipes() > before:
                await asyncio.sleep(0.02)

    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("descriptors are counted where Linux lists them")
    using(test)


def test_a_worker_that_is_being_ended_is_waited_for_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = list[int]()
    kill = Process.kill

    async def slowly(process: Process) -> None:
        await asyncio.sleep(0.1)  # as on a machine that is busy
        await kill(process)
        ended.append(process.pid)

    async def test(workers: Workers) -> None:
        pid = await workers.run(os.getpid)
        with pytest.raises(Problem, match="took longer"):
            await workers.run(time.sleep, 600, timeout=0.05)
        await workers.stop()
        assert pid in ended

    monkeypatch.setattr(Process, "kill", slowly)
    using(test)


def _descriptors() -> list[str]:
    found = (f"/proc/self/fd/{name}" for name in os.listdir("/proc/self/fd"))
    return [one for one in found if os.path.islink(one)]


def test_a_queue_that_is_full_is_told() -> None:
    async def test(workers: Workers) -> None:
        tasks = [asyncio.create_task(workers.run(time.sleep, 0.2)) for _ in range(3)]
        while workers.waiting < 2:
            await asyncio.sleep(0)
        with pytest.raises(Problem) as caught:
            await workers.run(operator.add, 1, 2)
        assert (caught.value.status, caught.value.code) == (503, "busy")
        assert "Retry-After" in (caught.value.headers or {})
        await asyncio.gather(*tasks)
        assert await workers.run(operator.add, 1, 2) == 3

    using(test, queue=2)


def test_workers_reach_nothing_and_know_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CANTLE_LLM_API_KEY", "OPENAI_API_KEY", "CANTLE_SERVER_SECRET", "MY_TOKEN", "DB_PASSWORD"):
        monkeypatch.setenv(name, "secret")
    monkeypatch.setenv("HARMLESS", "1")

    async def test(workers: Workers) -> None:
        names = await workers.run(worker_jobs.environment)
        assert "HARMLESS" in names
        assert not {"CANTLE_LLM_API_KEY", "OPENAI_API_KEY", "CANTLE_SERVER_SECRET", "MY_TOKEN", "DB_PASSWORD"} & {
            *names
        }
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(0.2)
            with pytest.raises(OptionError, match="needs the network"):
                await workers.run(worker_jobs.connect, listener.getsockname()[1])
            with pytest.raises(TimeoutError):
                listener.accept()
        with pytest.raises(OptionError, match="another program"):
            await workers.run(worker_jobs.start_program)

    using(test)


def test_what_is_printed_does_not_come_between_answers() -> None:
    async def test(workers: Workers) -> None:
        assert await workers.run(worker_jobs.printing) == "done"
        with pytest.raises(RuntimeError, match=r"worker_jobs\.Unloadable"):
            await workers.run(worker_jobs.unloadable)
        assert await workers.run(operator.add, 1, 2) == 3

    using(test)


def test_workers_that_are_stopped_take_no_calls_and_leave_no_process() -> None:
    async def run() -> None:
        workers = Workers(2, warm=False)
        await workers.start()
        pids = [await workers.run(os.getpid)]
        tasks = [asyncio.create_task(workers.run(time.sleep, 600)) for _ in range(4)]
        while workers.waiting < 2:
            await asyncio.sleep(0.01)
        await workers.stop()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(one, Problem) and one.status == 503 for one in found)
        with pytest.raises(Problem, match="being stopped"):
            await workers.run(os.getpid)
        for pid in pids:
            with pytest.raises(ProcessLookupError):
                os.kill(pid, 0)

    asyncio.run(run())
