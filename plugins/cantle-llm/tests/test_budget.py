"""The spending limit: never exceeded, and no call is refused that has room."""

from __future__ import annotations

import random
import threading
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle.errors import OptionError
from cantle.lengths import resolve
from cantle_llm import BudgetError, Client, Reply, Request
from cantle_llm.client.ledger import most_tokens
from cantle_llm.runs import each
from cantle_llm.testing import Asked, Fault, ScriptedServer

PRICE = (Decimal(1), Decimal(4))  # US dollars for a million tokens


def user(text: str = "hello") -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


class Random:
    """A model that counts what it likes, within what can be."""

    provider = ""

    def __init__(self, seed: int) -> None:
        self._random, self._lock = random.Random(seed), threading.Lock()
        self.billed = Decimal(0)
        self.calls = 0

    def ask(self, request: Request) -> Reply:
        most = sum(len(message["content"].encode()) for message in request.messages)
        assert request.max_output_tokens is not None
        with self._lock:
            read = self._random.choice((1, most, self._random.randint(1, most)))
            top = request.max_output_tokens
            written = self._random.choice((0, top, self._random.randint(0, top)))
            counted = self._random.random() < 0.8
            self.billed += (PRICE[0] * read + PRICE[1] * written) / 10**6
            self.calls += 1
        return Reply("fine", read if counted else None, written if counted else None)

    def close(self) -> None:
        """Nothing is open."""


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    seed=st.integers(0, 10**6),
    budget=st.integers(0, 3000),
    workers=st.integers(1, 8),
    output=st.integers(1, 200),
    texts=st.lists(st.text(max_size=200), min_size=1, max_size=30),
)
def test_the_limit_is_never_exceeded(seed: int, budget: int, workers: int, output: int, texts: list[str]) -> None:
    limit = Decimal(budget) / 10**6
    model = Random(seed)
    with Client("m", model_api=model, price=PRICE, budget=limit, max_output_tokens=output) as client:
        outcomes = each(texts, lambda text: client.complete(user(text or " ")), workers=workers)
    assert model.billed <= limit
    failed = [outcome.error for outcome in outcomes if outcome.error is not None]
    assert all(isinstance(error, BudgetError) for error in failed)
    assert model.calls == len(texts) - len(failed)
    assert (client.control.decision == "stop") == bool(failed)
    if budget == 0:
        assert model.calls == 0


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 10**6), budget=st.integers(500, 20_000), workers=st.integers(1, 8), faults=st.booleans())
def test_the_limit_is_never_exceeded_over_http(seed: int, budget: int, workers: int, faults: bool) -> None:
    """Every request that reaches the server is billed, answered or lost, unless it is refused by a status."""
    chance, lock, billed = random.Random(seed), threading.Lock(), [Decimal(0)]

    def bill(asked: Asked) -> tuple[int, int]:
        most = sum(len(message["content"].encode()) for message in asked.messages)
        with lock:
            read, written = chance.randint(1, most), chance.randint(0, asked.body["max_tokens"])
            billed[0] += (PRICE[0] * read + PRICE[1] * written) / 10**6
        return read, written

    counts: dict[int, tuple[int, int]] = {}

    def answer(asked: Asked) -> Any:
        kind = chance.randint(0, 9) if faults else 9
        if kind == 0:
            return Fault.http(429)
        counts[asked.number] = bill(asked)
        return [None, Fault.dropped(), Fault.cut(), Fault.garbage()][kind] if 0 < kind < 4 else "fine"

    limit = Decimal(budget) / 10**6
    with (
        ScriptedServer(answer, usage=lambda asked, text: counts[asked.number]) as server,
        Client(
            "m", base_url=server.url, price=PRICE, budget=limit, max_output_tokens=300, retries=1, concurrency=workers
        ) as client,
    ):
        each([f"text {n}" for n in range(12)], lambda text: client.complete(user(text)), workers=workers)
    assert billed[0] <= limit
    assert client.cost.total_cost <= billed[0]


def test_tokens_are_never_more_than_their_bound() -> None:
    texts = [
        "hello",
        "\U0001f9d1\u200d\U0001f680" * 20,
        "\ufdfa\u0489" * 30,
        "a" * 99,
        "\x00\x01" * 40,
        "\u4f60\u597d" * 9,
    ]
    for encoding in ("cl100k_base", "o200k_base"):
        count = resolve(encoding)
        for text in texts:
            request = Request(messages=({"role": "user", "content": text},), model="m", schema={"enum": [text]})
            assert 2 * count(text) <= len(text.encode()) * 2 <= most_tokens(request)
    assert most_tokens(Request(messages=({"role": "user", "content": "\ud800"},), model="m")) > 3


@pytest.mark.parametrize("more", [{"budget": 0}, {"token_budget": 0}, {"budget": 0, "price": (0, 0)}])
def test_a_limit_of_nothing_makes_no_call(more: dict[str, Any]) -> None:
    with ScriptedServer(lambda asked: "fine") as server, Client("made-up", base_url=server.url, **more) as client:
        run = client.run("x")
        for _ in range(2):
            with pytest.raises(BudgetError) as caught:
                run.complete(user())
        assert caught.value.reason == "budget"
        assert caught.value.is_fatal
    assert not server.requests
    for control in (run.ledger.control, client.control):
        assert control.decision == "stop"
        assert len(control.reasons) == 1
        assert control.reasons[0].startswith("budget_exceeded: The limit is 0")
    assert client.run("y").ledger.control.decision == "allow"


