"""What embedding models cost, from the data in the package genai-prices. Nothing is fetched, ever."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from difflib import SequenceMatcher
from functools import cache
from typing import Any, NamedTuple

from cantle.errors import OptionError

__all__ = ["Price", "nearest", "price_of"]

_LAST = datetime(9999, 1, 1, 12, tzinfo=UTC)
"""Where prices depend on the date, the last known one counts: an estimate must not change overnight."""

_OPENAI = "text-embedding-"
"""What the names of OpenAI's embedding models begin with; the data give no owner for them."""
_EMBEDDING = re.compile(r"embed|^voyage-|(?:^|[/_-])(?:bge|gte|e5|minilm|jina)(?:[_-]|$)", re.IGNORECASE)
_LONGEST = 100
"""Of a longer name so much is compared with those that are known."""


class Price(NamedTuple):
    """What a million input tokens of a model cost in US dollars. `key` is `provider:model`, as the data name them."""

    key: str
    per_million: Decimal
    is_embedding: bool
    """Whether it is an embedding model, going by its name."""

    @property
    def provider(self) -> str:
        """The provider's name in the data, such as `openai`."""
        return self.key.partition(":")[0]


def price_of(model: str, provider: str | None = None) -> Price | None:
    """The price of a model; None where the data have none.

    The model may be written `provider:model` or `provider/model` too. Without a provider it is that of the maker, or
    the only one, or the first by name of several that ask the same. Raises `OptionError` for a provider that is not
    known, and for a model that several providers sell at different prices.
    """
    providers = {one.id: one for one in _providers()}
    if provider is None:
        for mark in ":/":
            before, found, after = model.partition(mark)
            if found and before.lower() in providers and after:
                return price_of(after, before)
        offers = [offer for one in providers.values() for offer in _offers(one, model)]
        return _chosen(model, offers)
    found_provider = providers.get(provider.lower().strip())
    if found_provider is None:
        names = sorted(providers)
        close = sorted(names, key=lambda name: -_alike(name, provider.lower()[:_LONGEST]))[:5]
        raise OptionError(
            f"no provider is named {provider!r}. Close to it: {', '.join(close)}. All of them: {', '.join(names)}. "
            "Or give the price itself, in US dollars for a million tokens."
        )
    offers = _offers(found_provider, model)
    return offers[0] if offers else None


def nearest(model: str, provider: str | None = None, count: int = 5) -> list[str]:
    """The keys of known embedding models, those first whose names are most like `model`."""
    wanted = model.lower()[:_LONGEST]
    known = [
        Price(f"{one.id}:{info.id}", price, True)
        for one in _providers()
        for info in one.models
        if (price := _input(info)) is not None and _is_embedding(info)
    ]
    same = [price for price in known if provider and price.provider == provider.lower().strip()]
    ordered = sorted(same or known, key=lambda price: (-_alike(price.key.partition(":")[2].lower(), wanted), price.key))
    return [price.key for price in ordered[:count]]


@cache
def _providers() -> list[Any]:
    from genai_prices.data import providers  # data alone: no snapshot that another part of the program has renewed

    return sorted(providers, key=lambda provider: provider.id)


def _offers(provider: Any, model: str) -> list[Price]:
    """The prices of a provider's models that a name stands for, one with just this name first."""
    wanted = model.lower().strip()
    exact = [info for info in provider.models if info.id.lower() == wanted]
    found = exact or [info for info in provider.models if info.is_match(wanted)]
    return [
        Price(f"{provider.id}:{info.id}", price, _is_embedding(info))
        for info in found
        if (price := _input(info)) is not None
    ]


def _chosen(model: str, offers: list[Price]) -> Price | None:
    if not offers:
        return None
    makers = set(_makers(model))
    own = [offer for offer in offers if offer.provider in makers]
    if own or len({offer.per_million for offer in offers}) == 1:
        return (own or offers)[0]
    sold = ", ".join(f"{offer.provider} ({offer.per_million})" for offer in offers)
    raise OptionError(
        f"model {model!r} has a different price at each provider, in US dollars for a million tokens: {sold}. "
        "Give the provider."
    )


def _makers(model: str) -> Iterator[str]:
    """The providers whose own a model is, going by its name."""
    wanted = model.lower().strip()
    if wanted.startswith(_OPENAI):
        yield "openai"
    for provider in _providers():
        if provider.model_match is not None and provider.model_match.is_match(wanted):
            yield provider.id


def _input(info: Any) -> Decimal | None:
    """The price of a million input tokens; the first tier of it where there are several."""
    price = getattr(info.get_prices(_LAST), "input_mtok", None)
    base = getattr(price, "base", price)
    return base if isinstance(base, Decimal) else None


def _is_embedding(info: Any) -> bool:
    return bool(_EMBEDDING.search(info.id) or _EMBEDDING.search(info.name or "")) and "rerank" not in info.id.lower()


def _alike(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()
