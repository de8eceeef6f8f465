"""A partition that nobody waits for any more."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from cantle_llm import Client
from cantle_llm.testing import Asked, ScriptedServer
from cantle_store import Store

sys.path.insert(0, str(Path(__file__).parent))

from partition_parts import URL
from service_parts import TEXT, Embedder, bearer, serving, settings


class Held:
    """A model that answers when it is told to."""

    def __init__(self) -> None:
        self.hold, self.asked = threading.Event(), threading.Event()

    def __call__(self, _: Asked) -> Any:
        """Ten lines, at last."""
        self.asked.set()
        self.hold.wait(60)
        return {"blocks": [{"ranges": [[0, 9]], "label": "Ten lines"}], "reasoning": ""}


def _begun(url: str) -> socket.socket:
    """A connection on which a partition of twenty sessions was asked for."""
    text = "\n\n".join(f"Sentence {i} is here." for i in range(200))
    options = {"maxLinesPerSession": 10, "overlapLines": 0, "persistChunks": True}
    body = json.dumps({"text": text, "options": options}).encode()
    head = f"POST {URL} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in bearer().items())
    connection = socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))
    connection.sendall(head.encode() + b"\r\n" + body)
    return connection


def test_a_client_that_goes_away_ends_the_run() -> None:
    answer = Held()
    with (
        ScriptedServer(answer) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", retries=0, concurrency=1) as client,
        Store("sqlite://", embedder=Embedder()) as store,
        serving(store=store, client=client) as url,
    ):
        try:
            with _begun(url):
                assert answer.asked.wait(60)
            _until(url, lambda text: 'status="499"' in text)
            assert "\ncantle_jobs 1.0" in httpx.get(f"{url}/metrics", headers=bearer()).text  # its call is under way
        finally:
            answer.hold.set()
        _until(url, lambda text: "\ncantle_jobs 0.0" in text)
        assert len(model.requests) == 1
        assert store.for_host("acme").datasets() == []


def test_a_client_that_goes_away_while_it_waits_makes_room() -> None:
    answer = Held()
    with (
        ScriptedServer(answer) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", retries=0, concurrency=1) as client,
        Store("sqlite://", embedder=Embedder()) as store,
        serving(settings(max_jobs=1, queue=1), store=store, client=client) as url,
    ):
        try:
            with _begun(url):
                assert answer.asked.wait(60)
                with _begun(url):
                    _until(url, lambda text: "\ncantle_jobs_waiting 1.0" in text)
                    full = httpx.post(url + URL, json={"text": TEXT}, headers=bearer())
                    assert full.status_code == 503
                    assert full.headers["retry-after"]
                _until(url, lambda text: "\ncantle_jobs_waiting 0.0" in text)
        finally:
            answer.hold.set()
        _until(url, lambda text: "\ncantle_jobs 0.0" in text)
        # Of forty sessions: one more may begin before it is seen that its client has gone.
        assert len(model.requests) <= 2


def _until(url: str, good: Callable[[str], bool]) -> None:
    end = time.monotonic() + 60
    while not good(text := httpx.get(f"{url}/metrics", headers=bearer()).text):
        assert time.monotonic() < end, text
        time.sleep(0.02)


def test_sessions_of_several_requests_are_under_way_at_once() -> None:
    together = threading.Barrier(3)

    def answer(_: Asked) -> Any:
        together.wait(60)
        return {"blocks": [{"ranges": [[0, 0]], "label": "All"}], "reasoning": ""}

    answers: list[int] = []

    def ask(url: str) -> None:
        response = httpx.post(f"{url}{URL}", json={"text": TEXT}, headers=bearer(), timeout=90)
        answers.append(response.json()["sessionsUsed"])

    with (
        ScriptedServer(answer) as model,
        Client("gpt-4.1-nano", base_url=model.url, api_key="k", retries=0, reasks=0) as client,
        serving(client=client) as url,
    ):
        threads = [threading.Thread(target=ask, args=(url,)) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    assert answers == [1, 1, 1]
