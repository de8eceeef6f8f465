"""Requests made from the OpenAPI document, with a dataset that is there: no 5xx, and answers as they are documented."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from cantle_server.app import create_app
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from service_parts import Embedder, bearer, serving, settings

schemathesis = pytest.importorskip("schemathesis")
hypothesis = pytest.importorskip("hypothesis")

OURS = ("partition", "datasets", "search", "avatars", "roles", "documents")


def test_answers_are_as_they_are_documented() -> None:
    seen: dict[str, set[int]] = {}
    with Store("sqlite://", embedder=Embedder()) as store, serving(store=store) as url:
        mine = store.for_host("acme")
        dataset = mine.create_dataset("docs")
        mine.sync(dataset, "a", [{"text": "Some words."}])
        there = {"dataset_id": dataset.id, "avatar_id": dataset.avatar_id}
        for result in schemathesis.openapi.from_url(f"{url}/openapi.json").get_all_operations():
            operation = result.ok()
            ours = any(part in operation.path for part in OURS)
            if ours and operation.label != "DELETE /v1/datasets/{dataset_id}":
                seen[operation.label] = _statuses(operation, url, there)
    assert len(seen) > 14
    for label, statuses in seen.items():
        if not label.startswith("DELETE"):
            assert statuses & {200, 201}, (label, statuses)


def _statuses(operation: Any, url: str, there: dict[str, str]) -> set[int]:
    """What requests for an operation, with ids that are there, are answered with."""
    from schemathesis.specs.openapi.checks import response_schema_conformance

    seen: set[int] = set()

    @hypothesis.settings(
        max_examples=10,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.explicit, hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy())
    def check(case: Any) -> None:
        case.path_parameters = {name: there.get(name, value) for name, value in case.path_parameters.items()}
        answer = case.call(base_url=url, headers=bearer())
        seen.add(answer.status_code)
        assert answer.status_code < 500, (operation.label, answer.status_code, answer.text)
        assert str(answer.status_code) in operation.definition.raw["responses"], (operation.label, answer.text)
        case.validate_response(answer, checks=[response_schema_conformance])

    check()
    return seen


def test_examples_of_the_document_fit_their_schemas() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    found = create_app(settings()).openapi()
    schemas = found["components"]["schemas"]
    ours = {name for name in schemas if name.endswith(("Shown", "Asked", "Partitioned"))}
    assert len(ours) > 15
    shown = 0
    for name in ours:
        for example in schemas[name].get("examples", ()):
            jsonschema.validate(example, {"$ref": f"#/components/schemas/{name}", "components": found["components"]})
            shown += 1
    assert shown > 15
    assert schemas["Partitioned"]["examples"][0]["persisted"] is None
