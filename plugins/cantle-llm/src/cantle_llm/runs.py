"""Many calls, some at once: results in the order of the items, and an end that loses nothing that was paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from .errors import ModelError

__all__ = ["Outcome", "each"]

_Item = TypeVar("_Item")

_BEAT = 0.5
"""Seconds between two calls of `waiting`, and between two looks at the keyboard where a wait cannot be interrupted."""


class Outcome(NamedTuple):
    """What a call gave, or why it failed."""

    value: Any = None
    error: ModelError | None = None


def each(
    items: Sequence[_Item],
    work: Callable[[_Item], Any],
    *,
    workers: int,
    done: Callable[[int, Outcome], object] | None = None,
    waiting: Callable[[], object] | None = None,
    ending: Callable[[int], object] | None = None,
) -> list[Outcome]:
    """`work` on every item, at most `workers` at once. The outcomes are in the order of the items.

    A `ModelError` is an outcome; after one that is fatal no call is begun any more, and the items that are left have it
    too. In the calling thread, `done(number, outcome)` is called as calls end, and `waiting()` about twice a second
    while none does. With one worker, `work` is called in that thread as well.

    When it is interrupted (Ctrl-C), or `done`, `waiting` or `work` raises something else, no call is begun any more,
    `ending(number)` is told how many are under way, and these are waited for, so that their answers are recorded; then
    the exception goes on. A second Ctrl-C ends that wait at once: threads that are still at work end with the process.
    """
    run = _Alone(work) if workers <= 1 else _Crew(work, min(workers, len(items)), waiting)
    outcomes = [Outcome(error=ModelError("cancelled"))] * len(items)
    told = done or (lambda number, outcome: None)
    fatal: ModelError | None = None
    at = 0
    try:
        while run.busy or (at < len(items) and fatal is None):
            while at < len(items) and run.has_room and fatal is None:
                run.begin(at, items[at])
                at += 1
            number, outcome = run.next()
            outcomes[number] = outcome
            if outcome.error is not None and outcome.error.is_fatal:
                fatal = fatal or outcome.error
            told(number, outcome)
    except BaseException:
        run.stop()
        if run.at_work and ending is not None:
            ending(run.at_work)
        run.join()
        raise
    run.stop()
    run.join()
    for number in range(at, len(items)):
        outcomes[number] = Outcome(error=fatal)
    return outcomes


class _Alone:
    """Work in the calling thread."""

    has_room = True
    busy = at_work = 0

    def __init__(self, work: Callable[[Any], Any]) -> None:
        self._work = work

    def begin(self, number: int, item: Any) -> None:
        self._begun = (number, item)
        self.busy, self.has_room = 1, False

    def next(self) -> tuple[int, Outcome]:
        number, item = self._begun
        self.busy, self.has_room = 0, True  # an exception ends it as well
        return number, _attempt(self._work, item)

    def stop(self) -> None:
        """Nothing is begun by itself."""

    def join(self) -> None:
        """There is nobody to wait for."""


class _Crew:
    """Work in threads. They are daemons: a process that has to end at once need not wait for them.

    An interrupt may come between any two steps of the calling thread. So what it counts (`busy`) is of use only until
    then; who is at work the threads say themselves, and the end is when they have ended.
    """

    def __init__(self, work: Callable[[Any], Any], size: int, waiting: Callable[[], object] | None) -> None:
        self._work, self._size, self._waiting = work, size, waiting
        self._orders: SimpleQueue[tuple[int, Any, Context] | None] = SimpleQueue()
        self._ended: SimpleQueue[tuple[int, Outcome | BaseException]] = SimpleQueue()
        self._threads: list[Thread] = []
        self._at_work: set[int] = set()
        self._stopped = False
        self.busy = 0

    @property
    def has_room(self) -> bool:
        return self.busy < self._size

    @property
    def at_work(self) -> int:
        return len(self._at_work)

    def begin(self, number: int, item: Any) -> None:
        self.busy += 1
        self._orders.put((number, item, copy_context()))
        if len(self._threads) < self.busy:
            thread = Thread(target=self._serve, name=f"cantle-llm-{len(self._threads)}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def _serve(self) -> None:
        while (order := self._orders.get()) is not None and not self._stopped:
            number, item, context = order
            self._at_work.add(number)
            try:
                ended: Outcome | BaseException = context.run(_attempt, self._work, item)
            except BaseException as error:
                ended = error
            self._at_work.discard(number)
            self._ended.put((number, ended))
            del order, item, context, ended

    def next(self) -> tuple[int, Outcome]:
        while True:
            try:
                number, ended = self._ended.get(timeout=_BEAT)
            except Empty:
                if self._waiting is not None:
                    self._waiting()
                continue
            self.busy -= 1
            if isinstance(ended, BaseException):
                raise ended
            return number, ended

    def stop(self) -> None:
        """Nothing is begun any more."""
        self._stopped = True
        for _ in self._threads:
            self._orders.put(None)

    def join(self) -> None:
        """Wait for what is under way."""
        for thread in self._threads:
            while thread.is_alive():
                thread.join(_BEAT)


def _attempt(work: Callable[[Any], Any], item: Any) -> Outcome:
    try:
        return Outcome(work(item))
    except ModelError as error:
        return Outcome(error=error)
