"""The pool's side of one worker process."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import socket
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from multiprocessing.context import BaseContext
from selectors import EVENT_READ
from time import monotonic, sleep
from typing import Any

from .child import main
from .ends import keep
from .messages import BATCH, HEAD, NO_SIGNAL, WORK, place_of

__all__ = ["Job", "Process"]

_BUFFER = 1 << 20
_PATIENCE = 5.0
"""Seconds to wait for a process that was killed: one that the kernel holds does not end before it is let go."""


class Job:
    """A batch, what it was given, and its answer."""

    __slots__ = ("answer", "attempts", "batch", "data", "failed", "number", "size", "skip")

    def __init__(self, batch: Any) -> None:
        self.batch = batch
        self.skip: dict[int, Exception] = {}
        self.attempts = 0
        self.number = 0
        """That of this attempt: what a worker says about an earlier one is known by it."""
        self.answer: bytearray | None = None
        self.failed = False
        self.data: bytes | None = self.packed()
        size = getattr(batch, "size", 0)
        self.size = max(len(self.data), size if isinstance(size, int) else 0)

    def packed(self) -> bytes:
        """What is sent."""
        return pickle.dumps((self.batch, self.skip), pickle.HIGHEST_PROTOCOL)

    def __len__(self) -> int:
        return len(self.batch)


class Process:
    """A worker process, the connection to it, and the jobs that it has."""

    def __init__(self, context: BaseContext, work: bytes) -> None:
        self.jobs: deque[Job] = deque()
        self.ready = False
        self.quick = False
        """Whether its latest batch took so little time that the next one may wait in its queue."""
        self.ended = self._closed = False
        self.word = -1
        self.stood = 0.0
        """What its place was when it was last looked at, and for how many seconds it has been that."""
        self.since = 0.0
        """When the first of its jobs was its first."""
        self.events = EVENT_READ
        self._place: Any = context.RawArray("q", 1)
        self._out: deque[memoryview] = deque()
        self._head = bytearray(HEAD.size)
        self._into: bytearray = self._head
        self._got = 0
        self._pid = os.getpid()
        self.link, theirs = socket.socketpair()
        reader, self._lifeline = context.Pipe(duplex=False)
        keep(self.link)
        keep(self._lifeline)
        for end in (self.link, theirs):
            for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
                with suppress(OSError):
                    end.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
        self.link.setblocking(False)
        self.process = context.Process(target=main, args=(theirs, reader, self._place), name="cantle-worker")  # type: ignore[attr-defined]
        try:
            with _starting(context):
                self.process.start()
        except BaseException:
            self._close()
            if self.process.pid is not None:
                self.kill()
            raise
        finally:
            theirs.close()
            reader.close()
        self.pid = self.process.pid
        self._put(WORK, 0, work)

    @property
    def place(self) -> tuple[int, int | None, bool]:
        """Where it is now: see `place_of`."""
        return place_of(self._place[0])

    @property
    def raw_place(self) -> int:
        """The same as one number."""
        return int(self._place[0])

    def give(self, job: Job, number: int) -> None:
        """Send a batch, or as much of it as goes without waiting."""
        data = job.packed() if job.data is None else job.data
        job.number, job.data = number, None
        if not self.jobs:
            self.since = monotonic()
        self.jobs.append(job)
        self._put(BATCH, number, data)

    def _put(self, kind: int, number: int, data: bytes) -> None:
        head = HEAD.pack(kind, number, 0, len(data))
        if len(data) < _BUFFER:
            self._out.append(memoryview(head + data))
        else:
            self._out += (memoryview(head), memoryview(data))
        self.send()

    @property
    def sending(self) -> bool:
        """Whether something is still to be sent."""
        return bool(self._out)

    def send(self) -> None:
        """Send what goes without waiting."""
        while self._out:
            data = self._out[0]
            try:
                sent = self.link.send(data, NO_SIGNAL)
            except (BlockingIOError, InterruptedError):
                return
            except OSError:  # it is gone; what it sent before is read before that is dealt with
                self._out.clear()
                return
            if sent < len(data):
                self._out[0] = data[sent:]
            else:
                self._out.popleft()

    def receive(self) -> tuple[int, int, float, bytearray] | None:
        """The next whole message that is there: kind, number, seconds spent, pickle. Sets `ended` at the end."""
        while not self.ended:
            if self._got < len(self._into):
                try:
                    count = self.link.recv_into(memoryview(self._into)[self._got :])
                except (BlockingIOError, InterruptedError):
                    return None
                except OSError:
                    count = 0
                self.ended = not count
                self._got += count
            elif self._into is self._head:
                self._into, self._got = bytearray(HEAD.unpack(self._head)[3]), 0
            else:
                data, self._into, self._got = self._into, self._head, 0
                kind, number, spent, _ = HEAD.unpack(self._head)
                return kind, number, spent / 1e6, data
        return None

    def kill(self) -> None:
        """End it now, whatever it is doing."""
        if os.getpid() == self._pid:  # a process forked from ours has no say
            with suppress(OSError, ValueError):
                self.process.kill()

    def join(self, patience: float = _PATIENCE) -> None:
        """Wait until it has ended, for some seconds."""
        if os.getpid() != self._pid:
            return
        # `process.join` waits for ever where the process has closed all its files: that looks like its end.
        until = monotonic() + patience
        wait([self.process.sentinel], patience)
        pause = 0.001
        while self.alive and monotonic() < until:
            sleep(pause)
            pause = min(2 * pause, 0.05)

    @property
    def alive(self) -> bool:
        """Whether it has not ended, as far as the system says."""
        if not self.process.is_alive():
            return False
        if os.name != "nt":
            with suppress(PermissionError):
                try:
                    os.kill(self.pid, 0)  # the program may collect the exit codes of all its children itself
                except ProcessLookupError:
                    return False
        return True

    def close(self) -> str:
        """Wait until it has ended, and say how: `exit code 1`, `SIGKILL`. One that does not end is left behind."""
        if os.getpid() != self._pid or self._closed:  # Ctrl-C may come between this and what follows it
            return ""
        self.join()
        self._closed = True
        code = self.process.exitcode
        self._close()
        if code is not None:
            self.process.close()
        return _how(code)

    def hang_up(self) -> None:
        """Let it end by itself: it has nothing to do, and learns that nothing will come."""
        self.link.close()

    def _close(self) -> None:
        self.link.close()
        self._lifeline.close()
        self._out.clear()


def _how(code: int | None) -> str:
    if code is None:
        return "cause unknown"  # the program collects the exit codes of all its children itself
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


@contextmanager
def _starting(context: BaseContext) -> Iterator[None]:
    """Let a process that is a daemon start ours, and keep Ctrl-C from ours until they ignore it.

    Daemons may have no children because these would outlive them; ours do not. Workers of Dask are daemons.
    """
    config: dict[str, Any] = getattr(multiprocessing.current_process(), "_config", {})
    daemon = config.get("daemon")
    mask = None
    if hasattr(signal, "pthread_sigmask"):
        if context.get_start_method() != "fork":
            from multiprocessing import resource_tracker

            resource_tracker.ensure_running()  # which would unblock it when it is started by the way
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        if daemon:
            config["daemon"] = False
        yield
    finally:
        if daemon:
            config["daemon"] = daemon
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
