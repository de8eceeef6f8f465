"""Many calls, some at once: each is made once, and what it gave is handed over in the calling thread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from .notes import Block

__all__ = ["Deliver", "Outcome", "drive", "drive_async"]

_Call = TypeVar("_Call")


class Outcome(NamedTuple):
    """A note, or why there is none: the client's error, or None for an empty answer."""

    note: str
    error: Exception | None = None


class Deliver(ABC):
    """Takes outcomes. `keep` stores one and cannot fail; `report` tells of it, and says whether to go on."""

    @abstractmethod
    def keep(self, block: Block, outcome: Outcome) -> None:
        """Store the note, if there is one."""

    @abstractmethod
    def report(self, block: Block, outcome: Outcome) -> bool:
        """Warn, show progress; False stops the run. May raise."""

    def __call__(self, block: Block, outcome: Outcome) -> bool:
        """Store, then tell."""
        self.keep(block, outcome)
        return self.report(block, outcome)


def drive(blocks: Sequence[Block], attempt: Callable[[Block], Outcome], deliver: Deliver, workers: int) -> None:
    """`attempt` every block, at most `workers` at once. One after another it is done in the calling thread.

    When a report stops the run or raises, no call is begun any more; those under way are waited for and kept.
    """
    if workers == 1:
        for block in blocks:
            if not deliver(block, attempt(block)):
                return
        return
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
    from contextvars import copy_context

    waiting, running, going = iter(blocks), dict[Future[Outcome], Block](), True
    with ThreadPoolExecutor(workers, "cantle-notes") as pool:
        try:
            while True:
                while going and len(running) < workers and (next_one := next(waiting, None)) is not None:
                    running[pool.submit(copy_context().run, attempt, next_one)] = next_one
                if not running:
                    return
                for future in _in_order(wait(running, return_when=FIRST_COMPLETED).done, running):
                    going = deliver(running.pop(future), future.result()) and going
        finally:
            for future in _in_order(wait(running).done, running):
                if future.exception() is None:
                    deliver.keep(running[future], future.result())


async def drive_async(
    blocks: Sequence[Block], attempt: Callable[[Block], Awaitable[Outcome]], deliver: Deliver, workers: int
) -> None:
    """Like `drive`, in the running event loop. When it is cancelled, calls under way are too."""
    import asyncio

    waiting, running, going = iter(blocks), dict[asyncio.Future[Outcome], Block](), True
    try:
        while True:
            while going and len(running) < workers and (block := next(waiting, None)) is not None:
                running[asyncio.ensure_future(attempt(block))] = block
            if not running:
                return
            done, _ = await asyncio.wait(running, return_when=asyncio.FIRST_COMPLETED)
            for task in _in_order(done, running):
                going = deliver(running.pop(task), task.result()) and going
    except asyncio.CancelledError:
        for task in running:
            task.cancel()
        raise
    finally:
        if running:
            for task in _in_order((await asyncio.wait(running))[0], running):
                if not task.cancelled() and task.exception() is None:
                    deliver.keep(running[task], task.result())


def _in_order(done: Iterable[_Call], running: Mapping[_Call, Block]) -> list[_Call]:
    return sorted(done, key=lambda call: running[call].number)
