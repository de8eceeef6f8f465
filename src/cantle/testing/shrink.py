"""Making a failing text smaller while it still fails."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["smallest"]


def smallest(text: str, fails: Callable[[str], bool], budget: int = 3_000_000) -> str:
    """A short text that still fails, by leaving out ever smaller pieces.

    `budget` is how many characters may be tried in all: the answer depends on it and on the text,
    not on the clock.
    """
    size = len(text) // 2
    while size:
        at = 0
        while at < len(text):
            candidate = text[:at] + text[at + size :]
            budget -= len(candidate) + 100
            if budget < 0:
                return text
            if fails(candidate):
                text = candidate
            else:
                at += size
        size = size // 2 if size < len(text) else len(text) // 2
    return text
