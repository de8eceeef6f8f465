"""Many values a few at a time: databases limit how many a statement may have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

__all__ = ["BATCH", "batches"]

BATCH = 500
"""So many at a time; SQLite took no more than 999 for a long time."""

T = TypeVar("T")


def batches(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """The values in lists of `size`, the last one may be shorter."""
    left = iter(values)
    while some := list(islice(left, size)):
        yield some
