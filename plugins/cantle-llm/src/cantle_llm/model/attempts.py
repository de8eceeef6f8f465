"""What became of the requests of one call: an SDK tries again by itself, and a lost request may have been billed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

__all__ = ["Attempts", "current", "watched"]


class Attempts:
    """Requests of a call. `again` is called before one that follows a lost one, and may raise to prevent it."""

    def __init__(self, again: Callable[[], object] = lambda: None) -> None:
        self.sent = 0
        self.settled = 0
        """Those whose end is known: an error status, which costs nothing, or an answer, which is counted."""
        self._again = again

    @property
    def lost(self) -> int:
        """Those that were sent, and of which nothing came back: the provider may have done the work."""
        return self.sent - self.settled

    def send(self) -> None:
        """A request is about to be sent."""
        if self.lost:
            self._again()
        self.sent += 1

    def settle(self) -> None:
        """The last request came to a known end."""
        self.settled = min(self.sent, self.settled + 1)


_attempts: ContextVar[Attempts | None] = ContextVar("cantle_llm_attempts", default=None)


def current() -> Attempts:
    """Those of the call under way in this thread; new ones where nobody watches."""
    return _attempts.get() or Attempts()


@contextmanager
def watched(attempts: Attempts) -> Iterator[Attempts]:
    """Count what is sent in here."""
    token = _attempts.set(attempts)
    try:
        yield attempts
    finally:
        _attempts.reset(token)
