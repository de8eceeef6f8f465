"""How many are worked on at once, and how many may wait."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType

from ..errors import Problem

__all__ = ["Gate", "Limits"]


class Gate:
    """Lets `limit` in at once; `queue` may wait, the next is told to come back (503 with Retry-After).

    ```python
    async with request.app.state.limits.jobs:
        ...
    ```
    """

    def __init__(self, limit: int, queue: int) -> None:
        self._semaphore = asyncio.Semaphore(limit)
        self._queue = queue
        self.inside = 0
        self.waiting = 0

    async def __aenter__(self) -> None:
        if self._semaphore.locked() and self.waiting >= self._queue:
            raise Problem(
                503,
                "busy",
                f"{self.waiting} requests wait already. Try again soon.",
                headers={"Retry-After": "2"},
            )
        self.waiting += 1
        try:
            await self._semaphore.acquire()
        finally:
            self.waiting -= 1
        self.inside += 1

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.inside -= 1
        self._semaphore.release()


@dataclass(frozen=True)
class Limits:
    """The gates of an app: `jobs` for requests that take long and wait for others, such as models and databases."""

    jobs: Gate
