"""What runs in a worker process: batches from the socket, answers to it, one at a time."""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import threading
from contextlib import suppress
from multiprocessing.connection import Connection
from time import perf_counter
from typing import Any

from .ends import keep
from .messages import ANSWER, BROKEN, FAILED, HEAD, NO_SIGNAL, PACKING, READY

__all__ = ["main"]

_TOGETHER = 1 << 20


def main(link: socket.socket, lifeline: Connection, place: Any) -> None:
    """Serve batches until the pool closes its end."""
    keep(link)
    keep(lifeline)
    _settle_signals()
    _end_with(lifeline)
    link.setblocking(True)
    with suppress(BrokenPipeError, ConnectionResetError, EOFError):  # the pool has ended
        _serve(link, place)


def _serve(link: socket.socket, place: Any) -> None:
    _, given = _received(link)
    try:
        work = pickle.loads(given)
    except Exception as error:  # an error here would only say that the process ended
        _send(link, BROKEN, 0, pickle.dumps(f"{type(error).__name__}: {error}"))
        return
    del given
    gc.freeze()  # what is there stays; looking at it again and again would copy the pages shared with the parent
    _send(link, READY, 0, b"")
    base = 0

    def mark(item: int) -> None:
        place[0] = base + item

    def part() -> None:
        nonlocal place
        place = _Gone()

    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=part)

    while True:
        number, given = _received(link)
        began = perf_counter()
        place[0] = number << 32
        base = (number << 32) + 1
        try:
            batch, skip = pickle.loads(given)
            del given
            answer = work(batch, skip, mark)
            place[0] = number << 32 | PACKING | (place[0] & (PACKING - 1))
            del batch
            kind, data = ANSWER, pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
        except Exception as error:
            kind, data = FAILED, _pickled(error)
        answer = None
        place[0] = 0  # before it is sent: that may take as long as the pool's caller likes
        _send(link, kind, number, data, int((perf_counter() - began) * 1e6))
        del data


class _Gone:
    """The place of a process that some document forked and that comes back here: two cannot give one answer."""

    def __setitem__(self, at: int, word: int) -> None:
        os._exit(1)

    def __getitem__(self, at: int) -> int:
        os._exit(1)


def _pickled(error: Exception) -> bytes:
    try:
        data = pickle.dumps(error, pickle.HIGHEST_PROTOCOL)
        pickle.loads(data)  # some exceptions pickle but do not come back
    except Exception:
        from ..errors import CantleError

        return pickle.dumps(CantleError(f"{type(error).__name__}: {error}"))
    return data


def _received(link: socket.socket) -> tuple[int, bytearray]:
    _, number, _, length = HEAD.unpack(_exactly(link, HEAD.size))
    return number, _exactly(link, length)


def _exactly(link: socket.socket, length: int) -> bytearray:
    data = bytearray(length)
    with memoryview(data) as view:
        got = 0
        while got < length:
            count = link.recv_into(view[got:])
            if not count:
                raise EOFError
            got += count
    return data


def _send(link: socket.socket, kind: int, number: int, data: bytes, spent: int = 0) -> None:
    head = HEAD.pack(kind, number, spent, len(data))
    if len(data) < _TOGETHER:  # one wakes the parent once
        link.sendall(head + data, NO_SIGNAL)
    else:
        link.sendall(head, NO_SIGNAL)
        link.sendall(data, NO_SIGNAL)


def _settle_signals() -> None:
    signal.set_wakeup_fd(-1)  # that of the parent, whose event loop would take our signals for its own
    # Ctrl-C reaches the whole process group; the parent decides what happens.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT, signal.SIGTERM})


def _end_with(lifeline: Connection) -> None:
    """End when the parent has ended, however: nobody would take our answers, and nobody could end us."""
    threading.Thread(target=_wait_and_end, args=(lifeline,), daemon=True).start()
    # The thread needs the interpreter's lock, which a pattern or a tokenizer may hold for hours. The kernel does not.
    with suppress(ImportError, AttributeError, OSError):
        import fcntl

        number = lifeline.fileno()
        signal.signal(signal.SIGIO, signal.SIG_DFL)  # which ends the process
        fcntl.fcntl(number, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(number, fcntl.F_SETFL, fcntl.fcntl(number, fcntl.F_GETFL) | os.O_ASYNC)


def _wait_and_end(lifeline: Connection) -> None:
    with suppress(OSError, EOFError):
        lifeline.recv_bytes()  # nothing is ever sent
    os._exit(1)
