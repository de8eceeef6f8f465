"""Functions of others that may be `async`, called from code that is not."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

__all__ = ["Waiter", "is_coroutine_function"]


class Waiter:
    """Waits for awaitables from code that cannot: in an event loop of its own, in a thread of its own.

    All of a run are awaited in the same loop, since clients tie connections to one. The thread starts with the first
    awaitable and ends with the `with` block.
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

        self._thread = Thread(target=asyncio.run, args=(serve(),), name="cantle-loop", daemon=True)
        self._thread.start()
        started.wait()


async def _settled(value: Awaitable[Any]) -> Any:
    return await value


def is_coroutine_function(function: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine, also for an object whose `__call__` is one; others may block."""
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004
