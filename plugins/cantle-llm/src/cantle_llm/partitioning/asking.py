"""Windows asked of a model, several at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event
from typing import Any

from ..client.client import Run
from ..errors import BudgetError, ModelError
from ..lines import Line
from ..runs import Outcome, each
from .prompts import partitioning
from .reading import SCHEMA, Reading, read_answer
from .sessions import Window

__all__ = ["Asked", "ask"]

Told = Callable[[int], object]


class Asked:
    """What the windows gave: a reading or an error for each, and the error that ended the run early, if one did."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self.readings: list[Reading | None] = []
        self.errors: list[ModelError | None] = []
        for outcome in outcomes:
            error = outcome.value if isinstance(outcome.value, ModelError) else outcome.error
            self.readings.append(None if error is not None else outcome.value)
            self.errors.append(error)
        self.stopped = next((e for e in self.errors if e is not None and e.is_fatal), None)


def ask(
    text: str,
    lines: Sequence[Line],
    windows: Sequence[Window],
    run: Run,
    options: dict[str, Any],
    *,
    language: str | None,
    given: bool,
    told: Told,
    tick: Callable[[], object],
    stop: Event,
) -> Asked:
    """Ask for the blocks of every window.

    `told` gets the number of blocks as answers come, `tick` is called while none comes.

    A window for which the spending limit left nothing is a failure like others, and those after it are still tried:
    what is on file costs nothing. Where no call can succeed (a wrong key, no such model, an empty account) `ModelError`
    is raised, unless some windows were answered: what they cost is not thrown away.
    """

    from cantle.commands import say_waiting

    def work(window: Window) -> Reading | ModelError:
        if stop.is_set():
            raise ModelError("cancelled")
        messages = partitioning(text, lines[window.first : window.end], language, given)

        def read(answer: str) -> Reading:
            return read_answer(answer, window.number, window.end - window.first)

        try:
            found: Reading = run.complete(messages, check=read, schema=SCHEMA, schema_name="partition", **options)
        except BudgetError as error:
            return error
        return found

    def done(number: int, outcome: Outcome) -> None:
        told(len(outcome.value.labels) if isinstance(outcome.value, Reading) else 0)

    found = Asked(each(windows, work, workers=run.client.concurrency, done=done, waiting=tick, ending=say_waiting))
    fatal = next((e for e in found.errors if e is not None and e.is_fatal and not isinstance(e, BudgetError)), None)
    if fatal is not None and (fatal.reason == "cancelled" or not any(found.readings)):
        raise fatal
    return found
