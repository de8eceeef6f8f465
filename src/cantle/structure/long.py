"""Stretches that are too long to be looked at as a whole: there what is far ahead decides nothing.

So a text of any length can be cut while it is read, with the same chunks. (See `windows`.)
"""

from __future__ import annotations

__all__ = ["head", "is_long"]

LONG = 1 << 19
"""In code points."""


def is_long(start: int, end: int) -> bool:
    """Whether a stretch is so long."""
    return end - start > LONG


def head(start: int) -> int:
    """Where the part of a long stretch ends that decides for all of it."""
    return start + LONG
