"""Requests made from the OpenAPI document, good ones and bad ones: none may be answered with a 5xx."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from service import Service

schemathesis = pytest.importorskip("schemathesis")
hypothesis = pytest.importorskip("hypothesis")

MODES = [schemathesis.GenerationMode.POSITIVE, schemathesis.GenerationMode.NEGATIVE]


def requests_of(operation: Any, mode: Any, client: httpx.Client, service: Service, seen: set[int]) -> Any:
    """A property: no request to the operation is a 5xx."""

    @hypothesis.settings(
        max_examples=10,
        deadline=None,
        database=None,
        derandomize=True,
        suppress_health_check=list(hypothesis.HealthCheck),
        phases=[hypothesis.Phase.generate],
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def check(case: Any) -> None:
        answer = case.call(base_url=service.url, headers={"Authorization": f"Bearer {service.token()}"}, timeout=60)
        seen.add(answer.status_code)
        assert answer.status_code < 500, (operation.label, answer.status_code, answer.text)

    return check


def test_no_request_is_a_5xx(tmp_path: Any) -> None:
    with Service(job_timeout=60, store=f"sqlite:///{tmp_path}/chunks.db") as running:
        client = running.client()
        schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
        seen: dict[str, set[int]] = {}
        for result in schema.get_all_operations():
            operation = result.ok()
            for mode in MODES:
                found = seen.setdefault(operation.label, set())
                try:
                    requests_of(operation, mode, client, running, found)()
                except hypothesis.errors.Unsatisfiable:
                    assert mode is schemathesis.GenerationMode.NEGATIVE, operation.label  # nothing can be wrong there
        assert client.get("/readyz").status_code == 200
    assert 200 in seen["POST /v1/chunk"]
    assert 422 in seen["POST /v1/chunk"]
    assert len(seen) > 8
