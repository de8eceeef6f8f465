"""Health and metrics."""

from __future__ import annotations

import re
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from service import Service

from cantle.errors import CantleError


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_service_that_works_is_ready(service: Service) -> None:
    client = service.client(None)
    assert client.get("/healthz").json() == {"status": "ok"}
    assert client.get("/readyz").json() == {"status": "ok", "checks": {"workers": "ok"}}


class Broken:
    """A store whose database is gone."""

    def avatars(self) -> Any:
        raise CantleError("password of the database")

    def close(self) -> None:
        pass


def test_a_service_whose_store_does_not_answer_is_not_ready() -> None:
    with Service(parts={"store": Broken()}) as running:
        answer = running.client(None).get("/readyz")
        assert answer.status_code == 503
        assert answer.json() == {"status": "failed", "checks": {"workers": "ok", "store": "failed"}}
        assert running.client(None).get("/healthz").status_code == 200


def test_requests_chunks_and_failures_are_counted() -> None:
    with Service() as running:
        client = running.client()
        for _ in range(3):
            client.post("/v1/chunk", json={"text": "é b c", "options": {"maxSize": 1, "overlap": 0}})
        client.post("/v1/chunk", json={"text": 7})
        client.get("/v1/strategies/none")
        for path in ("/a", "/b", "/v1/strategies/c/d"):
            client.get(path)
        running.client(None).get("/v1/strategies")
        found = samples(client.get("/metrics").text)

        def requests(route: str, method: str, status: int) -> float:
            labels = (("method", method), ("route", route), ("status", str(status)))
            return found["cantle_requests_total", labels]

        assert requests("/v1/chunk", "POST", 200) == 3
        assert requests("/v1/chunk", "POST", 422) == 1
        assert requests("/v1/strategies/{name}", "GET", 404) == 1
        assert requests("(unmatched)", "GET", 404) == 3
        assert found["cantle_characters_total", (("route", "/v1/chunk"),)] == 15
        assert found["cantle_chunks_total", (("route", "/v1/chunk"),)] == 9
        assert found["cantle_problems_total", (("code", "invalid_field"),)] == 1
        assert found["cantle_problems_total", (("code", "unauthorized"),)] == 1
        assert found["cantle_workers", ()] == 1
        assert found["cantle_requests_in_flight", ()] == 1
        assert ("cantle_partition_coverage_failures_total", ()) in found
        assert ("cantle_partition_failed_sessions_total", ()) in found
        seconds = ("cantle_request_seconds_count", (("method", "POST"), ("route", "/v1/chunk")))
        assert found[seconds] == 4


def test_labels_are_bounded_whatever_is_asked() -> None:
    with Service() as running:
        client = running.client()
        for number in range(50):
            client.request(f"M{number}", f"/path{number}")
            client.get(f"/v1/strategies/{number}")
        text = client.get("/metrics").text
        assert "path1" not in text
        assert not re.search(r'method="M\d', text)
        assert len([line for line in text.splitlines() if line.startswith("cantle_requests_total")]) < 8


def test_two_services_in_a_process_count_apart() -> None:
    with Service() as one, Service() as two:
        one.client().get("/v1/strategies")
        assert 'route="/v1/strategies"' in one.client().get("/metrics").text
        assert 'route="/v1/strategies"' not in two.client().get("/metrics").text


@pytest.mark.parametrize("path", ["/metrics"])
def test_metrics_are_not_for_strangers(service: Service, path: str) -> None:
    assert service.client(None).get(path).status_code == 401
