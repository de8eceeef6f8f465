"""`GET /v1/strategies`: every strategy with the schema of its options."""

from __future__ import annotations

import httpx
import pytest

from cantle import registry
from cantle.lengths import names
from cantle.schema import json_schema
from cantle.strategy import describe


def test_all_strategies_are_listed_those_of_plugins_too(client: httpx.Client) -> None:
    found = client.get("/v1/strategies").json()
    assert [one["name"] for one in found["strategies"]] == list(registry().strategies())
    plugins = {one["name"]: one["plugin"] for one in found["strategies"]}
    assert plugins["partition"] == registry().provider("partition")
    assert found["lengthFunctions"] == names()
    kinds = {one["name"]: one["kinds"] for one in found["strategies"]}
    assert kinds["recursive"] == ["text"]
    assert kinds["markdown"] == ["markdown"]
    assert all(one["summary"] for one in found["strategies"] if one["plugin"] != "example")


@pytest.mark.parametrize("name", list(registry().strategies()))
def test_every_option_has_a_schema(client: httpx.Client, name: str) -> None:
    found = client.get(f"/v1/strategies/{name}").json()
    schema = json_schema(name)
    wanted = {option.name for option in describe(registry().strategy(name))} - {*schema.get("x-python-only", ())}
    assert found["options"]["properties"].keys() == wanted - {"model", "client"}


def test_what_the_service_refuses_is_no_option(client: httpx.Client) -> None:
    found = client.get("/v1/strategies/partition").json()["options"]["properties"]
    assert "model" not in found
    assert "model" not in found["engine"]["enum"]
    assert "lexical" in found["engine"]["enum"]


def test_an_unknown_strategy_is_404(client: httpx.Client) -> None:
    answer = client.get("/v1/strategies/recursiv")
    assert answer.status_code == 404
    assert "Did you mean 'recursive'?" in answer.json()["error"]["message"]
