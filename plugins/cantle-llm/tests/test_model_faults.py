"""Every fault of the scripted server, and what real servers write: the reason is right, and nothing loops."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cantle_llm import AnswerError, Client, ModelError, RefusedError
from cantle_llm.errors import REASONS
from cantle_llm.testing import Asked, Fault, ScriptedServer

USER = [{"role": "user", "content": "hello"}]
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}},
    "required": ["a"],
    "additionalProperties": False,
}
DATA = Path(__file__).parent / "data" / "client"


def cases(name: str) -> list[Any]:
    read = [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["who"]) for case in read]


def client(server: ScriptedServer, **more: Any) -> Client:
    return Client("gpt-4.1-nano", base_url=server.url, **{"retries": 0, "reasks": 0, "timeout": 20} | more)


def failing(answer: Any, **more: Any) -> tuple[ModelError, ScriptedServer]:
    with (
        ScriptedServer(lambda asked: answer) as server,
        client(server, **more) as asking,
        pytest.raises(ModelError) as caught,
    ):
        asking.structured(USER, SCHEMA)
    return caught.value, server


@pytest.mark.parametrize(
    ("fault", "reason", "retried"),
    [
        (Fault.http(429), "rate_limited", True),
        (Fault.http(500), "server_error", True),
        (Fault.http(503), "server_error", True),
        (Fault.http(408), "timeout", True),
        (Fault.http(400, "x is bad"), "bad_request", False),
        (Fault.http(401), "unauthorized", False),
        (Fault.http(403), "unauthorized", False),
        (Fault.http(404), "not_found", False),
        (Fault.http(429, "No credit", "insufficient_quota"), "quota", False),
        (Fault.cut(), "connection", True),
        (Fault.dropped(), "connection", True),
        (Fault.garbage(), "server_error", True),
        (Fault.garbage(""), "server_error", True),
        (Fault.no_choices(), "server_error", True),
        (Fault.refusal(), "refused", False),
        (Fault.filtered(), "content_filter", False),
        (Fault.truncated('{"a'), "truncated", False),
        (None, "empty", False),
        ("nonsense", "malformed", False),
        ({"b": 2}, "invalid", False),
    ],
    ids=lambda value: getattr(value, "kind", value) if not isinstance(value, dict | bool) else "",
)
def test_a_fault_has_its_reason_and_is_tried_again_if_that_can_help(fault: Any, reason: str, retried: bool) -> None:
    error, server = failing(fault, retries=1)
    assert error.reason == reason
    assert str(error).startswith(REASONS[reason][:1].upper() + REASONS[reason][1:])
    assert len(server.requests) == (2 if retried else 1)
    assert isinstance(error, AnswerError) == (
        reason in ("refused", "content_filter", "truncated", "empty", "malformed", "invalid")
    )


def test_a_slow_server_is_a_timeout() -> None:
    error, server = failing(Fault.slow(60), timeout=0.3)
    assert error.reason == "timeout"
    assert len(server.requests) == 1


@pytest.mark.parametrize("fault", [Fault.http(500), Fault.cut(), Fault.dropped(), Fault.garbage(), Fault.no_choices()])
def test_after_a_passing_fault_the_answer_comes(fault: Fault) -> None:
    with ScriptedServer([fault, fault, {"a": 1}]) as server, client(server, retries=2) as asking:
        assert asking.structured(USER, SCHEMA) == {"a": 1}
    assert len(server.requests) == 3


BUSY = {"error": {"code": 429, "message": "busy"}}


@pytest.mark.parametrize("headers", [{"retry-after": "86400"}, {"retry-after-ms": "86400000"}])
@pytest.mark.parametrize("status", [429, 200])
def test_a_long_retry_after_is_an_error_at_once_and_not_a_long_wait(
    status: int, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr("cantle_llm.model.openai_sdk.time", SimpleNamespace(sleep=waits.append))
    error, server = failing(Fault.raw(BUSY, status, headers=headers), retries=2)
    assert error.reason == "rate_limited"
    assert len(server.requests) == 1
    assert waits == []


def test_a_body_of_status_200_may_ask_for_a_short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("cantle_llm.model.openai_sdk.time", SimpleNamespace(sleep=waits.append))
    for headers in ({"retry-after": "90"}, {"retry-after": "soon"}):
        failing(Fault.raw(BUSY, 200, headers=headers), retries=1)
    assert waits == [90, 0.5]


@pytest.mark.parametrize("case", cases("failures.jsonl"))
def test_what_servers_write_has_its_reason(case: Any) -> None:
    error, server = failing(Fault.raw(case["body"], case["status"]))
    assert error.reason == case["reason"]
    assert len(server.requests) <= 4  # a 400 that speaks of schemas is tried in other forms, and then given up
    assert error.is_fatal == (case["reason"] in ("unauthorized", "not_found", "quota"))
    assert isinstance(error, RefusedError) == (case["reason"] == "content_filter")


def refuses(trait: str, body: Any) -> bool:
    form = body.get("response_format", {})
    if trait in ("json_schema", "json_object"):
        return bool(form.get("type") == trait)
    if trait == "strict":
        return bool(form.get("json_schema", {}).get("strict"))
    return trait in body


@pytest.mark.parametrize("case", cases("complaints.jsonl"))
def test_a_complaint_is_learnt_from_once(case: Any) -> None:
    def answer(asked: Asked) -> Any:
        return Fault.raw(case["body"], case["status"]) if refuses(case["refused"], asked.body) else {"a": 1}

    then = case["then"]
    provider = "openai" if case["refused"] == "max_completion_tokens" else ""
    with (
        ScriptedServer(answer) as server,
        client(server, provider=provider, max_output_tokens=100, temperature=0) as asking,
    ):
        assert asking.structured(USER, SCHEMA) == {"a": 1}
        first = len(server.requests)
        assert asking.structured([*USER, *USER], SCHEMA) == {"a": 1}
    assert 2 <= first <= 4
    assert len(server.requests) == first + 1  # the second call knows
    body = server.requests[-1].body
    assert then.get("has", "model") in body
    assert then.get("lacks", "x") not in body
    form = body.get("response_format", {"type": "text"})
    assert form["type"] == then.get("format", "json_schema")
    assert form.get("json_schema", {}).get("strict") == then.get("strict", form.get("json_schema", {}).get("strict"))
    if form["type"] != "json_schema":
        assert '"additionalProperties": false' in server.requests[-1].system


def test_what_a_schema_was_refused_for_is_not_held_against_others() -> None:
    def answer(asked: Asked) -> Any:
        odd = asked.schema is not None and "b" in asked.schema["properties"]
        return Fault.http(400, "Invalid schema for response_format 'answer'") if odd else {"a": 1, "b": 1}

    other = {"type": "object", "properties": {"b": {"type": "integer"}}}
    with ScriptedServer(answer) as server, client(server) as asking:
        asking.structured(USER, other)
        asking.structured(USER, {"type": "object", "properties": {"a": {"type": "integer"}}})
        assert server.requests[-1].schema is not None
        asking.structured(USER, other)
        assert server.requests[-1].schema is None
    assert len(server.requests) == 4  # by schema, then as an object; by schema; as an object


def test_a_server_that_always_complains_is_given_up_and_nothing_is_learnt() -> None:
    words = "schema strict temperature response_format max_tokens"
    for said in words.split():
        answers = [Fault.http(400, f"{said} is bad")] * 6
        with ScriptedServer(answers) as server, client(server, max_output_tokens=9) as asking:
            with pytest.raises(ModelError) as caught:
                asking.structured(USER, SCHEMA)
            first = server.requests[0].body
            count = len(server.requests)
            assert caught.value.reason == "bad_request"
            assert count <= 4
            with pytest.raises(ModelError):
                asking.structured(USER, SCHEMA)
            assert server.requests[count].body == first


def test_all_complaints_one_after_the_other() -> None:
    def answer(asked: Asked) -> Any:
        for said in ("temperature", "max_tokens", "response_format"):
            if said in asked.body:
                return Fault.http(400, f"{said} is not supported")
        return {"a": 1}

    with ScriptedServer(answer) as server, client(server, max_output_tokens=9) as asking:
        assert asking.structured(USER, SCHEMA) == {"a": 1}
    assert set(server.requests[-1].body) == {"model", "messages", "max_completion_tokens"}


def test_a_fixed_form_is_kept() -> None:
    with (
        ScriptedServer({}.get, refused_formats=["json_object"]) as server,
        client(server, structured="json_object") as asking,
        pytest.raises(ModelError) as caught,
    ):
        asking.structured(USER, SCHEMA)
    assert caught.value.reason == "bad_request"
    assert len(server.requests) == 1


def message(**fields: Any) -> Any:
    return Fault.raw({"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant"} | fields}]})


@pytest.mark.parametrize(
    "answer",
    [
        message(content=[{"type": "text", "text": '{"a"'}, {"type": "text", "text": ": 1}"}]),
        message(content=[{"type": "thinking", "thinking": [{"type": "text", "text": "{}"}]}, '{"a": 1}']),
        message(content='{"a": 1}', reasoning_content="let me see: {}"),
        message(content='<think>perhaps {"a": 2}?</think>\n{"a": 1}'),
        message(content='perhaps {"a": 2}?\n</think>\n\n{"a": 1}'),
        message(content=None, tool_calls=[{"type": "function", "function": {"name": "x", "arguments": '{"a": 1}'}}]),
        message(content=None, tool_calls=[{"type": "function", "function": {"name": "x", "arguments": {"a": 1}}}]),
        Fault.truncated('{"a": 1}'),
        Fault.raw({"choices": [{"message": {"content": '{"a": 1}'}}, {"message": {"content": "no"}}]}),
        Fault.raw({"choices": [{"message": {"content": '{"a": 1}', "refusal": None}, "finish_reason": None}], "x": 1}),
    ],
)
def test_answers_of_odd_forms_are_understood(answer: Any) -> None:
    with ScriptedServer(lambda asked: answer) as server, client(server) as asking:
        assert asking.structured(USER, SCHEMA) == {"a": 1}


@pytest.mark.parametrize(
    "fields",
    [
        {"content": None},
        {},
        {"content": []},
        {"content": 7},
        {"content": None, "reasoning_content": "hm"},
        {"content": "<think>hm"},
        {"content": None, "tool_calls": [{}]},
        {"content": None, "tool_calls": "x"},
    ],
)
def test_no_content_is_an_empty_answer(fields: Any) -> None:
    error, _ = failing(message(**fields))
    assert error.reason == "empty"


def test_a_text_that_is_cut_off_is_none_and_says_what_the_limit_was() -> None:
    with (
        ScriptedServer(lambda asked: Fault.truncated("Once upon a")) as server,
        client(server) as asking,
        pytest.raises(AnswerError, match="max_output_tokens is 5") as caught,
    ):
        asking.complete(USER, max_output_tokens=5)
    assert caught.value.reason == "truncated"


@pytest.mark.parametrize("key", ["sk-secret-1234", "abcd"])
def test_the_key_is_never_repeated(key: str) -> None:
    answers = [
        Fault.http(401, f"Incorrect API key provided: {key}"),
        Fault.raw({"error": {"message": key, "code": 401}}),
    ]
    for answer in answers:
        error, _ = failing(answer, api_key=key)
        assert error.reason == "unauthorized"
        assert key not in str(error)
        assert "***" in error.detail


def test_an_address_without_v1_is_hinted_at() -> None:
    with ScriptedServer(lambda asked: Fault.http(404)) as server:
        with (
            Client("m", base_url=server.url.removesuffix("/v1"), retries=0) as asking,
            pytest.raises(ModelError, match="most servers want a base_url that ends in /v1"),
        ):
            asking.complete(USER)
        with Client("m", base_url=server.url, retries=0) as asking, pytest.raises(ModelError) as caught:
            asking.complete(USER)
    assert "/v1" not in str(caught.value)
