"""One at a time for each key: what two threads want is asked once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["Flights"]


class Flights:
    """Locks by key, kept only as long as somebody has or wants them."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._held: dict[str, tuple[Lock, int]] = {}

    @contextmanager
    def alone(self, key: str) -> Iterator[None]:
        """Run with no other thread in here that has the same key."""
        with self._lock:
            lock, wanted = self._held.get(key, (Lock(), 0))
            self._held[key] = (lock, wanted + 1)
        try:
            with lock:
                yield
        finally:
            with self._lock:
                wanted = self._held[key][1] - 1
                if wanted:
                    self._held[key] = (lock, wanted)
                else:
                    del self._held[key]
