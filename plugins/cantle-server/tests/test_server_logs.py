"""The log: one line of JSON a request, and nothing in it that was in a document, a token or a secret."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import APIRouter
from service import SECRET, Service

from cantle_server import logs

WORD = "Xylograph"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What the log writes."""
    names = ("", "cantle_server", "uvicorn", "uvicorn.error", "uvicorn.access", "python_multipart")
    loggers = [logging.getLogger(name) for name in names]
    before = [(one, one.handlers, one.propagate, one.level) for one in loggers]
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    logs.configure("info")
    yield stream
    for one, handlers, propagate, level in before:
        one.handlers, one.propagate, one.level = handlers, propagate, level
        one.setLevel(level)


def lines(written: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in written.getvalue().splitlines(keepends=True) if line.endswith("\n")]


def line_of(written: io.StringIO, answer: httpx.Response) -> dict[str, Any]:
    """The line of a request, which is written when its answer has been sent."""
    end = time.monotonic() + 60
    while True:
        for line in lines(written):
            if line["message"] == "request" and line["requestId"] == answer.headers["x-request-id"]:
                return line
        assert time.monotonic() < end
        time.sleep(0.01)


def fail() -> None:
    raise ValueError(f"{WORD} is a document")


@pytest.fixture
def running() -> Iterator[Service]:
    service = Service()
    router = APIRouter()
    router.add_api_route("/v1/broken", fail, summary="Breaks")
    service.app.include_router(router)
    with service:
        yield service


def test_a_request_is_one_line_without_its_text(written: io.StringIO, running: Service) -> None:
    client = running.client(running.token(host="acme", user="ana"))
    answers = [
        client.post("/v1/chunk", json={"text": WORD, "source": WORD, "metadata": {"a": WORD}}),
        client.post("/v1/chunk", json={"text": WORD, "options": {WORD: WORD}}),
        client.post("/v1/chunk", content=WORD.encode(), headers={"Content-Type": WORD}),
        client.post("/v1/chunk", files={WORD: (WORD, WORD.encode() + b"\0\1\2\3\4\5")}),
        client.get(f"/{WORD}?q={WORD}"),
        client.get("/v1/broken"),
    ]
    assert [answer.status_code for answer in answers] == [200, 422, 415, 422, 404, 500]
    found = [line_of(written, answer) for answer in answers]
    text = written.getvalue()
    assert WORD not in text
    assert SECRET not in text
    assert client.headers["authorization"].split()[1] not in text
    assert [line["status"] for line in found] == [200, 422, 415, 422, 404, 500]
    first = found[0]
    assert (first["method"], first["route"], first["hostId"], first["userId"]) == ("POST", "/v1/chunk", "acme", "ana")
    assert (first["characters"], first["chunks"]) == (len(WORD), 1)
    assert first["bytesIn"] > 0
    assert first["bytesOut"] == len(answers[0].content)
    assert first["requestId"] == answers[0].headers["x-request-id"]
    assert found[1]["error"] == "invalid_option"


def test_an_unexpected_error_is_500_without_details_and_in_the_log_by_its_id(
    written: io.StringIO, running: Service
) -> None:
    answer = running.client().get("/v1/broken")
    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal_error"
    assert WORD not in answer.text
    line_of(written, answer)
    error = next(line for line in lines(written) if line["level"] == "error")
    assert error["requestId"] == answer.json()["error"]["requestId"]
    assert error["exception"]["type"] == "builtins.ValueError"
    assert error["exception"]["places"][-1].endswith(" fail")


def test_what_a_token_names_cannot_forge_a_line(written: io.StringIO, running: Service) -> None:
    answer = running.client(running.token(user='a", "status": 500, "x": "é')).get("/v1/strategies")
    found = line_of(written, answer)
    assert (found["userId"], found["status"]) == ('a", "status": 500, "x": "é', 200)
    assert written.getvalue().isascii()


def test_lines_of_others_are_json_too(written: io.StringIO) -> None:
    logging.getLogger("other").warning("a\nb")
    logging.getLogger("httpx").info("https://user:password@host/")
    assert "a\nb" in [line["message"] for line in lines(written)]
    assert "password" not in written.getvalue()


def test_a_client_that_is_told_to_wait_is_in_the_log(written: io.StringIO) -> None:
    with Service(rate=60) as running:
        client: httpx.Client = running.client()
        answers = [client.get("/v1/strategies") for _ in range(40)]
        late = next(answer for answer in answers if answer.status_code == 429)
        assert line_of(written, late)["error"] == "rate_limited"
