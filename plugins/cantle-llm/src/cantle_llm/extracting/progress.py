"""A progress bar for calls that take long."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from threading import current_thread, main_thread
from time import monotonic
from typing import TYPE_CHECKING

from ..runs import Outcome

if TYPE_CHECKING:
    from cantle.commands import Bar

__all__ = ["SlowBar"]

_SLOW = 1.0
"""After so many seconds, with calls to come, the bar is shown."""


class SlowBar:
    """A bar on a terminal's standard error, in the main thread of the main process only. Called as calls end."""

    def __init__(self, total: int) -> None:
        self._total, self._done, self._begun = total, 0, monotonic()
        self._bar: Bar | None = None
        self._stack = ExitStack()
        self._may = current_thread() is main_thread() and sys.stderr is not None and sys.stderr.isatty()

    def __enter__(self) -> SlowBar:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def __call__(self, number: int, outcome: Outcome) -> None:
        """One more call has ended."""
        self._done += 1
        if self._bar is not None:
            self._bar.advance(1)
        elif self._may and self._done < self._total and monotonic() - self._begun > _SLOW:
            self._show()

    def tick(self) -> None:
        """Time has passed and no call has ended."""
        if self._bar is not None:
            self._bar.tick()
        elif self._may and monotonic() - self._begun > _SLOW:
            self._show()

    def _show(self) -> None:
        from multiprocessing import parent_process

        from cantle.commands import Bar

        self._may = parent_process() is None
        if self._may:
            self._bar = self._stack.enter_context(Bar(self._total, "Calls", "answer"))
            for _ in range(self._done):
                self._bar.advance(1)
