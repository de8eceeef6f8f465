"""Many calls, some at once: results in the order of the items, and an end that loses nothing that was paid for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from .errors import ModelError

__all__ = ["Outcome", "each"]

_Item = TypeVar("_Item")


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
) -> list[Outcome]:
    """`work` on every item, at most `workers` at once. The outcomes are in the order of the items.

    A `ModelError` is an outcome; after one that is fatal no call is begun any more, and the items that are left have it
    too. `done(number, outcome)` is called in the calling thread as calls end. When it is interrupted (Ctrl-C), or
    `done` or `work` raises something else, calls under way are waited for, so that their answers are recorded, and none
    is begun.
    """
    from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
    from contextvars import copy_context

    outcomes = [Outcome(error=ModelError("cancelled"))] * len(items)
    told = done or (lambda number, outcome: None)

    def attempt(item: _Item) -> Outcome:
        try:
            return Outcome(work(item))
        except ModelError as error:
            return Outcome(error=error)

    fatal: ModelError | None = None
    at, running = 0, dict[Future[Outcome], int]()
    with ThreadPoolExecutor(max(1, min(workers, len(items))), "cantle-llm") as pool:
        try:
            while running or (at < len(items) and fatal is None):
                while at < len(items) and len(running) < workers and fatal is None:
                    running[pool.submit(copy_context().run, attempt, items[at])] = at
                    at += 1
                for future in sorted(wait(running, return_when=FIRST_COMPLETED).done, key=running.__getitem__):
                    number = running.pop(future)
                    outcomes[number] = outcome = future.result()
                    if outcome.error is not None and outcome.error.is_fatal:
                        fatal = fatal or outcome.error
                    told(number, outcome)
        except BaseException:
            wait(running)
            raise
    for number in range(at, len(items)):
        outcomes[number] = Outcome(error=fatal)
    return outcomes
