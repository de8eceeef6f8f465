"""What a client is, and calls of one that may answer at once or be waited for."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import OptionError

if TYPE_CHECKING:
    import asyncio

__all__ = ["Client", "Waiter", "call_in_loop", "check_client", "is_ready"]


class Client(Protocol):
    """What `contextualize` needs of a client: `complete(messages, **options)`, ordinary or `async`.

    `messages` is a list of `{"role": "system" or "user", "content": str}`; the options are `temperature`, and `model`
    where one was given. The answer is the model's text. Retries, time limits and keys are the client's business. A
    client may have `ready` or `is_ready()`; where that is false, nothing is asked.
    """

    @property
    def complete(self) -> Callable[..., str | Awaitable[str]]:
        """The model's answer to `complete(messages, **options)`."""
        ...


def check_client(client: Any) -> None:
    """Raise `OptionError` for what is no client."""
    if not callable(getattr(client, "complete", None)):
        raise OptionError(
            f"client must have a method complete(messages, **options) that gives the model's answer, got {client!r}. "
            "A client of another library is wrapped in a class with that method."
        )


def is_ready(client: Any) -> Any:
    """What the client says of itself, perhaps an awaitable; True when it says nothing."""
    for name in ("ready", "is_ready"):
        value = getattr(client, name, None)
        if value is not None:
            return value() if callable(value) else value
    return True


class Waiter:
    """Waits for awaitables from code that cannot: in an event loop of its own, in a thread of its own.

    All of a run are awaited in the same loop, since clients tie connections to one. The thread starts with the first
    awaitable; `close` ends it.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None

    def __enter__(self) -> Waiter:
        return self

    def __exit__(self, *error: object) -> None:
        if self._thread is not None and self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join()

    def __call__(self, value: Any) -> Any:
        """The value, or what it gives when it is awaited. May be called from several threads at once."""
        if not inspect.isawaitable(value):
            return value
        import asyncio

        with self._lock:
            if self._loop is None:
                self._start()
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(_settled(value), self._loop).result()

    def _start(self) -> None:
        import asyncio
        from threading import Event

        started = Event()

        async def serve() -> None:
            self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
            started.set()
            await self._stop.wait()

        self._thread = Thread(target=asyncio.run, args=(serve(),), name="cantle-notes-loop", daemon=True)
        self._thread.start()
        started.wait()


def _settled(value: Awaitable[Any]) -> Coroutine[Any, Any, Any]:
    async def wait() -> Any:
        return await value

    return wait()


def call_in_loop(function: Callable[..., Any]) -> bool:
    """Whether the function is a coroutine function, to be called in the loop; others may block and get a thread."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
