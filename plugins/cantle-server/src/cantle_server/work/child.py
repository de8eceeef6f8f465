"""What a worker process runs: calls from standard input, answers to standard output, one at a time.

A message is its length in 8 bytes and a pickle. A call is `(function, args, seconds)`; an answer is `("piece", value)`
for each item of a generator, then `("done", value)` or `("error", exception)`.
"""

from __future__ import annotations

import inspect
import os
import pickle
import signal
import sys
import time
from collections.abc import Iterator
from types import GeneratorType
from typing import IO, Any

__all__ = ["GRACE", "main"]

_BUFFER = 1 << 18
_WAIT = 0.05

GRACE = 5.0
"""Seconds after its time that a worker ends by itself, should nobody have ended it: its parent was killed, say."""


def main() -> None:
    """Serve calls until standard input ends."""
    calls = sys.stdin.buffer
    answers = os.fdopen(os.dup(1), "wb", buffering=_BUFFER)
    os.dup2(2, 1)  # what a strategy prints goes to the log, not between the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
    paths, memory, network, warm = _received(calls)
    sys.path[:] = paths
    if not network:
        sys.addaudithook(_offline)
    if warm:
        _preload()
    _limit(memory)
    _send(answers, ("ready", os.getpid()))
    answers.flush()
    while True:
        try:
            data = _frame(calls)
        except EOFError:
            return
        try:
            function, args, seconds = pickle.loads(data)
            _alarm(seconds + GRACE)
            flushed = time.monotonic()
            for answer in _answers(function, args):
                _send(answers, answer)
                # Small results go at once and whole: that costs least. Long ones are not kept waiting.
                if (now := time.monotonic()) - flushed > _WAIT:
                    answers.flush()
                    flushed = now
            answers.flush()
        except BrokenPipeError:
            return
        except BaseException as error:
            _send(answers, ("error", _sendable(error)))
            answers.flush()
        finally:
            _alarm(0)


def _answers(function: Any, args: tuple[Any, ...]) -> Iterator[tuple[str, Any]]:
    value = function(*args)
    if isinstance(value, GeneratorType) or inspect.isgenerator(value):
        for piece in value:
            yield "piece", piece
        value = None
    yield "done", value


def _sendable(error: BaseException) -> BaseException:
    """The error, or one that stands for it: some exceptions do not pickle, some do not come back."""
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    error = error.with_traceback(None)
    error.__cause__ = error.__context__ = None
    error.worker_places = places[-20:]  # type: ignore[attr-defined]  # for the log
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__module__}.{type(error).__qualname__}")
    return error


def _frame(stream: IO[bytes]) -> bytes:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    return stream.read(int.from_bytes(head, "big"))


def _received(stream: IO[bytes]) -> Any:
    return pickle.loads(_frame(stream))


def _send(stream: IO[bytes], message: Any) -> None:
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    stream.write(len(data).to_bytes(8, "big"))
    stream.write(data)


def _alarm(seconds: float) -> None:
    """Have the kernel end this process then; it does so whatever Python is busy with."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


def _limit(megabytes: int) -> None:
    """No more memory than this: a document that asks for more gets an error, and the machine lives on."""
    if not megabytes:
        return
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))


def _preload() -> None:
    """Load what most calls need, so that the first is as quick as the others."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from cantle import MDocument, registry

        registry()
        for kind in ("text", "markdown", "html", "json", "latex", "pdf"):
            text = '{"a": "b"}' if kind == "json" else "# A\n\nb c d. E f g.\n"
            MDocument(text, kind).chunk(max_size=8).to_jsonl()
        for encoding in ("cl100k_base", "o200k_base"):
            MDocument("a b c").chunk(max_size=8, length_function=encoding).to_jsonl()


_NETWORK = frozenset(
    {"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind", "socket.sendto", "socket.sendmsg"}
)
_PROGRAMS = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.fork", "os.forkpty"})


def _offline(event: str, args: tuple[Any, ...]) -> None:
    """Refuse network and programs: nothing that a request asks of a worker may reach beyond it."""
    if event in _NETWORK or event in _PROGRAMS:
        from cantle.errors import OptionError

        raise OptionError(
            f"The request needs the network or another program ({event}), which documents are cut without here."
        )


if __name__ == "__main__":
    main()
