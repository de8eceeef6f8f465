"""A measure that says what it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..lengths import Measure

__all__ = ["Watched"]


class Watched:
    """Tells `seen` the start and the answer of every `fit`; all else is as the measure has it."""

    def __init__(self, measure: Measure, seen: Callable[[int, int], None]) -> None:
        self._measure, self._fit, self._seen = measure, measure.fit, seen
        self.exact, self.length, self.fit_back = measure.exact, measure.length, measure.fit_back
        for name in ("within", "back_to"):
            if hasattr(measure, name):
                setattr(self, name, getattr(measure, name))

    def release(self) -> None:
        """Tell nobody any more: whoever is told often holds this, and windows are not to wait for a collection."""
        self._seen = _nobody

    def fit(self, start: int, limit: float) -> int:
        """What the measure answers."""
        most = self._fit(start, limit)
        self._seen(start, most)
        return most

    def __getattr__(self, name: str) -> Any:
        return getattr(self._measure, name)


def _nobody(start: int, most: int) -> None:
    pass
