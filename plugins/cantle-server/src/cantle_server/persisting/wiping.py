"""What edits take away is wiped from the disk a while after them, since that takes time in proportion to the store."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from typing import Any

__all__ = ["Wiping"]

_log = logging.getLogger("cantle_server")

_MOST = 10
"""So many pauses at most are waited for the end of the edits."""


class Wiping:
    """Wipes a store once there was no edit for `pause` seconds, or after ten pauses, and when the service ends.

    Deletions are wiped before they are answered; a crash in between leaves a mark in the store, and the next wipe does
    it.
    """

    def __init__(self, pause: float) -> None:
        self._pause = pause
        self._edited = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._store: Any = None

    def start(self, store: Any) -> None:
        """Begin; called in the event loop. What an earlier service left is wiped too."""
        self._loop, self._store = asyncio.get_running_loop(), store
        self._edited.set()
        self._task = self._loop.create_task(self._run())

    def later(self) -> None:
        """An edit took something away. May be called from any thread."""
        if self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop has ended: the mark in the store stays
                self._loop.call_soon_threadsafe(self._edited.set)

    async def stop(self) -> None:
        """Wipe what is left."""
        if self._task is None:
            return
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if self._edited.is_set():
            await self._wipe()

    async def _run(self) -> None:
        while True:
            await self._edited.wait()
            for _ in range(_MOST):
                self._edited.clear()
                try:
                    await asyncio.sleep(self._pause)
                except asyncio.CancelledError:
                    self._edited.set()
                    raise
                if not self._edited.is_set():
                    break
            self._edited.clear()
            await self._wipe()

    async def _wipe(self) -> None:
        # A wipe that has begun is not left alone: closing the store under it would break it off.
        work = asyncio.ensure_future(asyncio.to_thread(self._store.wipe))
        try:
            done = await asyncio.shield(work)
        except asyncio.CancelledError:
            await asyncio.wait([work])
            raise
        except Exception as error:
            _log.error("what was edited could not be wiped", extra={"fields": {"error": type(error).__name__}})
            return
        if not done:
            _log.warning("what was edited is not wiped yet: the store was being read all the time")
            self._edited.set()
