"""Waits for what `async` clients answer, in threads that cannot."""

from __future__ import annotations

import inspect
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio

__all__ = ["Loop"]


class Loop:
    """One event loop in a thread of its own, for all calls: clients tie connections to it. Started when needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def settled(self, value: Any) -> Any:
        """The value, or what it gives when it is awaited. May be called from several threads at once."""
        if not inspect.isawaitable(value):
            return value
        import asyncio

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, name="cantle-llm-loop", daemon=True)
                self._thread.start()

        async def wait() -> Any:
            return await value

        return asyncio.run_coroutine_threadsafe(wait(), self._loop).result()

    def close(self) -> None:
        """End the thread. Nothing may be waited for any more."""
        if self._loop is not None and self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
