"""A fixed number of worker processes, each with one call at a time; one that hangs is killed and replaced."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

from ..errors import Problem, stopping
from .process import Died, Process

__all__ = ["Workers"]

_log = logging.getLogger("cantle_server")


class Workers:
    """Worker processes. Calls wait in a queue, first come first served.

    `count` processes; at most `queue` calls wait for one; a call has `timeout` seconds once it began. `memory` is the
    most that each may have, in MiB. Without `network` neither sockets nor programs can be opened in them. `warm` ones
    have loaded what most calls need before they take the first.
    """

    def __init__(
        self,
        count: int,
        *,
        queue: int = 128,
        timeout: float = 30.0,
        memory: int = 2048,
        network: bool = False,
        warm: bool = True,
    ) -> None:
        self._count, self._queue, self._timeout = count, queue, timeout
        self._setup = (memory, network, warm)
        self._idle: deque[Process] = deque()
        self._waiting: deque[asyncio.Future[Process]] = deque()
        self._busy: set[Process] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = True
        self.restarts = 0

    @property
    def waiting(self) -> int:
        """How many calls wait for a worker."""
        return len(self._waiting)

    @property
    def busy(self) -> int:
        """How many workers are at work."""
        return len(self._busy)

    @property
    def alive(self) -> int:
        """How many workers there are that could work."""
        return len(self._idle) + len(self._busy)

    async def start(self) -> None:
        """Start all processes and wait until they are warm."""
        self._closed = False
        await asyncio.gather(*(self._add() for _ in range(self._count)))

    async def stop(self, patience: float = 0.0) -> None:
        """Let calls end for `patience` seconds, then end all processes."""
        self._closed = True
        end = asyncio.get_running_loop().time() + patience
        while self._busy and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.02)
        for task in list(self._starting):
            task.cancel()
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.done():
                waiting.set_exception(stopping())
        processes = [*self._idle, *self._busy]
        self._idle.clear()
        # Those that are being ended are waited for too: none may outlive the loop that it belongs to.
        ending = (*self._ending, *(one.kill() for one in processes))
        await asyncio.gather(*self._starting, *ending, return_exceptions=True)

    async def run(self, function: Callable[..., Any], *args: Any, timeout: float | None = None) -> Any:
        """What `function(*args)` returns, worked out in a worker; its exception is raised here.

        The function is found by module and name, arguments and results are pickled. Raises `Problem` 503 when too many
        wait, or the worker died, 504 when it took longer than `timeout` seconds.
        """
        result = None
        async for kind, value in self._call(function, args, timeout):
            if kind == "done":
                result = value
        return result

    async def stream(
        self, function: Callable[..., Any], *args: Any, timeout: float | None = None
    ) -> AsyncIterator[Any]:
        """What a generator function yields, as it comes: like `run`. Close it when you stop before its end."""
        calls = self._call(function, args, timeout)
        try:
            async for kind, value in calls:
                if kind == "piece":
                    yield value
        finally:
            await calls.aclose()  # type: ignore[attr-defined]

    async def _call(
        self, function: Callable[..., Any], args: tuple[Any, ...], timeout: float | None
    ) -> AsyncIterator[tuple[str, Any]]:
        seconds = self._timeout if timeout is None else timeout
        call = pickle.dumps((function, args, seconds), pickle.HIGHEST_PROTOCOL)
        process = await self._take()
        whole = expired = False

        def expire() -> None:
            # At once, even if nobody asks for the next piece: a client that takes none holds no worker.
            nonlocal expired
            expired = True
            self._give_back(process, False)

        timer = asyncio.get_running_loop().call_later(seconds, expire)
        try:
            await process.send(call)
            while True:
                kind, value = await process.receive()
                if kind == "error":
                    whole = not isinstance(value, MemoryError)  # one without memory is not to be trusted with more
                    raise _no_memory() if isinstance(value, MemoryError) else value
                whole = kind == "done"
                yield kind, value
                if whole:
                    return
        except Died:
            raise _too_long(seconds) if expired else _died() from None
        finally:
            timer.cancel()
            if not expired:
                self._give_back(process, whole)

    async def _take(self) -> Process:
        if self._closed:
            raise stopping()
        if self._idle and not self._waiting:
            process = self._idle.popleft()
            self._busy.add(process)
            return process
        if len(self._waiting) >= self._queue:
            raise Problem(
                503,
                "busy",
                f"{len(self._waiting)} requests wait already. Try again soon.",
                headers={"Retry-After": "2"},
            )
        future: asyncio.Future[Process] = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and future.exception() is None:
                self._give_back(future.result(), True)  # it came just as nobody wanted it any more
            raise
        finally:
            with contextlib.suppress(ValueError):
                self._waiting.remove(future)

    def _give_back(self, process: Process, whole: bool) -> None:
        """Hand a worker to the next call; one that is in the middle of something is killed and replaced."""
        self._busy.discard(process)
        if self._closed or not whole or not process.alive:
            self._later(process.kill(), self._ending)
            if not self._closed:
                self.restarts += 1
                self._later(self._add(), self._starting)
            return
        self._offer(process)

    def _offer(self, process: Process) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                self._busy.add(process)
                future.set_result(process)
                return
        self._idle.append(process)

    def _later(self, work: Any, tasks: set[asyncio.Task[None]]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    async def _add(self) -> None:
        """Start a process; where that fails it is tried again, with longer and longer pauses."""
        pause = 0.1
        while True:
            try:
                process = await Process.start(list(sys.path), *self._setup)
            except (OSError, Died) as error:
                _log.error("a worker cannot be started: %s", type(error).__name__)
                if not self._closed and pause > 5:
                    pause = 5
                await asyncio.sleep(pause)
                pause *= 2
                continue
            if self._closed:
                await process.kill()
            else:
                self._offer(process)
            return


def _too_long(seconds: float) -> Problem:
    return Problem(
        504, "job_timeout", f"The work took longer than {seconds:g} seconds and was ended. Send less at once."
    )


def _died() -> Problem:
    return Problem(
        503,
        "worker_died",
        "The process that worked on this request died, most often for lack of memory. Send less at once.",
        headers={"Retry-After": "1"},
    )


def _no_memory() -> Problem:
    return Problem(
        413,
        "too_much_memory",
        "The result needs more memory than there is for one request. Send less, or ask for less overlap.",
    )