def test_recorded_answers_cost_nothing(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with ScriptedServer(lambda asked: "fine") as server, Client("m", base_url=server.url, answers=path) as client:
        client.complete(user("a"))
    with Client("m", base_url=server.url, answers=path, budget=0, price=PRICE) as client:
        assert client.complete(user("a")) == "fine"
        assert client.control.decision == "allow"
        with pytest.raises(BudgetError):
            client.complete(user("b"))


def test_a_run_ends_at_the_limit_and_the_rest_have_its_reason() -> None:
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (100, 100)) as server,
        Client("m", base_url=server.url, price=PRICE, budget="0.002", max_output_tokens=100) as client,
    ):
        run = client.run("x")
        outcomes = each(list("abcdefgh"), lambda name: run.complete(user(name)), workers=2)
    kinds = ["fine" if outcome.error is None else outcome.error.reason for outcome in outcomes]
    # 0.0005 each, and the next one may cost more than what is left. Of two that wait for room either may be the first.
    assert sorted(kinds) == ["budget"] * 5 + ["fine"] * 3
    assert run.ledger.control.decision == "stop"
    assert run.ledger.cost.total_cost == Decimal("0.0015")
    assert len(server.requests) == 3


def test_a_call_that_has_room_once_others_have_ended_waits_for_them() -> None:
    """Eight at once could cost more than is left; one after the other they do not."""
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (1, 1), seconds=0.02) as server,
        Client("m", base_url=server.url, price=PRICE, budget="0.0015", max_output_tokens=200) as client,
    ):
        outcomes = each([str(number) for number in range(16)], lambda name: client.complete(user(name)), workers=8)
    assert [outcome.error for outcome in outcomes] == [None] * 16
    assert server.most_at_once == 1
    assert client.cost.total_cost == Decimal("0.00008")


def test_a_limit_in_tokens_needs_no_price() -> None:
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (40, 60)) as server,
        Client("made-up", base_url=server.url, token_budget=1000, max_output_tokens=100) as client,
    ):
        outcomes = each([str(number) for number in range(20)], lambda name: client.complete(user(name)), workers=4)
    made = sum(outcome.error is None for outcome in outcomes)
    assert client.usage.total_tokens == made * 100 <= 1000
    assert made >= 4
    assert "tokens" in client.control.reasons[0]


@pytest.mark.parametrize("workers", [1, 8])
def test_a_provider_that_counts_more_than_can_be_is_trusted_less(workers: int) -> None:
    """The first call, made alone, may surprise us; after it, what is set aside is in proportion."""
    with (
        ScriptedServer(lambda asked: "fine", usage=lambda asked, text: (10_000, 1000)) as server,
        Client("m", base_url=server.url, price=PRICE, budget="0.05", max_output_tokens=100) as client,
    ):
        outcomes = each([str(number) for number in range(9)], lambda name: client.complete(user(name)), workers=workers)
    assert client.cost.total_cost == Decimal("0.042")
    assert sum(outcome.error is None for outcome in outcomes) == 3


@pytest.mark.parametrize("more", [{"budget": 1, "price": PRICE}, {"token_budget": 10**6}, {}])
def test_under_a_limit_the_first_call_is_made_alone(more: dict[str, Any]) -> None:
    """Nobody else asks before it is counted, also where it fails; then as many as may."""
    gate, alone = threading.Barrier(3), threading.Event()

    def answer(asked: Asked) -> Any:
        if more and asked.number < 2:
            alone.wait(0.3)  # time for others to come
            assert len(server.requests) == asked.number + 1
            return "fine" if asked.number else Fault.http(500)
        gate.wait(60)
        return "fine"

    with (
        ScriptedServer(answer) as server,
        Client("m", base_url=server.url, max_output_tokens=100, retries=0, **more) as client,
    ):
        each([str(n) for n in range(8 if more else 6)], lambda name: client.complete(user(name)), workers=3)
    assert server.most_at_once == 3


def test_an_output_without_a_limit_gets_one_where_money_has_one() -> None:
    with ScriptedServer(lambda asked: "fine") as server:
        with Client("gpt-4.1-nano", base_url=server.url, budget=1) as client:
            client.complete(user())
            client.complete(user(), max_output_tokens=None)
        with Client("gpt-4.1-nano", base_url=server.url) as client:
            client.complete(user())
    assert [asked.body.get("max_tokens") for asked in server.requests] == [4096, 4096, None]


def test_a_lost_request_stays_set_aside() -> None:
    with (
        ScriptedServer(lambda asked: Fault.dropped()) as server,
        Client("m", base_url=server.url, price=PRICE, budget="0.002", max_output_tokens=100, retries=10) as client,
    ):
        with pytest.raises(BudgetError, match="set aside for requests under way or lost"):
            client.complete(user())
        assert client.cost.total_cost == 0
        assert client.control.decision == "stop"
        with pytest.raises(BudgetError, match="may have been for requests without an answer"):
            client.complete(user("again"))
    assert len(server.requests) == 2  # a third could have been one too many


def test_a_refused_request_costs_nothing() -> None:
    with (
        ScriptedServer([*[Fault.http(429)] * 5, "fine"]) as server,
        Client("m", base_url=server.url, price=PRICE, budget="0.001", max_output_tokens=100, retries=5) as client,
    ):
        assert client.complete(user()) == "fine"


def test_a_budget_needs_a_price() -> None:
    with pytest.raises(OptionError, match=r"none is known for 'made-up'\. Give price"):
        Client("made-up", budget=1)
    with Client("gpt-4.1-nano", api_key="k", budget=1) as client, pytest.raises(OptionError, match="'made-up'"):
        client.complete(user(), model="made-up")
    with Client(api_key="k", budget=1) as client, pytest.raises(OptionError, match="No model"):
        client.complete(user())
