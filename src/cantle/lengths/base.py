"""What a length function is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

__all__ = ["Length", "LengthLike", "Measure", "fit_back", "within"]


class Measure(Protocol):
    """Lengths of stretches of one text. Positions are code points of that text, ends exclusive."""

    exact: bool
    """Whether `fit` and `fit_back` are exact and no stretch is longer than one that contains it.

    Where it is False, `fit` and `fit_back` are good guesses, and `length` decides.
    """

    def length(self, start: int, end: int) -> float:
        """The length of `text[start:end]`, counted alone."""
        ...

    def fit(self, start: int, limit: float) -> int:
        """The greatest end with `length(start, end) <= limit`; `start` when nothing fits."""
        ...

    def fit_back(self, end: int, limit: float) -> int:
        """The smallest start with `length(start, end) <= limit`; `end` when nothing fits."""
        ...


def within(measure: Measure, start: int, end: int, limit: float) -> bool:
    """Whether `text[start:end]` measures at most `limit`. A measure that can tell without measuring has this method."""
    quick: Callable[[int, int, float], bool] | None = getattr(measure, "within", None)
    return measure.length(start, end) <= limit if quick is None else quick(start, end, limit)


def fit_back(measure: Measure, end: int, limit: float, least: int) -> int:
    """`measure.fit_back(end, limit)`, or `least` if that is more; by `back_to` where a measure has that."""
    near: Callable[[int, float, int], int] | None = getattr(measure, "back_to", None)
    return max(measure.fit_back(end, limit), least) if near is None else near(end, limit, least)


@runtime_checkable
class Length(Protocol):
    """A length function: `length(text)` is a number that is not negative, 0 for the empty text."""

    def __call__(self, text: str, /) -> float:
        """The length of the whole text."""
        ...

    def measure(self, text: str) -> Measure:
        """Prepare to answer for stretches of `text`."""
        ...


LengthLike = str | Length | Callable[[str], float] | Any
"""What the option `length_function` takes: a name, a `Length`, a callable, an object with `encode`."""
