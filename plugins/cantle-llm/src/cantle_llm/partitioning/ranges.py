"""Numbers of lines as ranges."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["runs_of"]


def runs_of(numbers: Iterable[int]) -> list[tuple[int, int]]:
    """Ascending numbers as inclusive ranges."""
    found: list[tuple[int, int]] = []
    for number in numbers:
        if found and number == found[-1][1] + 1:
            found[-1] = (found[-1][0], number)
        else:
            found.append((number, number))
    return found
