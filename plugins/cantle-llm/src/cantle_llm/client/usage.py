"""Tokens and money: what calls used, and what that costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

__all__ = ["Control", "Cost", "Usage"]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens of a call or of several.

    `source` says where the counts come from: `provider`, `estimate`, `recorded` (an answer that was paid for before and
    costs nothing now), or the name of what added them up. `is_estimated` is true where any of them is our own count.
    `audio_tokens` are those of the input that were sound; `audio_seconds` is how long sound was that a provider counts
    in seconds.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    audio_tokens: int = 0
    audio_seconds: float = 0.0
    is_estimated: bool = False
    source: str = "provider"
    calls: int = 0

    @property
    def total_tokens(self) -> int:
        """Input and output."""
        return self.input_tokens + self.output_tokens

    @classmethod
    def total(cls, parts: Iterable[Usage], source: str) -> Usage:
        """The sum."""
        counted = list(parts)
        return cls(
            input_tokens=sum(part.input_tokens for part in counted),
            output_tokens=sum(part.output_tokens for part in counted),
            cached_tokens=sum(part.cached_tokens for part in counted),
            audio_tokens=sum(part.audio_tokens for part in counted),
            audio_seconds=sum(part.audio_seconds for part in counted),
            is_estimated=any(part.is_estimated for part in counted),
            source=source,
            calls=sum(part.calls for part in counted),
        )

    def to_dict(self) -> dict[str, Any]:
        """`inputTokens`, `outputTokens`, `totalTokens`, `isEstimated`, `source`."""
        return {
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "totalTokens": self.total_tokens,
            "isEstimated": self.is_estimated,
            "source": self.source,
        }


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Money in US dollars. `pricing_missing` where the model's price is not known; then all is 0."""

    input_cost: Decimal = Decimal(0)
    output_cost: Decimal = Decimal(0)
    currency: str = "USD"
    pricing_missing: bool = False
    matched_pricing_key: str | None = None

    @property
    def total_cost(self) -> Decimal:
        """Input and output."""
        return self.input_cost + self.output_cost

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            input_cost=self.input_cost + other.input_cost,
            output_cost=self.output_cost + other.output_cost,
            pricing_missing=self.pricing_missing or other.pricing_missing,
            matched_pricing_key=self.matched_pricing_key or other.matched_pricing_key,
        )

    def to_dict(self) -> dict[str, Any]:
        """`inputCost`, `outputCost`, `totalCost`, `currency`, `pricingMissing`, `matchedPricingKey`."""
        return {
            "inputCost": float(self.input_cost),
            "outputCost": float(self.output_cost),
            "totalCost": float(self.total_cost),
            "currency": self.currency,
            "pricingMissing": self.pricing_missing,
            "matchedPricingKey": self.matched_pricing_key,
        }


@dataclass(frozen=True, kw_only=True)
class Control:
    """What became of the spending limit: `allow`, or `stop` with the reasons."""

    decision: str = "allow"
    reasons: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """`decision`, `reasons`."""
        return {"decision": self.decision, "reasons": list(self.reasons)}
