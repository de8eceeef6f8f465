"""The scripted server itself: it is for users' tests, and must not be what fails in them."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from cantle_llm import Client, ModelError
from cantle_llm.testing import Asked, Fault, ScriptedServer

USER = [{"role": "user", "content": "hello"}]
BODY = json.dumps({"model": "m", "messages": USER})
PATH = "/v1/chat/completions"


def connection(server: ScriptedServer) -> http.client.HTTPConnection:
    return http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=30)


def answer_of(speaking: http.client.HTTPConnection) -> tuple[int, Any]:
    response = speaking.getresponse()
    return response.status, json.loads(response.read())


def test_what_was_asked_is_kept() -> None:
    schema = {"type": "object"}
    with ScriptedServer(lambda asked: {"x": asked.number}) as server, Client("m", base_url=server.url) as client:
        client.structured([{"role": "system", "content": "s"}, *USER], schema)
    asked = server.requests[0]
    assert (asked.number, asked.prompt, asked.system, asked.schema) == (0, "hello", "s", schema)
    assert asked.messages[1] == USER[0]
    assert asked.body["model"] == "m"
    assert asked.headers["content-type"] == "application/json"
    assert "authorization" not in repr(asked).lower()
    assert Asked(1, {"messages": USER}).system == ""
    assert Asked(1, {"messages": USER}).schema is None


def test_a_list_of_answers_comes_in_order_and_then_an_error() -> None:
    with ScriptedServer(["a", "b"]) as server, Client("m", base_url=server.url, retries=0) as client:
        assert [client.complete(USER), client.complete(USER)] == ["a", "b"]
        with pytest.raises(ModelError, match="end of the script"):
            client.complete(USER)


def test_a_key_is_asked_for() -> None:
    with ScriptedServer(lambda asked: "fine", key="sk-right") as server:
        with Client("m", base_url=server.url, api_key="sk-right") as client:
            assert client.complete(USER) == "fine"
        for wrong in (None, "sk-wrong"):
            with Client("m", base_url=server.url, api_key=wrong) as client, pytest.raises(ModelError) as caught:
                client.complete(USER)
            assert caught.value.reason == "unauthorized"


def test_counts_of_tokens() -> None:
    for usage, expected in ((True, (1, 2, False)), (lambda asked, text: (7, len(text)), (7, 9, False))):
        with ScriptedServer(["two words"], usage=usage) as server, Client("m", base_url=server.url) as client:
            client.complete(USER)
            used = client.usage
        assert (used.input_tokens, used.output_tokens, used.is_estimated) == expected
    with ScriptedServer(["two words"], usage=False) as server, Client("m", base_url=server.url) as client:
        client.complete(USER)
    assert client.usage.is_estimated


def test_sixty_four_at_once() -> None:
    barrier = threading.Barrier(64)

    def answer(asked: Asked) -> str:
        barrier.wait(60)  # all of them are here
        return asked.prompt

    with (
        ScriptedServer(answer) as server,
        Client("m", base_url=server.url, concurrency=64, retries=0) as client,
        ThreadPoolExecutor(64) as pool,
    ):
        names = [str(number) for number in range(64)]
        given = list(pool.map(lambda name: client.complete([{"role": "user", "content": name}]), names))
    assert given == names
    assert server.most_at_once == 64


def test_a_connection_is_kept_for_several_requests_and_cut_ones_hurt_no_other() -> None:
    with ScriptedServer(["a", Fault.http(500), "b", Fault.cut(), "c"]) as server:
        one, two = connection(server), connection(server)
        for speaking, status in ((one, 200), (two, 500), (one, 200)):
            speaking.request("POST", PATH, BODY)
            assert answer_of(speaking)[0] == status
        two.request("POST", PATH, BODY)
        with pytest.raises((http.client.HTTPException, OSError)):
            answer_of(two)
        one.request("POST", PATH, BODY)
        assert answer_of(one)[1]["choices"][0]["message"]["content"] == "c"
        one.close()
        two.close()


def test_bodies_in_chunks_and_after_a_hundred() -> None:
    with ScriptedServer(["a", "b"]) as server:
        speaking = connection(server)
        data = BODY.encode()
        speaking.request("POST", PATH, iter([data[:5], data[5:9], data[9:]]), encode_chunked=True)
        assert answer_of(speaking)[0] == 200
        speaking.close()
        head = f"POST {PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\nExpect: 100-continue\r\n\r\n"
        with socket.create_connection((urlsplit(server.url).hostname, urlsplit(server.url).port), 30) as raw:
            raw.sendall(head.encode())
            assert raw.recv(100).startswith(b"HTTP/1.1 100")
            raw.sendall(data)
            assert raw.recv(100).startswith(b"HTTP/1.1 200")
    assert [asked.prompt for asked in server.requests] == ["hello", "hello"]


@pytest.mark.parametrize("body", ["", "{", "[]", "null", '{"messages": 1}', '{"messages": []}', "\xff"])
def test_a_body_that_is_no_request_is_told_so(body: str) -> None:
    with ScriptedServer(["a"]) as server:
        speaking = connection(server)
        speaking.request("POST", PATH, body.encode("latin-1"))
        assert answer_of(speaking)[0] == 400
        speaking.request("POST", "/v1/embeddings", BODY)
        assert answer_of(speaking)[0] == 404
        speaking.request("GET", "/v1/models")
        assert answer_of(speaking)[1]["data"][0]["id"] == "scripted"
        speaking.request("GET", "/")
        assert answer_of(speaking)[0] == 404
        speaking.close()
    assert not server.requests


def test_what_the_script_raises_is_raised_at_the_end() -> None:
    def answer(asked: Asked) -> str:
        assert asked.prompt == "other", "not what was meant"
        return "fine"

    def use(server: ScriptedServer, error: type[Exception] | None = None) -> None:
        with server, Client("m", base_url=server.url, retries=5) as client:
            with pytest.raises(ModelError, match="the script raised AssertionError"):
                client.complete(USER)
            if error:
                raise error

    server = ScriptedServer(answer)
    with pytest.raises(AssertionError, match="not what was meant"):
        use(server)
    assert len(server.requests) == 1
    with pytest.raises(KeyError):  # the test's own error comes first
        use(ScriptedServer(answer), KeyError)


def test_it_may_be_left_unstarted_and_be_entered_once() -> None:
    server = ScriptedServer(["a"])
    server.close()
    server.close()
    with pytest.raises(RuntimeError, match="entered once"):
        server.__enter__()
    with ScriptedServer(["a"]) as server, pytest.raises(RuntimeError, match="entered once"):
        server.__enter__()


def test_the_end_cuts_off_what_is_under_way_and_leaves_no_thread() -> None:
    before = threading.active_count()
    errors: list[ModelError] = []
    server = ScriptedServer(lambda asked: Fault.slow(600))
    with Client("m", base_url=server.url, retries=0, timeout=60, concurrency=4) as client:

        def call() -> None:
            with pytest.raises(ModelError) as caught:
                client.complete(USER)
            errors.append(caught.value)

        with server:
            threads = [threading.Thread(target=call) for _ in range(4)]
            for thread in threads:
                thread.start()
            for _ in range(3000):
                if len(server.requests) == 4:
                    break
                time.sleep(0.01)
        for thread in threads:
            thread.join(30)
    assert [error.reason for error in errors] == ["connection"] * 4
    assert threading.active_count() <= before


def test_faults_are_values() -> None:
    assert Fault.http(429) == Fault.http(429)
    assert Fault.http(429) != Fault.http(500)
    assert len({Fault.cut(), Fault.cut(), Fault.dropped(), Fault.raw({"a": 1}, headers={"x": "y"})}) == 3
