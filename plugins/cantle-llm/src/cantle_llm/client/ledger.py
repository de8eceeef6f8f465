"""Usage and cost of a run, and the spending limit, kept over all calls that are under way at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from threading import Condition, Lock

from ..errors import BudgetError
from ..model.attempts import Attempts, watched
from ..model.protocol import Reply, Request
from .prices import Price
from .usage import Control, Cost, Usage

__all__ = ["Call", "Ledger", "most_of_sound", "most_tokens"]

_PER_REQUEST, _PER_MESSAGE = 256, 32
"""Tokens that a provider's template puts around a request and around each message, at most."""
_PER_PICTURE, _LIKELY_PICTURE = 50_000, 1_500
"""Tokens of a picture: the most that any model is known to make of one (gpt-4o-mini: 48,169), and what is common."""
_PER_SECOND, _LEAST_RATE, _LIKELY_RATE = 12.5, 500, 8_000
"""Tokens of a second of sound; the bytes that a second has at least (4 kbit/s) and commonly (64 kbit/s)."""


def most_tokens(request: Request) -> int:
    """No fewer tokens than the input of a request has.

    Tokenizers of today are made of bytes: a token stands for one byte of UTF-8 or more. What templates add is
    a constant, and so is what a picture has at most.
    """
    of_media = most_of_sound(request) if request.task == "transcribe" else _PER_PICTURE * len(request.media)
    schema = "" if request.schema is None else json.dumps(request.schema, ensure_ascii=False)
    texts = [schema, *(message["content"] for message in request.messages)]
    return (
        sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
        + _PER_MESSAGE * (len(request.messages) + 1)
        + _PER_REQUEST
        + of_media
    )


def most_of_sound(request: Request) -> int:
    """Tokens that a recording has at most: providers make some ten of a second."""
    return int(_most_seconds(request) * _PER_SECOND)


def _most_seconds(request: Request) -> float:
    """Seconds that a recording has at most, by the lowest rate at which speech is told from noise."""
    return sum(len(media.data) for media in request.media) / _LEAST_RATE if request.task == "transcribe" else 0.0


class _Sum:
    """Money and tokens."""

    def __init__(self, money: Decimal = Decimal(0), tokens: int = 0) -> None:
        self.money, self.tokens = money, tokens

    def __add__(self, other: _Sum) -> _Sum:
        return _Sum(self.money + other.money, self.tokens + other.tokens)

    def __sub__(self, other: _Sum) -> _Sum:
        return _Sum(self.money - other.money, self.tokens - other.tokens)


