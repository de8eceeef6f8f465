"""`/v1/partition`: its options, and what is said where it does not go well."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from cantle_llm.testing import Fault, ScriptedServer
from cantle_server.app import create_app

sys.path.insert(0, str(Path(__file__).parent))

from partition_parts import URL, Service, answered, running
from service_parts import TEXT, bearer, settings

KNOWN = (
    "persistChunks", "createDatasetIfMissing", "datasetId", "datasetName", "avatarId", "maxCharsPerStoredChunk",
    "engine", "maxCharsPerChunk",
    "maxLinesPerSession", "overlapLines", "fallbackMaxCharsPerBlock", "minCoverage", "maxWordsPerLine", "uncovered",
    "language",
)  # fmt: skip


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """One for all."""
    with running() as found:
        yield found


@pytest.fixture
def shared(service: Service) -> Service:
    """The service, for a host of its own."""
    return service.begin()


@pytest.fixture(scope="module")
def bare() -> Iterator[TestClient]:
    """A service without a store and without a model."""
    with TestClient(create_app(settings())) as http:
        yield http


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"persistChunk": True}, "persistChunks"),
        ({"model": "gpt-5"}, "There are: "),
        ({"baseUrl": "http://example.com"}, "There are: "),
        ({"api_key": "k"}, "There are: "),
        ({"persist_chunks": True}, "persistChunks"),
    ],
)
def test_an_unknown_option_is_refused_with_those_that_there_are(
    shared: Service, options: dict[str, Any], said: str
) -> None:
    response = shared.ask(**options)
    assert response.status_code == 422
    message = response.json()["error"]["message"]
    assert said in message
    assert next(iter(options)) in message
    assert all(name in message for name in KNOWN)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("persistChunks", "yes"),
        ("persistChunks", 1),
        ("createDatasetIfMissing", "false"),
        ("maxCharsPerChunk", "80000"),
        ("maxCharsPerChunk", 0),
        ("maxCharsPerChunk", 10.5),
        ("maxLinesPerSession", True),
        ("maxLinesPerSession", 0),
        ("overlapLines", -1),
        ("fallbackMaxCharsPerBlock", 0),
        ("minCoverage", 1.1),
        ("minCoverage", "0.9"),
        ("minCoverage", True),
        ("datasetId", 7),
        ("datasetId", ""),
        ("avatarId", {}),
        ("datasetName", "   "),
        ("engine", "magic"),
        ("uncovered", "drop"),
        ("language", "xx"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_option(shared: Service, name: str, value: Any) -> None:
    before = shared.asked
    response = shared.ask(**{name: value})
    assert response.status_code == 422
    assert f"options.{name}" in response.json()["error"]["message"]
    assert shared.asked == before


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "text is missing"),
        ({"text": " \n"}, "text is missing"),
        ({"text": None}, "text is missing"),
        ({"text": 7}, "body.text"),
        ({"text": ["a"]}, "body.text"),
        ([], "body"),
        ({"text": "a", "mediaUrls": "http://example.com"}, "body.mediaUrls"),
        ({"text": "a", "mediaUrls": ["https://a.example/x"] * 9}, "8 are the most"),
        ({"text": "a", "txt": "b"}, "Did you mean 'text'?"),
        ({"text": "a", "metadata": []}, "body.metadata"),
        ({"text": "a", "options": []}, "body.options"),
        ({"text": "a", "options": {"maxLinesPerSession": 10, "overlapLines": 6}}, "overlapLines"),
    ],
)
def test_a_wrong_body_is_refused(shared: Service, body: Any, said: str) -> None:
    response = shared.ask(body)
    assert response.status_code == 422
    assert said in response.json()["error"]["message"]


def test_the_body_is_json_and_not_endless(shared: Service) -> None:
    post = shared.http.post
    assert post(URL, content=b"text=a", headers=bearer()).status_code == 415
    assert post(URL, data={"text": "a"}, headers=bearer()).status_code == 415
    json_kind = {**bearer(), "Content-Type": "application/json"}
    for content in (b"{", b"\xff", b'{"text": NaN}', b'{"text":"a","text":"b"}', b"[" * 10_000 + b"]" * 10_000):
        assert post(URL, content=content, headers=json_kind).status_code == 400, content[:20]
    assert shared.http.post(URL, json={"text": "a"}).status_code == 401


def test_large_bodies_are_read_as_small_ones_are(shared: Service) -> None:
    json_kind = {**shared.bearer(), "Content-Type": "application/json"}
    pad = b" " * (1 << 18)
    for content, status, said in (
        (b'{"text": "Some words.", "options": {"engine": "lexical"}}', 200, '"blocks"'),
        (b'{"text": "a", "txt": 1}', 422, "Did you mean"),
        (b'{"text": "a",}', 400, "invalid_json"),
        (b'{"text": "\xff"}', 400, "invalid_utf8"),
        (b"[" * 1000 + b"]" * 1000, 400, "too_deep"),
        (b'{"text": "a", "metadata": {"a": [' + b"{}," * 100_000 + b"1]}}", 400, "too_complex"),
    ):
        response = shared.http.post(URL, content=pad + content, headers=json_kind)
        assert response.status_code == status, response.text
        assert said in response.text


def test_too_long_a_text_is_refused_before_anything_is_asked(shared: Service) -> None:
    response = shared.ask({"text": "word " * 10_001})
    assert response.status_code == 413
    assert response.json()["error"]["limit"] == 50_000
    assert shared.asked == 0


def test_any_text_comes_back_as_it_was(shared: Service) -> None:
    text = "\ufeffA\x00B \ud800 C\u202e.\n\n\U0001f600 Second."
    body = json.dumps({"text": text, "options": {"engine": "lexical"}}).encode()
    response = shared.http.post(URL, content=body, headers={**bearer(), "Content-Type": "application/json"})
    assert response.status_code == 200
    for block in json.loads(response.content)["blocks"]:
        assert "\n\n".join(text[start:end] for start, end in block["ranges"]) == block["text"]


def test_too_little_coverage_is_no_success_and_its_blocks_are_there_and_not_stored(shared: Service) -> None:
    few = {"blocks": [{"ranges": [[0, 3]], "label": "The journey"}], "reasoning": ""}
    shared.answer = lambda asked: few
    response = shared.ask(persistChunks=True)
    metrics = shared.metrics()
    datasets = shared.store.datasets()
    seed = shared.http.post(
        "/api/externalAPIs/public/smartSplit/partition", json={"text": TEXT}, headers=shared.bearer()
    ).json()
    assert response.status_code == 200
    body = response.json()
    assert body["success"] is False
    assert body["reason"] == "coverage_below_threshold"
    assert body["missingCount"] == 3
    assert [block["label"] for block in body["blocks"]] == ["The journey"]
    assert body["coverage"] == pytest.approx(4 / 7)
    assert body["uncoveredLines"]["indices"] == [4, 5, 6]
    assert body["uncoveredLines"]["ranges"] == [[4, 6]]
    assert body["uncoveredLines"]["lines"][1] == "Chapter 3. The Resolution."
    assert body["persisted"] is None
    assert body["persistError"]["code"] == "partition_failed"
    assert datasets == []
    assert 'cantle_partition_results_total{engine="model",outcome="coverage_below_threshold"}' in metrics
    assert re.search(r"^cantle_partition_coverage_failures_total [1-9]", metrics, re.MULTILINE)
    assert seed["auditLog"][-2:] == [
        "[SmartSplit] Cobertura: 57.1% (4/7)",
        "[SmartSplit] Particionamento falhou: coverage_below_threshold",
    ]


def test_uncovered_and_min_coverage_reach_the_partition(shared: Service) -> None:
    few = {"blocks": [{"ranges": [[0, 3]], "label": "The journey"}], "reasoning": ""}
    shared.answer = lambda asked: few
    body = shared.ask(minCoverage=0.5, uncovered="nearest").json()
    assert body["success"] is True
    assert body["blocks"][0]["lines"] == [[0, 6]]


def test_a_model_that_refuses_gives_mechanical_blocks(shared: Service) -> None:
    shared.answer = lambda asked: Fault.refusal()
    body = shared.ask(fallbackMaxCharsPerBlock=150).json()
    assert body["success"] is False
    assert body["reason"] == "all_sessions_failed"
    assert body["fallbackUsed"] is True
    assert body["failedSessions"] == 1
    assert [block["label"] for block in body["blocks"]] == [None, None]
    assert body["failures"][0]["reason"] == "refused"


def test_a_model_that_cannot_be_asked_is_502_and_tells_no_more_than_why(shared: Service) -> None:
    shared.answer = lambda asked: Fault.http(401, "key sk-secret is wrong", "invalid_api_key")
    response = shared.ask()
    assert response.status_code == 502
    error = response.json()["error"]
    assert error["code"] == "model_failed"
    assert error["reason"] == "unauthorized"
    assert "sk-secret" not in response.text


def test_the_engine_may_be_chosen_but_not_a_model_that_is_not_there(shared: Service, bare: TestClient) -> None:
    before = shared.asked
    assert shared.ask(engine="lexical").json()["costControl"]["references"]["model"] == "lexical"
    assert shared.asked == before
    response = bare.post(URL, json={"text": TEXT, "options": {"engine": "model"}}, headers=bearer())
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "no_model"


def test_too_many_sessions_are_not_begun(shared: Service) -> None:
    text = "\n\n".join(f"Line {i}." for i in range(1200))
    all_of_it = {"blocks": [{"ranges": [[0, 0]], "label": "One"}], "reasoning": ""}
    shared.answer = lambda asked: all_of_it
    response = shared.ask({"text": text, "options": {"maxLinesPerSession": 1, "overlapLines": 0}})
    asked = shared.asked
    assert response.status_code == 422
    assert response.json()["error"]["code"] == "too_many_sessions"
    assert asked <= 20


def test_a_spending_limit_of_the_variables_holds_for_each_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer(answered, usage=lambda asked, text: (480, 95)) as model:
        monkeypatch.setenv("CANTLE_LLM_BASE_URL", model.url)
        monkeypatch.setenv("CANTLE_LLM_API_KEY", "k")
        monkeypatch.setenv("CANTLE_LLM_TOKEN_BUDGET", "8000")
        monkeypatch.setenv("CANTLE_LLM_MAX_OUTPUT_TOKENS", "500")
        with TestClient(create_app(settings(model="gpt-4.1-nano"))) as http:
            bodies = [http.post(URL, json={"text": TEXT}, headers=bearer()).json() for _ in range(20)]
            assert [body["success"] for body in bodies] == [True] * 20
            monkeypatch.setenv("CANTLE_LLM_TOKEN_BUDGET", "100")
            body = http.post(URL, json={"text": TEXT}, headers=bearer()).json()
    assert body["success"] is False
    assert body["reason"] == "budget"
    assert body["costControl"]["control"]["decision"] == "stop"
    assert len(model.requests) == 20
