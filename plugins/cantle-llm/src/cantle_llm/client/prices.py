"""What a model's tokens cost, from the data in the package genai-prices. Nothing is fetched, ever."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from cantle.errors import OptionError

__all__ = ["Price", "check_provider", "price_of", "provider_of"]

_LAST = datetime(9999, 1, 1, 12, tzinfo=UTC)
"""Where prices depend on the date, the last known one counts: a result must not change overnight."""
_MILLION = Decimal(1_000_000)
_PROBES = ((1000, 100, 0), (1000, 100, 500), (10**6, 10**6, 0))
"""Counts of tokens by which two prices are told apart: fresh, from a cache, and many, for which some have tiers."""


class Price:
    """What tokens cost, in US dollars. `key` is `provider:model`, as the data name them.

    `input`, `output` and `cached` are for a million tokens, before tiers. Sound may cost more, or be paid by the hour
    (`is_hourly`): then tokens cost nothing, and the cost of a recording whose length is not known is not known.
    """

    is_hourly = False

    def __init__(
        self, key: str, input: Decimal, output: Decimal, cached: Decimal | None = None, *, data: Any = None
    ) -> None:
        self.key, self.input, self.output = key, input, output
        self.cached = input if cached is None else cached
        self._data = data

    def __repr__(self) -> str:
        return f"Price({self.key!r}, {self.input}, {self.output}, {self.cached})"

    def cost(
        self, read: int, written: int, cached: int = 0, *, audio: int = 0, seconds: float = 0.0
    ) -> tuple[Decimal, Decimal]:
        """The exact cost of input and of output of one call.

        `cached` tokens and those of sound, `audio`, are among those that were `read`; `seconds` of sound count where
        it is paid by the hour.
        """
        if self._data is None:
            fresh = read - cached
            return (self.input * fresh + self.cached * cached) / _MILLION, self.output * written / _MILLION
        from genai_prices import Usage

        if self.is_hourly:
            return self._data.calc_price(Usage(audio_seconds=Decimal(str(seconds))))["total_price"], Decimal(0)
        usage = Usage(input_tokens=read, cache_read_tokens=cached, output_tokens=written)
        if audio and _base(self._data, "input_audio_mtok") is not None:
            usage = Usage(
                input_tokens=read, cache_read_tokens=cached, output_tokens=written, input_audio_tokens=min(audio, read)
            )
        found = self._data.calc_price(usage)
        return found["input_price"], found["total_price"] - found["input_price"]


@lru_cache(maxsize=256)
def provider_of(base_url: str) -> str:
    """The provider whose address this is, by the patterns in the data; empty where none is known."""
    from genai_prices.data import providers

    known = [one.id for one in providers if re.match(one.api_pattern, base_url)]
    return known[0] if known else ""


@lru_cache(maxsize=256)
def check_provider(name: str) -> None:
    """Raise `OptionError` for a provider that the data do not know."""
    if not name:
        return
    from genai_prices.data import providers

    if _known(list(providers), name) is not None:
        return
    known = sorted(one.id for one in providers)
    close = get_close_matches(name.lower(), known, n=1)
    hint = f"Did you mean {close[0]!r}?" if close else f"Known: {', '.join(known)}."
    raise OptionError(f"provider must be one that the price lists have, got {name[:100]!r}. {hint}")


@lru_cache(maxsize=256)
def price_of(model: str, provider: str = "") -> Price | None:
    """The price of a model; None where the data have none, or where providers differ and none is given.

    A model may be written `provider:model` or `provider/model`, and may be a dated snapshot. Without a provider it must
    have the model's very name, and if there are several such providers, the same price.
    """
    from genai_prices.data import providers

    wanted = model.lower().strip()
    everyone = sorted(providers, key=lambda one: one.id)
    head, rest = _split(wanted)
    named = _known(everyone, head)
    if provider:
        given = _known(everyone, provider)
        if given is None:
            return None
        return _of(given, wanted, everyone) or (_of(given, rest, everyone) if named is given else None)
    if named is not None:
        return _of(named, rest, everyone)
    # Whose model it is comes first: others sell it on.
    makers = [one for one in everyone if one.model_match is not None and one.model_match.is_match(wanted)]
    found = [price for one in [*makers, *everyone] for price in [_exact(one, wanted)] if price is not None]
    if found and len({tuple(price.cost(*probe, seconds=3600) for probe in _PROBES) for price in found}) == 1:
        return found[0]
    return _of(makers[0], wanted, everyone) if len(makers) == 1 and not found else None


def _known(everyone: list[Any], name: str) -> Any:
    wanted = name.lower().strip()
    if not wanted:
        return None
    for one in everyone:
        if one.id == wanted:
            return one
    matching = [one for one in everyone if one.provider_match is not None and one.provider_match.is_match(wanted)]
    return matching[0] if matching else None


def _split(model: str) -> tuple[str, str]:
    """What may be the provider before a model's name, and the rest."""
    found = re.match(r"([a-z0-9_.-]+)[:/](.+)", model)
    return (found[1], found[2]) if found else ("", model)


def _exact(provider: Any, model: str) -> Price | None:
    return next((_price(provider, info) for info in provider.models if info.id.lower() == model), None)


def _of(provider: Any, model: str, everyone: list[Any]) -> Price | None:
    """By the very name, else by the data's own rules for snapshots and names of old."""
    exact = _exact(provider, model)
    if exact is not None:
        return exact
    info = provider.find_model(model, all_providers=everyone)
    return None if info is None else _price(provider, info)


def _price(provider: Any, info: Any) -> Price | None:
    prices = info.get_prices(_LAST)
    read, write = _base(prices, "input_mtok"), _base(prices, "output_mtok")
    if read is None or write is None:
        if _base(prices, "audio_hours") is None:
            return None
        hourly = Price(f"{provider.id}:{info.id}", Decimal(0), Decimal(0), data=prices)
        hourly.is_hourly = True
        return hourly
    return Price(f"{provider.id}:{info.id}", read, write, _base(prices, "cache_read_mtok"), data=prices)


def _base(prices: Any, name: str) -> Decimal | None:
    price = getattr(prices, name, None)
    base = getattr(price, "base", price)  # the first tier of several
    return base if isinstance(base, Decimal) else None
