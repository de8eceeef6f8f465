"""Usage and cost: the keys, exact sums, and whose price counts."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from cantle_llm import Client, Cost, Usage
from cantle_llm.client.prices import price_of, provider_of
from cantle_llm.testing import Asked, Fault, ScriptedServer

USER = [{"role": "user", "content": "hello there, you"}]


def test_the_example_of_the_price_list() -> None:
    """480 tokens in and 95 out, by gpt-4.1-nano."""
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (480, 95)) as server,
        Client("gpt-4.1-nano", base_url=server.url) as client,
    ):
        run = client.run("smart_split")
        run.complete(USER)
    assert run.ledger.usage.to_dict() == {
        "inputTokens": 480,
        "outputTokens": 95,
        "totalTokens": 575,
        "isEstimated": False,
        "source": "smart_split_aggregate",
    }
    assert run.ledger.cost.to_dict() == {
        "inputCost": 0.000048,
        "outputCost": 0.000038,
        "totalCost": 0.000086,
        "currency": "USD",
        "pricingMissing": False,
        "matchedPricingKey": "openai:gpt-4.1-nano",
    }
    assert run.ledger.control.to_dict() == {"decision": "allow", "reasons": []}
    assert client.cost.total_cost == Decimal("0.000086")
    assert json.loads(json.dumps(client.usage.to_dict()))["source"] == "client"


def test_sums_are_exact_and_runs_are_apart() -> None:
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (1, 1)) as server,
        Client("m", base_url=server.url, price=("0.1", "0.2")) as client,
    ):
        one, two = client.run("one"), client.run("two")
        for number in range(30):
            (two if number % 3 else one).complete(USER)
    assert one.ledger.cost.input_cost == Decimal("0.000001")
    assert two.ledger.cost.output_cost == Decimal("0.000004")
    assert client.cost.total_cost == Decimal("0.000009")
    assert client.cost.matched_pricing_key == "given:m"
    assert (one.ledger.usage.calls, two.ledger.usage.calls, client.usage.calls) == (10, 20, 30)


def test_before_any_call_all_is_zero() -> None:
    client = Client("gpt-4.1-nano", api_key="k")
    assert client.usage.to_dict()["totalTokens"] == 0
    assert not client.usage.is_estimated
    assert client.cost.to_dict()["totalCost"] == 0
    assert not client.cost.pricing_missing
    assert client.cost.matched_pricing_key == "openai:gpt-4.1-nano"
    assert Client("made-up", api_key="k").cost.pricing_missing


@pytest.mark.parametrize(
    ("model", "provider", "key"),
    [
        ("gpt-4.1-nano", "", "openai:gpt-4.1-nano"),
        ("GPT-4.1-nano ", "", "openai:gpt-4.1-nano"),
        ("gpt-4.1-nano", "openai", "openai:gpt-4.1-nano"),
        ("gpt-4.1-nano", "azure", "azure:gpt-4.1-nano"),
        ("openai:gpt-4.1-nano", "", "openai:gpt-4.1-nano"),
        ("openai/gpt-4.1-nano", "", "openai:gpt-4.1-nano"),
        ("openai/gpt-4.1-nano", "openai", "openai:gpt-4.1-nano"),
        ("gpt-4.1-nano-2025-04-14", "", "openai:gpt-4.1-nano"),
        ("openai:gpt-4.1-nano-2025-04-14", "", "openai:gpt-4.1-nano"),
        ("openai/gpt-4.1-nano", "openrouter", "openrouter:openai/gpt-4.1-nano"),
        ("openrouter:openai/gpt-4.1-nano", "", "openrouter:openai/gpt-4.1-nano"),
        ("gpt-4.1-nano", "nobody", None),
        ("claude-3-5-haiku-latest", "openai", None),
        ("made-up", "", None),
        ("made-up", "openai", None),
        ("llama3.2", "", None),
        (":", "", None),
        ("openai:", "", None),
        ("\udc00", "", None),
    ],
)
def test_whose_price_counts(model: str, provider: str, key: str | None) -> None:
    price = price_of(model, provider)
    assert (price.key if price else None) == key


def test_providers_that_differ_give_no_price() -> None:
    """A model that two providers sell at two prices has one only where it is said whose."""
    from genai_prices.data import providers

    sold: dict[str, set[str]] = {}
    for provider in providers:
        for info in provider.models:
            price = price_of(info.id, provider.id)
            if price is not None and ":" not in info.id and "/" not in info.id:
                sold.setdefault(info.id.lower(), set()).add(f"{price.input} {price.output}")
    differing = [model for model, prices in sold.items() if len(prices) > 1]
    assert len(differing) > 10
    assert [model for model in differing if price_of(model) is not None] == []


def test_of_prices_that_depend_on_the_date_the_last_one_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Today's date has no say: a result must not change overnight."""
    from genai_prices import data, types

    def price(amount: int) -> types.ModelPrice:
        return types.ModelPrice(input_mtok=Decimal(amount), output_mtok=Decimal(amount))

    later = types.ConditionalPrice(types.StartDateConstraint(date(2999, 1, 1)), prices=price(7))
    prices = [types.ConditionalPrice(prices=price(1)), later]
    info = types.ModelInfo("dated", types.ClauseEquals("dated"), prices=prices)
    monkeypatch.setattr(data, "providers", [types.Provider("maker", "Maker", "x", models=[info])])
    price_of.cache_clear()
    try:
        found = price_of("dated")
        assert found is not None
        assert found.input == 7
    finally:
        price_of.cache_clear()


