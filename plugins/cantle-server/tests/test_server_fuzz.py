"""Requests made from the OpenAPI document: none may be answered with a 5xx."""

from __future__ import annotations

from typing import Any

import pytest
from service import Service

schemathesis = pytest.importorskip("schemathesis")
hypothesis = pytest.importorskip("hypothesis")


def test_no_request_is_a_5xx(tmp_path: Any) -> None:
    with Service(job_timeout=30, store=f"sqlite:///{tmp_path}/chunks.db") as running:
        headers = {"Authorization": f"Bearer {running.token()}"}
        schema = schemathesis.openapi.from_url(f"{running.url}/openapi.json")
        seen: dict[str, set[int]] = {}
        for result in schema.get_all_operations():
            operation = result.ok()

            @hypothesis.settings(
                max_examples=12,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(hypothesis.HealthCheck),
                phases=[hypothesis.Phase.generate],
            )
            @hypothesis.given(case=operation.as_strategy())
            def check(case: Any, label: str = operation.label) -> None:
                answer = case.call(base_url=running.url, headers=headers)
                seen.setdefault(label, set()).add(answer.status_code)
                assert answer.status_code < 500, (label, answer.status_code, answer.text)

            check()
    assert 200 in seen["POST /v1/chunk"]
    assert len(seen) > 8
