"""How many requests a minute a token may make."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import Problem

__all__ = ["Rated", "Rates"]

_MOST = 10_000
"""Tokens that are remembered; the one that was quiet for longest is forgotten first."""


class Rates:
    """A bucket for each token, which fills at `rate` a minute and holds a tenth of that, 10 at least."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate / 60, clock
        self._size = max(10.0, rate / 10)
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, token: str) -> float:
        """Take one for this request: 0.0, or the seconds until there is one again."""
        if not self._rate:
            return 0.0
        now = self._clock()
        left, since = self._buckets.pop(token, (self._size, now))
        left = min(self._size, left + (now - since) * self._rate)
        wait = 0.0 if left >= 1 else (1 - left) / self._rate
        self._buckets[token] = (left - 1 if not wait else left, now)
        if len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
        return wait


class Rated:
    """Answers 429 where a token asks too often. Requests without one pass: they are public, or refused already."""

    def __init__(self, app: ASGIApp, rates: Rates) -> None:
        self._app, self._rates = app, rates

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Count the request, then pass it on."""
        if scope["type"] == "http":
            caller = scope.get("state", {}).get("caller")
            if caller is not None and (wait := self._rates.take(caller.token_id)):
                seconds = math.ceil(wait)
                raise Problem(
                    429,
                    "rate_limited",
                    f"This token asks too often. Try again in {seconds} seconds.",
                    headers={"Retry-After": str(seconds)},
                )
        await self._app(scope, receive, send)