def test_the_provider_is_told_by_its_address() -> None:
    assert provider_of("https://api.mistral.ai/v1") == "mistral"
    assert provider_of("https://mine.openai.azure.com/openai/v1") == "azure"
    assert provider_of("https://openrouter.ai/api/v1") == "openrouter"
    assert provider_of("http://127.0.0.1:11434/v1") == ""
    assert provider_of("https://evil.example/api.openai.com") == ""
    assert Client("m", base_url="https://api.deepseek.com").provider == "deepseek"
    assert Client("m", api_key="k").provider == "openai"
    assert Client("m", api_key="k", provider="groq").provider == "groq"


def test_cached_tokens_cost_less() -> None:
    body = {
        "choices": [{"message": {"content": "fine"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1000, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 600}},
    }
    with ScriptedServer(lambda asked: Fault.raw(body)) as server, Client("gpt-4.1-nano", base_url=server.url) as client:
        client.complete(USER)
    assert client.usage.cached_tokens == 600
    assert client.cost.input_cost == (400 * Decimal("0.1") + 600 * Decimal("0.025")) / 10**6


def test_long_inputs_cost_what_their_tier_says() -> None:
    price = price_of("gemini-2.5-pro", "google")
    assert price is not None
    few, many = price.cost(200_000, 1000), price.cost(200_001, 1000)
    assert few[0] == price.input * 200_000 / 10**6
    assert many[0] > few[0] * Decimal("1.9")
    assert many[1] > few[1]


def test_a_model_of_one_call_has_its_own_price() -> None:
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (1000, 1000)) as server,
        Client("gpt-4.1-nano", base_url=server.url, provider="openai") as client,
    ):
        client.complete(USER)
        client.complete(USER, model="gpt-4.1")
        assert not client.cost.pricing_missing
        client.complete(USER, model="made-up")
    assert client.cost.input_cost == Decimal("0.0001") + Decimal("0.002")
    assert client.cost.pricing_missing
    assert client.cost.matched_pricing_key == "openai:gpt-4.1-nano"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [],
        "x",
        {"prompt_tokens": None, "completion_tokens": None},
        {"prompt_tokens": -5, "completion_tokens": 2},
        {"prompt_tokens": 1.5, "completion_tokens": "2"},
        {"prompt_tokens": True, "completion_tokens": 2},
        {"prompt_tokens": 10**400, "completion_tokens": 2},
        {"total_tokens": 5},
    ],
)
def test_counts_that_are_missing_are_estimated(usage: Any) -> None:
    body = {"choices": [{"message": {"content": "one two three"}}], "usage": usage}
    with ScriptedServer(lambda asked: Fault.raw(body)) as server, Client("gpt-4.1-nano", base_url=server.url) as client:
        client.complete(USER)
    assert client.usage.is_estimated
    assert 4 <= client.usage.input_tokens <= 12
    assert client.usage.output_tokens in (2, 3)
    assert client.cost.total_cost > 0


def test_a_total_tells_the_output() -> None:
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": 5, "total_tokens": 12}}
    with ScriptedServer(lambda asked: Fault.raw(body)) as server, Client("m", base_url=server.url) as client:
        client.complete(USER)
    assert (client.usage.input_tokens, client.usage.output_tokens, client.usage.is_estimated) == (5, 7, False)


def test_answers_of_no_use_are_counted_too() -> None:
    def answer(asked: Asked) -> Any:
        return Fault.refusal("no") if asked.number == 2 else "no JSON"

    with (
        ScriptedServer(answer, usage=lambda asked, text: (7, 3)) as server,
        Client("m", base_url=server.url, reasks=2) as client,
        pytest.raises(Exception, match="refused"),
    ):
        client.structured(USER, {"type": "object"})
    assert (client.usage.calls, client.usage.total_tokens) == (3, 30)


def test_adding_up() -> None:
    parts = [Usage(input_tokens=1, calls=1), Usage(output_tokens=2, is_estimated=True, cached_tokens=1, calls=1)]
    assert Usage.total(parts, "x") == Usage(
        input_tokens=1, output_tokens=2, cached_tokens=1, is_estimated=True, source="x", calls=2
    )
    assert Usage.total([], "x").total_tokens == 0
    both = Cost(input_cost=Decimal(1), matched_pricing_key="a:b") + Cost(pricing_missing=True)
    assert both.total_cost == 1
    assert both.pricing_missing
    assert both.matched_pricing_key == "a:b"
