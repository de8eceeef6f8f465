"""Usage and cost of a run, and the spending limit, kept over all calls that are under way at once."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from threading import Lock

from ..errors import BudgetError
from ..model.protocol import Reply, Request
from .prices import Price
from .usage import Control, Cost, Usage

__all__ = ["Ledger"]

_MILLION = Decimal(1_000_000)
_PER_MESSAGE = 8
"""Tokens that a provider puts around each message, at most."""


class Ledger:
    """What calls used. `parent` is told too: a run's ledger has the client's, which holds the limit."""

    def __init__(
        self,
        name: str,
        price: Price | None,
        count: Callable[[str], float],
        *,
        budget: Decimal | None = None,
        parent: Ledger | None = None,
    ) -> None:
        self.name, self.price, self.budget = name, price, budget
        self._count, self._parent = count, parent
        self._lock = Lock()
        self._parts: list[Usage] = []
        self._cost = Cost(pricing_missing=price is None, matched_pricing_key=price.key if price else None)
        self._reserved = Decimal(0)
        self._ratio = Decimal(1)  # what providers counted above what we did
        self._reasons: list[str] = []

    @property
    def usage(self) -> Usage:
        """All calls together."""
        with self._lock:
            return Usage.total(self._parts, self.name)

    @property
    def cost(self) -> Cost:
        """What they cost."""
        with self._lock:
            return self._cost

    @property
    def control(self) -> Control:
        """`allow`, or `stop` once a call was not made because of the limit."""
        with self._lock:
            return Control(decision="stop" if self._reasons else "allow", reasons=tuple(self._reasons))

    def run(self, name: str) -> Ledger:
        """A ledger of one run, whose calls count here too."""
        return Ledger(name, self.price, self._count, parent=self)

    def reserve(self, request: Request) -> Decimal:
        """Set aside what a call may cost at most. Raises `BudgetError` where that could exceed the limit."""
        if self._parent is not None:
            try:
                return self._parent.reserve(request)
            except BudgetError as error:
                self._note(error)
                raise
        if self.budget is None or self.price is None:
            return Decimal(0)
        with self._lock:
            tokens = Decimal(self._tokens_of(request)) * self._ratio
            most = self._money(tokens, Decimal(request.max_output_tokens or 0))
            spent = self._cost.total_cost + self._reserved
            if spent + most > self.budget:
                over = BudgetError(
                    detail=f"The limit is {self.budget:f} USD; {self._cost.total_cost:f} are spent, "
                    f"{self._reserved:f} set aside for calls under way, and the next one may cost {most:f}."
                )
            else:
                self._reserved += most
                return most
        self._note(over)
        raise over

    def _note(self, error: BudgetError) -> None:
        with self._lock:
            if not self._reasons:
                self._reasons.append(f"budget_exceeded: {error.detail}")

    def release(self, reserved: Decimal) -> None:
        """Give back what was set aside."""
        if self._parent is not None:
            self._parent.release(reserved)
            return
        with self._lock:
            self._reserved -= reserved

    def add(self, request: Request, reply: Reply) -> Usage:
        """Count a call."""
        estimated = reply.input_tokens is None or reply.output_tokens is None
        read = self._tokens_of(request) if reply.input_tokens is None else reply.input_tokens
        written = int(self._count(reply.text)) if reply.output_tokens is None else reply.output_tokens
        usage = Usage(
            input_tokens=read,
            output_tokens=written,
            cached_tokens=min(reply.cached_tokens, read),
            is_estimated=estimated,
            source="estimate" if estimated else "provider",
            calls=1,
        )
        self._add(request, usage)
        return usage

    def _add(self, request: Request, usage: Usage) -> None:
        with self._lock:
            self._parts = [Usage.total([*self._parts, usage], self.name)]
            if self.budget is not None and not usage.is_estimated:
                counted = self._tokens_of(request)
                self._ratio = max(self._ratio, Decimal(usage.input_tokens) / max(1, counted))
            if self.price is not None:
                fresh = usage.input_tokens - usage.cached_tokens
                self._cost += Cost(
                    input_cost=(self.price.input * fresh + self.price.cached * usage.cached_tokens) / _MILLION,
                    output_cost=self.price.output * usage.output_tokens / _MILLION,
                    matched_pricing_key=self.price.key,
                )
        if self._parent is not None:
            self._parent._add(request, usage)

    def _tokens_of(self, request: Request) -> int:
        return sum(int(self._count(message["content"])) + _PER_MESSAGE for message in request.messages)

    def _money(self, read: Decimal, written: Decimal) -> Decimal:
        assert self.price is not None
        return (self.price.input * read + self.price.output * written) / _MILLION
