"""What a run would ask for at most, before anything is asked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from cantle.lengths import Length

from .client.answers import key_of
from .client.client import Client, counter_of
from .model.protocol import Message

__all__ = ["Estimate", "Estimating"]

_ANSWER = 4096
"""Tokens that an answer is taken to have at most where no limit is set, as for a spending limit."""

_PER_MESSAGE = 4
"""Tokens that stand around a message, about."""


@dataclass(frozen=True)
class Estimate:
    """What a run would ask for: calls, and tokens and US dollars of these. `recorded` answers are on file.

    Input is counted by the model's own encoding, or o200k_base. Output is the most that it can be: every answer as long
    as the limit for its length, or 4,096 tokens where none is set (`is_bounded` false: it may be longer then). `cost`
    is None where the price of the model is not known. Each call is counted once; an answer of no use is asked for up to
    `reasks` times more, and a request that was lost on its way is sent again. In replay nothing is asked: `missing`
    answers are not on file.
    """

    calls: int = 0
    recorded: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    is_bounded: bool = True
    missing: int = 0
    reasks: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.recorded + other.recorded,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
            self.is_bounded and other.is_bounded,
            self.missing + other.missing,
            max(self.reasks, other.reasks),
        )

    def to_dict(self) -> dict[str, Any]:
        """`calls`, `recorded`, `missing`, `inputTokens`, `outputTokens`, `totalCost` (None: not known), `isBounded`,
        `reasks`.
        """
        return {
            "calls": self.calls,
            "recorded": self.recorded,
            "missing": self.missing,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "totalCost": None if self.cost is None else float(self.cost),
            "isBounded": self.is_bounded,
            "reasks": self.reasks,
        }


class Estimating:
    """Adds up requests that a client would send, each once; `total` is the sum."""

    def __init__(self, client: Client) -> None:
        self._client, self.total = client, Estimate()
        self._seen: set[str] = set()
        self._counter: Length | None = None

    def add(self, messages: Sequence[Message], **options: Any) -> None:
        """Count one request. Options are those of `Client.request`."""
        client = self._client
        request = client.request(messages, **options)
        key = key_of(request)
        held = client.answers.get(key) if client.answers is not None else None
        if (held is not None and not held.reason) or (client.answers is not None and key in self._seen):
            self.total += Estimate(recorded=1)
            return
        if client.settings.replay:
            self.total += Estimate(missing=1)
            return
        self._seen.add(key)
        if self._counter is None:
            self._counter = counter_of(request.model)
        texts = [message["content"] for message in messages]
        if request.schema is not None:
            texts.append(json.dumps(request.schema, ensure_ascii=False))
        read = sum(int(self._counter(text)) + _PER_MESSAGE for text in texts)
        written = request.max_output_tokens or _ANSWER
        price = client.price(request.model)
        cost = None if price is None else sum(price.cost(read, written), Decimal(0))
        bounded = request.max_output_tokens is not None
        self.total += Estimate(1, 0, read, written, cost, bounded, reasks=client.settings.reasks)
