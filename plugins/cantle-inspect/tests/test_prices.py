"""Prices of embedding models: from data in a package, without a network."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from typing import Any

import pytest
from genai_prices import Usage, calc_price
from genai_prices.types import (
    ClauseEquals,
    ClauseStartsWith,
    ConditionalPrice,
    ModelInfo,
    ModelPrice,
    Provider,
    StartDateConstraint,
    Tier,
    TieredPrices,
)

from cantle.errors import OptionError
from cantle_inspect.costs import prices
from cantle_inspect.costs.prices import nearest, price_of


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("text-embedding-3-small", "openai"),
        ("text-embedding-3-large", "openai"),
        ("text-embedding-3-small", "azure"),
        ("mistral-embed", "mistral"),
        ("gpt-4o", "openai"),
    ],
)
def test_prices_are_those_of_the_package(model: str, provider: str) -> None:
    found = price_of(model, provider)
    assert found is not None
    assert found.key == f"{provider}:{model}"
    theirs = calc_price(Usage(input_tokens=1_000_000), model, provider_id=provider)
    assert found.per_million == theirs.input_price
    assert found.is_embedding == (model != "gpt-4o")


@pytest.mark.parametrize(
    "written",
    [
        "text-embedding-3-small",
        "Text-Embedding-3-Small",
        "openai:text-embedding-3-small",
        "openai/text-embedding-3-small",
    ],
)
def test_a_model_of_openai_is_openai_s_where_others_sell_it_too(written: str) -> None:
    found = price_of(written)
    assert found is not None
    assert found.key == "openai:text-embedding-3-small"


@pytest.mark.parametrize(
    "model", ["", "no-such-model", "text-embedding-3-smallish", "\ud800", "a" * 100_000, ":", "openai:"]
)
def test_a_model_without_a_price(model: str) -> None:
    assert price_of(model) is None
    assert len(nearest(model)) == 5


def test_the_nearest_are_embedding_models_with_names_alike() -> None:
    assert nearest("text-embedding-3-smal", "openai")[0] == "openai:text-embedding-3-small"
    assert {key.partition(":")[0] for key in nearest("text-embedding-3", "openai")} == {"openai"}
    for key in nearest("embed", count=50):
        found = price_of(key)
        assert found is not None, key
        assert found.is_embedding
        assert "rerank" not in key


def test_an_unknown_provider_is_an_error_that_names_those_that_are() -> None:
    with pytest.raises(OptionError, match=r"no provider is named 'opnai'\. Close to it: openai, .*mistral"):
        price_of("text-embedding-3-small", "opnai")


# -- data of our own ----------------------------------------------------------------------------------


def model(name: str, price: Any, match: Any = None, **more: Any) -> ModelInfo:
    cost = price if isinstance(price, list) else ModelPrice(input_mtok=price)
    return ModelInfo(id=name, match=match or ClauseEquals(name), prices=cost, **more)


@pytest.fixture
def sold(monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import date

    dated = [
        ConditionalPrice(prices=ModelPrice(input_mtok=Decimal(3))),
        ConditionalPrice(constraint=StartDateConstraint(date(2020, 1, 1)), prices=ModelPrice(input_mtok=Decimal(2))),
        ConditionalPrice(constraint=StartDateConstraint(date(2990, 1, 1)), prices=ModelPrice(input_mtok=Decimal(1))),
    ]
    tiered = TieredPrices(base=Decimal(7), tiers=[Tier(start=1000, price=Decimal(9))])
    providers = [
        Provider("acme", "Acme", "acme", models=[model("far-embed", Decimal(1)), model("same-embed", Decimal(5))]),
        Provider("beta", "Beta", "beta", models=[model("far-embed", Decimal(2)), model("same-embed", Decimal(5))]),
        Provider(
            "maker",
            "Maker",
            "maker",
            model_match=ClauseStartsWith("own-"),
            models=[
                model("own-embed", Decimal(4)),
                model("dated-embed", dated),
                model("tiered-embed", tiered),
                ModelInfo(
                    id="free-of-input", match=ClauseEquals("free-of-input"), prices=ModelPrice(output_mtok=Decimal(1))
                ),
            ],
        ),
        Provider("zeta", "Zeta", "zeta", models=[model("own-embed", Decimal(3))]),
    ]
    monkeypatch.setattr(prices, "_providers", lambda: providers)


@pytest.mark.usefixtures("sold")
def test_a_model_that_costs_more_here_than_there_needs_a_provider() -> None:
    with pytest.raises(
        OptionError, match=r"a different price at each provider.*acme \(1\), beta \(2\)\. Give the prov"
    ):
        price_of("far-embed")
    found = price_of("far-embed", "BETA")
    assert found is not None
    assert (found.key, found.per_million) == ("beta:far-embed", 2)


@pytest.mark.usefixtures("sold")
@pytest.mark.parametrize(
    ("name", "key", "price"),
    [
        ("same-embed", "acme:same-embed", 5),
        ("own-embed", "maker:own-embed", 4),
        ("dated-embed", "maker:dated-embed", 1),
        ("tiered-embed", "maker:tiered-embed", 7),
    ],
)
def test_which_price_counts(name: str, key: str, price: int) -> None:
    found = price_of(name)
    assert found is not None
    assert (found.key, found.per_million) == (key, price)


@pytest.mark.usefixtures("sold")
def test_a_model_without_a_price_for_input_has_none() -> None:
    assert price_of("free-of-input") is None


# -- no network ---------------------------------------------------------------------------------------


def test_nothing_is_fetched_and_nothing_runs_in_the_background() -> None:
    code = """
import socket, sys, threading
def refused(*_, **__):
    raise AssertionError("a socket was opened")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refused
from cantle_inspect.costs.prices import nearest, price_of
assert price_of("text-embedding-3-small").per_million
assert nearest("bge")
from genai_prices import data_snapshot
assert data_snapshot._custom_snapshot is None
assert threading.active_count() == 1
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_package_is_imported_when_a_price_is_asked_for() -> None:
    code = """
import sys
import cantle_inspect.costs.cost, cantle_inspect.commands.cost
assert not {"genai_prices", "pydantic", "numpy", "rich.table", "bm25s"} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True)
