"""Many calls, some at once: each is made once, and what it gave is handed over in the calling thread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import NamedTuple, TypeVar

from .notes import Block

__all__ = ["Deliver", "Outcome", "drive", "drive_async"]

_Call = TypeVar("_Call")

_BEAT = 0.5
"""Seconds between two calls of `Deliver.beat`."""


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
    def beat(self) -> None:
        """Called about twice a second while no call ends."""

    @abstractmethod
    def ending(self, calls: int) -> None:
        """An exception ends the run, and so many calls are waited for."""

    @abstractmethod
    def report(self, block: Block, outcome: Outcome) -> bool:
        """Warn, show progress; False stops the run. May raise."""

    def __call__(self, block: Block, outcome: Outcome) -> bool:
        """Store, then tell."""
        self.keep(block, outcome)
        return self.report(block, outcome)


def drive(blocks: Sequence[Block], attempt: Callable[[Block], Outcome], deliver: Deliver, workers: int) -> None:
    """`attempt` every block, at most `workers` at once. One after another it is done in the calling thread.

    When a report stops the run or raises, no call is begun any more; those under way are waited for and kept. A second
    Ctrl-C ends that wait: threads that are still at work end with the process.
    """
    if workers == 1:
        for block in blocks:
            if not deliver(block, attempt(block)):
                return
        return
    crew, waiting, going = _Crew(attempt), iter(blocks), True
    try:
        while True:
            while going and crew.busy < workers and (begun := next(waiting, None)) is not None:
                crew.begin(begun)
            if not crew.busy:
                break
            crew.wait(deliver.beat)
            while crew.ended:
                block, outcome = crew.ended[0]
                going = deliver(block, outcome) and going
                del crew.ended[0]
    except BaseException:  # another interrupt, wherever in here it comes, ends the wait
        crew.stop()
        deliver.ending(len(crew.at_work))
        crew.join()
        for block, outcome in crew.ended:
            deliver.keep(block, outcome)
        raise
    crew.stop()
    crew.join()  # none is at work: they end at once


class _Crew:
    """Threads that make calls. They are daemons: a process that has to end at once need not wait for them."""

    def __init__(self, attempt: Callable[[Block], Outcome]) -> None:
        self._attempt = attempt
        self._orders: SimpleQueue[tuple[Block, Context] | None] = SimpleQueue()
        self._given: SimpleQueue[tuple[Block, Outcome | BaseException]] = SimpleQueue()
        self._threads: list[Thread] = []
        self._stopped = False
        self.at_work: set[int] = set()
        self.busy = 0
        self.ended: list[tuple[Block, Outcome]] = []
        """What has been given and not yet delivered."""

    def begin(self, block: Block) -> None:
        """Have a call made."""
        self.busy += 1
        self._orders.put((block, copy_context()))
        if len(self._threads) < self.busy:
            self._threads.append(Thread(target=self._serve, name=f"cantle-notes-{len(self._threads)}", daemon=True))
            self._threads[-1].start()

    def _serve(self) -> None:
        while (order := self._orders.get()) is not None and not self._stopped:
            block, context = order
            self.at_work.add(block.number)
            try:
                given: Outcome | BaseException = context.run(self._attempt, block)
            except BaseException as error:
                given = error
            self._given.put((block, given))
            self.at_work.discard(block.number)

    def wait(self, beat: Callable[[], object]) -> None:
        """Until a call or several have ended, which are `ended` then."""
        while True:
            try:
                some = [self._given.get(timeout=_BEAT)]
                break
            except Empty:
                beat()
        some += self._rest()
        self.busy -= len(some)
        some.sort(key=lambda one: one[0].number)
        self.ended += [(block, given) for block, given in some if not isinstance(given, BaseException)]
        for _, given in some:
            if isinstance(given, BaseException):
                raise given

    def _rest(self) -> list[tuple[Block, Outcome | BaseException]]:
        some = []
        with suppress(Empty):
            while True:
                some.append(self._given.get_nowait())
        return some

    def stop(self) -> None:
        """Begin nothing more."""
        self._stopped = True
        for _ in self._threads:
            self._orders.put(None)

    def join(self) -> None:
        """Wait for what is under way."""
        for thread in self._threads:
            while thread.is_alive():
                thread.join(_BEAT)
        self.ended += [(block, given) for block, given in self._rest() if not isinstance(given, BaseException)]


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