class Ledger:
    """What calls used. `parent` is told too: a run's ledger has the client's, which holds the limits.

    Before a call is made, what it may cost at most is set aside: its input by `most_tokens`, its output by its limit. A
    call that has room only once others have ended waits for them; one that has none even then is a `BudgetError`. What
    became of a request that was lost on its way nobody knows: it stays set aside. A provider that counts more than
    can be (its tokens are smaller than bytes, it does not keep to the output's limit) raises what is set aside
    for later calls in proportion; until one call is counted, calls are made one after another, so that this is seen.
    """

    def __init__(
        self,
        name: str,
        price: Callable[[str], Price | None],
        count: Callable[[str], float],
        *,
        model: str = "",
        budget: Decimal | None = None,
        token_budget: int | None = None,
        parent: Ledger | None = None,
    ) -> None:
        self.name, self.budget, self.token_budget = name, budget, token_budget
        self._price, self._count, self._model, self._parent = price, count, model, parent
        self._lock = Lock()
        self._freed = Condition(self._lock)
        self._usage = Usage(source=name)
        self._recorded = Usage(source="recorded")
        self._recorded_cost: Cost | None = None
        self._replayed = 0
        self._cost: Cost | None = None
        self._aside, self._unknown = _Sum(), _Sum()  # of calls under way; of lost ones and of those without counts
        self._under_way = 0
        self._excess_in = self._excess_out = Fraction(1)
        self._reasons: list[str] = []

    @property
    def usage(self) -> Usage:
        """All calls together."""
        with self._lock:
            return self._usage

    @property
    def recorded_usage(self) -> Usage:
        """What the answers that were taken from the recorded ones had cost, in tokens."""
        with self._lock:
            return self._recorded

    @property
    def recorded_cost(self) -> Cost:
        """What these cost by the prices of today: what a run without them would have paid."""
        with self._lock:
            return self._recorded_cost or self._nothing()

    @property
    def replayed(self) -> int:
        """How many answers were taken from the recorded ones."""
        with self._lock:
            return self._replayed

    @property
    def price(self) -> Price | None:
        """The price of the client's own model."""
        return self._price(self._model) if self._model else None

    @property
    def cost(self) -> Cost:
        """What all calls cost."""
        with self._lock:
            return self._cost or self._nothing()

    def _nothing(self) -> Cost:
        price = self.price
        return Cost(pricing_missing=price is None, matched_pricing_key=price.key if price else None)

    @property
    def control(self) -> Control:
        """`allow`, or `stop` once a call was not made because of a limit."""
        with self._lock:
            return Control(decision="stop" if self._reasons else "allow", reasons=tuple(self._reasons))

    @property
    def has_limit(self) -> bool:
        """Whether anything may be refused."""
        return self.budget is not None or self.token_budget is not None

    def run(self, name: str) -> Ledger:
        """A ledger of one run, whose calls count here too."""
        return Ledger(name, self._price, self._count, model=self._model, parent=self)

    def replay(self, usage: Usage, model: str) -> None:
        """Note that an answer of this model was taken from the recorded ones: it costs nothing now."""
        cost = self._cost_of(usage, model)
        with self._lock:
            self._recorded_cost = cost if self._recorded_cost is None else self._recorded_cost + cost
            self._recorded = Usage.total([self._recorded, usage], "recorded")
            self._replayed += 1
        if self._parent is not None:
            self._parent.replay(usage, model)

    @contextmanager
    def call(self, request: Request) -> Iterator[Call]:
        """Room for one call, to be made in here. Raises `BudgetError` where there is none."""
        root = self._parent or self
        try:
            most = root._set_aside(request)
        except BudgetError as error:
            self._note(error)
            raise
        call = Call(self, request, most)
        try:
            with watched(Attempts(call.again)) as attempts:
                call.attempts = attempts
                yield call
        except BudgetError as error:
            self._note(error)
            raise
        finally:
            root._settle(call)

    def _most(self, request: Request) -> _Sum:
        read = int(most_tokens(request) * self._excess_in) + 1
        written = int((request.max_output_tokens or 0) * self._excess_out) + 1
        price = self._price(request.model) if self.budget is not None else None
        if price is None:
            return _Sum(tokens=read + written)
        audio = read if request.task == "transcribe" else 0
        return _Sum(
            sum(price.cost(read, written, audio=audio, seconds=_most_seconds(request)), Decimal(0)), read + written
        )

    def _set_aside(self, request: Request, *, waits: bool = True) -> _Sum:
        if not self.has_limit:
            return _Sum()
        with self._lock:
            while True:
                most = self._most(request)
                over = self._over(most, _Sum()) or ("" if waits else self._over(most, self._aside))
                if over:
                    break
                if not self._over(most, self._aside) and not (waits and self._must_be_alone()):
                    self._aside += most
                    self._under_way += waits
                    return most
                self._freed.wait()
        error = BudgetError(detail=over)
        self._note(error)
        raise error

    def _must_be_alone(self) -> bool:
        """Whether how the provider counts is to be seen first, on the call that is under way."""
        return self._under_way > 0 and not self._usage.calls

    def _over(self, most: _Sum, aside: _Sum) -> str:
        """Why there is no room for a call; empty where there is."""
        spent = self._cost.total_cost if self._cost else Decimal(0)
        unknown = self._unknown
        if self.budget is not None and (
            self.budget == 0 or spent + unknown.money + aside.money + most.money > self.budget
        ):
            parts = [f"{spent:f} are spent" if spent else "nothing is spent yet"]
            if aside.money:
                parts.append(f"{aside.money:f} are set aside for requests under way or lost")
            if unknown.money:
                parts.append(f"{unknown.money:f} may have been for requests without an answer or a count")
            return f"The limit is {self.budget:f} USD; {', '.join(parts)}, and the next call may cost {most.money:f}."
        used = self._usage.total_tokens
        if self.token_budget is not None and used + unknown.tokens + aside.tokens + most.tokens > self.token_budget:
            return (
                f"The limit is {self.token_budget} tokens; {used or 'none'} are used, and the next call may need "
                f"{most.tokens}."
            )
        return ""

    def _note(self, error: BudgetError) -> None:
        with self._lock:
            if not self._reasons:
                self._reasons.append(f"budget_exceeded: {error.detail}")

    def _settle(self, call: Call) -> None:
        """Give back what was set aside, but for requests of which nothing came back."""
        if not self.has_limit:
            return
        with self._freed:
            self._aside -= call.aside
            self._under_way -= 1
            for _ in range(call.attempts.lost):
                self._unknown += call.most
            if call.used is not None and call.used.is_estimated:
                rest = call.most - call.spent
                self._unknown += _Sum(max(Decimal(0), rest.money), max(0, rest.tokens))
            self._freed.notify_all()

    def _count_call(self, request: Request, reply: Reply) -> tuple[Usage, Cost]:
        estimated = reply.input_tokens is None or reply.output_tokens is None
        read = self._tokens_of(request) if reply.input_tokens is None else reply.input_tokens
        written = int(self._count(reply.text)) if reply.output_tokens is None else reply.output_tokens
        usage = Usage(
            input_tokens=read,
            output_tokens=written,
            cached_tokens=min(reply.cached_tokens, read),
            audio_tokens=read if estimated and request.task == "transcribe" else min(reply.audio_tokens, read),
            audio_seconds=reply.audio_seconds,
            is_estimated=estimated,
            source="estimate" if estimated else "provider",
            calls=1,
        )
        return usage, self._cost_of(usage, request.model)

    def _cost_of(self, usage: Usage, model: str) -> Cost:
        price = self._price(model)
        if price is None or (price.is_hourly and not usage.audio_seconds):
            return Cost(pricing_missing=True)
        cached = min(usage.cached_tokens, usage.input_tokens)
        money = price.cost(
            usage.input_tokens, usage.output_tokens, cached, audio=usage.audio_tokens, seconds=usage.audio_seconds
        )
        return Cost(input_cost=money[0], output_cost=money[1], matched_pricing_key=price.key)

    def _add(self, request: Request, usage: Usage, cost: Cost) -> None:
        with self._lock:
            self._usage = Usage.total([self._usage, usage], self.name)
            self._cost = cost if self._cost is None else self._cost + cost
            if self.has_limit and not usage.is_estimated:
                self._excess_in = max(self._excess_in, Fraction(usage.input_tokens, most_tokens(request)))
                allowed = request.max_output_tokens or 1
                self._excess_out = max(self._excess_out, Fraction(usage.output_tokens, allowed))
        if self._parent is not None:
            self._parent._add(request, usage, cost)

    def _tokens_of(self, request: Request) -> int:
        if request.task == "transcribe":
            return int(sum(len(media.data) for media in request.media) / _LIKELY_RATE * _PER_SECOND)
        texts = sum(int(self._count(message["content"])) + 4 for message in request.messages)
        return texts + _LIKELY_PICTURE * len(request.media)


class Call:
    """One call that has room."""

    def __init__(self, ledger: Ledger, request: Request, most: _Sum) -> None:
        self._ledger, self.request = ledger, request
        self.most, self.aside, self.spent = most, most, _Sum()
        self.attempts = Attempts()
        self.used: Usage | None = None

    def again(self) -> None:
        """Set aside as much once more: a request was lost, and is about to be sent anew. Raises `BudgetError`."""
        root = self._ledger._parent or self._ledger
        self.aside += root._set_aside(self.request, waits=False)

    def add(self, reply: Reply) -> Usage:
        """Count what the model answered."""
        usage, cost = self._ledger._count_call(self.request, reply)
        self.used, self.spent = usage, _Sum(cost.total_cost, usage.total_tokens)
        self._ledger._add(self.request, usage, cost)
        return usage
