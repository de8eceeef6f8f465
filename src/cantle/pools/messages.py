"""What goes between a pool and its workers, and the place that a worker is at, in memory that both see.

A message is a head (kind, number of the batch, microseconds that it took, length) and a pickle.
"""

from __future__ import annotations

import socket
from struct import Struct

__all__ = ["ANSWER", "BATCH", "BROKEN", "FAILED", "HEAD", "NO_SIGNAL", "PACKING", "READY", "WORK", "place_of"]

HEAD = Struct("<BQQQ")

WORK, BATCH = range(2)
"""To a worker: what it shall do, a pickle; a batch, as `(batch, skip)`."""

READY, BROKEN, ANSWER, FAILED = range(4)
"""From a worker: it can begin; it cannot, and why (a string); the answer to a batch; the exception that ended it."""

PACKING = 1 << 31
"""The bit of a place that says that all items are done, and the answer is being packed."""

NO_SIGNAL: int = getattr(socket, "MSG_NOSIGNAL", 0)
"""For sending: a program may have given SIGPIPE its default back, which ends it."""


def place_of(word: int) -> tuple[int, int | None, bool]:
    """Number of the batch that a worker is at, 0 for none; the item, None before the first; whether it is packing.

    The word is one 64-bit number, so that it is never seen half written.
    """
    item = word & (PACKING - 1)
    return word >> 32, item - 1 if item else None, bool(word & PACKING)
