"""What a model's tokens cost, from the data in the package genai-prices. Nothing is fetched, ever."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any, NamedTuple

__all__ = ["Price", "price_of"]

_LAST = datetime(9999, 1, 1, 12, tzinfo=UTC)
"""Where prices depend on the date, the last known one counts: a result must not change overnight."""


class Price(NamedTuple):
    """US dollars for a million tokens. `key` is `provider:model`, as the data name them."""

    key: str
    input: Decimal
    output: Decimal
    cached: Decimal


@lru_cache(maxsize=256)
def price_of(model: str, provider: str = "") -> Price | None:
    """The price of a model; None where the data have none, or where providers differ and none is given."""
    from genai_prices.data import providers

    wanted = model.lower().strip()
    found: list[Price] = []
    for one in sorted(providers, key=lambda one: one.id):
        if provider and one.id != provider:
            continue
        exact = [info for info in one.models if info.id.lower() == wanted]
        for info in exact or [info for info in one.models if info.is_match(wanted)]:
            price = _price(f"{one.id}:{info.id}", info.get_prices(_LAST))
            if price is not None:
                found.append(price)
                break
    if len({price[1:] for price in found}) == 1:
        return found[0]
    return None


def _price(key: str, prices: Any) -> Price | None:
    read, write = _base(prices, "input_mtok"), _base(prices, "output_mtok")
    if read is None or write is None:
        return None
    cached = _base(prices, "cache_read_mtok")
    return Price(key, read, write, read if cached is None else cached)


def _base(prices: Any, name: str) -> Decimal | None:
    price = getattr(prices, name, None)
    base = getattr(price, "base", price)  # the first tier of several
    return base if isinstance(base, Decimal) else None
