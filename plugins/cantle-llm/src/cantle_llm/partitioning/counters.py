"""What happened in this process, for monitoring."""

from __future__ import annotations

from collections import Counter
from threading import Lock

__all__ = ["count", "counts"]

_NAMES = ("partitions", "sessions", "failed_sessions", "fallbacks", "repairs", "coverage_failures", "stopped")
_counter = Counter[str]()
_lock = Lock()


def count(**more: int) -> None:
    """Add to the counters."""
    with _lock:
        _counter.update(more)


def counts() -> dict[str, int]:
    """How often since the process began: `partitions` made, `sessions` of a model in them, `failed_sessions`,
    `fallbacks` (partitions with blocks made mechanically), `repairs` of answers, `coverage_failures` (below
    `min_coverage`), `stopped` (by a spending limit or an empty account). A copy; safe to call from any thread.
    """
    with _lock:
        return {name: _counter[name] for name in _NAMES}
