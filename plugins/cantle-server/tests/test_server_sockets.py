"""What only a socket shows: bodies that are too large, clients that are too slow, too many, or gone."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from service import Service

MOST = 1 << 20
NEVER = {
    "text": "a" * 40 + "!",
    "strategy": "character",
    "options": {"separator": "(a+)+$", "isSeparatorRegex": True, "maxSize": 5, "overlap": 0},
}
"""A request whose pattern takes for ever."""


@pytest.fixture(scope="module")
def small() -> Iterator[Service]:
    """A service with little patience."""
    with Service(
        max_body_bytes=MOST, header_timeout=0.5, body_timeout=0.5, max_connections=20, job_timeout=600, workers=2
    ) as running:
        yield running


def head(service: Service, *lines: str, method: str = "POST", path: str = "/v1/chunk", token: bool = True) -> bytes:
    """The head of a request."""
    auth = [f"Authorization: Bearer {service.token()}"] if token else []
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: here", *auth, *lines, "", ""]).encode()


def parsed(answer: bytes) -> tuple[int, dict[str, str], Any]:
    """Status, headers and JSON of an answer."""
    top, _, body = answer.partition(b"\r\n\r\n")
    first, *lines = top.decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return int(first.split()[1]), headers, json.loads(body)


def until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def one_shot(service: Service, token: str | None = "") -> httpx.Client:
    """A client that keeps no connection: there are not many."""
    return service.client(token, limits=httpx.Limits(max_keepalive_connections=0))


def works(service: Service) -> None:
    answer = one_shot(service).post("/v1/chunk", json={"text": "a b c"})
    assert answer.status_code == 200
    assert answer.json()["chunks"][0]["text"] == "a b c"


def test_a_request_of_50_mb_is_refused_by_its_length(small: Service) -> None:
    answer = one_shot(small).post("/v1/chunk", content=b"x" * (50 << 20), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    error = answer.json()["error"]
    assert (error["code"], error["limit"]) == ("body_too_large", MOST)
    assert answer.headers["connection"] == "close"
    works(small)


def test_a_request_with_two_lengths_is_refused_and_nothing_behind_it_is_read(small: Service) -> None:
    lines = ("Content-Type: application/json", "Content-Length: 5", "Transfer-Encoding: chunked")
    hidden = b"GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n"
    answer = small.raw(head(small, *lines) + b'c\r\n{"text":"a"}\r\n0\r\n\r\n' + hidden)
    status, headers, body = parsed(answer)
    assert (status, body["error"]["code"], headers["connection"]) == (400, "invalid_http", "close")
    assert answer.count(b"HTTP/1.1 ") == 1


def test_a_request_of_50_mb_in_pieces_is_refused_while_it_is_read(small: Service) -> None:
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(800):
            sent += 1 << 16
            yield b"x" * (1 << 16)

    answer = one_shot(small).post("/v1/chunk", content=pieces(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["error"]["code"] == "body_too_large"
    works(small)


def test_a_file_of_50_mb_is_refused(small: Service) -> None:
    answer = one_shot(small).post("/v1/chunk", files={"file": ("a.txt", b"x" * (50 << 20))})
    assert answer.status_code == 413
    works(small)


def test_a_large_request_without_a_token_is_401(small: Service) -> None:
    answer = one_shot(small, None).post("/v1/chunk", content=b"x" * (50 << 20))
    assert answer.status_code == 401
    works(small)


def test_a_length_that_is_not_true_harms_nobody(small: Service) -> None:
    status, _, _ = parsed(small.raw(head(small, "Content-Type: application/json", "Content-Length: 9" + "9" * 30)))
    assert status in (400, 413)
    status, _, _ = parsed(small.raw(head(small, "Content-Type: application/json", "Content-Length: -1")))
    assert status == 400
    works(small)


@pytest.mark.parametrize(
    "lines", [["Content-Length: 100"], ["Transfer-Encoding: chunked"], ["Content-Length: 100", "Expect: 100-continue"]]
)
def test_a_body_that_does_not_arrive_is_408_and_the_end_of_the_connection(small: Service, lines: list[str]) -> None:
    began = time.monotonic()
    answer = small.raw(head(small, "Content-Type: application/json", *lines))
    answer = answer.removeprefix(b"HTTP/1.1 100 Continue\r\n\r\n").removeprefix(b"HTTP/1.1 100 \r\n\r\n")
    status, headers, body = parsed(answer)
    assert (status, body["error"]["code"], headers["connection"]) == (408, "body_timeout", "close")
    assert time.monotonic() - began < 30
    works(small)


def test_a_body_in_drops_is_408(small: Service) -> None:
    with socket.create_connection(("127.0.0.1", small.port), timeout=60) as connection:
        connection.sendall(head(small, "Content-Type: application/json", "Content-Length: 1000"))
        stop = threading.Event()

        def drip() -> None:
            while not stop.wait(0.05):
                try:
                    connection.sendall(b" ")
                except OSError:
                    return

        thread = threading.Thread(target=drip)
        thread.start()
        try:
            found = bytearray()
            while b"body_timeout" not in found:
                piece = connection.recv(65536)
                assert piece
                found += piece
        finally:
            stop.set()
            thread.join()
    works(small)


@pytest.mark.parametrize("data", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n", b"G"])
def test_headers_that_do_not_arrive_are_408(small: Service, data: bytes) -> None:
    status, headers, body = parsed(small.raw(data))
    assert (status, body["error"]["code"], headers["connection"]) == (408, "header_timeout", "close")
    works(small)


def test_a_kept_connection_has_the_same_time_for_its_next_headers(small: Service) -> None:
    with socket.create_connection(("127.0.0.1", small.port), timeout=60) as connection:
        connection.sendall(head(small, method="GET", path="/healthz"))
        found = bytearray()
        while b"}" not in found:
            found += connection.recv(65536)
        connection.sendall(b"GET /healthz HT")
        status, _, body = parsed(small.rest(connection))
        assert (status, body["error"]["code"]) == (408, "header_timeout")
    works(small)


@pytest.mark.parametrize(
    "data",
    [
        b"hello\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_http_is_400(small: Service, data: bytes) -> None:
    try:
        status, _, body = parsed(small.raw(data))
    except ConnectionError:  # it was closed while we were sending
        pass
    else:
        assert (status, body["error"]["code"]) == (400, "invalid_http")
    works(small)


@pytest.mark.parametrize("path", ["/%ff%fe", "/v1/strategies/%00", "/v1/strategies/" + "a" * 5000, "//", "/../../etc"])
def test_strange_paths_are_404(small: Service, path: str) -> None:
    answer = small.raw(head(small, "Connection: close", method="GET", path=path))
    status, _, body = parsed(answer)
    assert (status, body["error"]["code"] in ("not_found", "unknown_strategy")) == (404, True)


def test_more_connections_than_there_may_be_are_told(small: Service) -> None:
    held = [socket.create_connection(("127.0.0.1", small.port), timeout=60) for _ in range(25)]
    try:
        status, headers, body = parsed(small.rest(held[-1]))
        assert (status, body["error"]["code"]) == (503, "too_many_connections")
        assert headers["retry-after"] == "1"
    finally:
        for one in held:
            one.close()
    until(lambda: len(small.server.server_state.connections) < 15)
    works(small)


def test_work_for_a_client_that_goes_away_is_ended(small: Service) -> None:
    workers = small.app.state.workers
    before = workers.restarts
    body = json.dumps(NEVER).encode()
    with socket.create_connection(("127.0.0.1", small.port), timeout=60) as connection:
        connection.sendall(head(small, "Content-Type: application/json", f"Content-Length: {len(body)}") + body)
        until(lambda: workers.busy == 1)
    until(lambda: workers.busy == 0)
    assert workers.restarts == before + 1
    works(small)


def test_a_client_that_takes_no_answer_holds_its_worker_for_a_while_only() -> None:
    with Service(job_timeout=1) as running:
        text = "word " * 800_000
        body = json.dumps({"text": text, "options": {"maxSize": 20, "overlap": 0}, "stream": True}).encode()
        with socket.create_connection(("127.0.0.1", running.port), timeout=60) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(head(running, "Content-Type: application/json", f"Content-Length: {len(body)}") + body)
            workers = running.app.state.workers
            until(lambda: workers.busy == 1)
            until(lambda: workers.busy == 0)
            works(running)


def test_an_answer_that_its_client_takes_too_slowly_is_broken_off_and_is_no_error_of_ours() -> None:
    with Service(job_timeout=600, request_timeout=1) as running:
        body = json.dumps(
            {"text": "word " * 800_000, "options": {"maxSize": 20, "overlap": 0}, "stream": True}
        ).encode()
        with socket.create_connection(("127.0.0.1", running.port), timeout=60) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.sendall(head(running, "Content-Type: application/json", f"Content-Length: {len(body)}") + body)

            def problems() -> str:
                lines = one_shot(running).get("/metrics").text.splitlines()
                return "\n".join(line for line in lines if line.startswith("cantle_problems_total{"))

            until(lambda: problems() != "")
            assert 'code="request_timeout"' in problems()
            assert "internal_error" not in problems()


def test_answers_are_sent_at_once(service: Service) -> None:
    """Small packets held back for an acknowledgement (Nagle's algorithm) would cost 40 ms each."""
    client = service.client()
    times = []
    for _ in range(20):
        began = time.monotonic()
        assert client.get("/v1/strategies/recursive").status_code == 200
        times.append(time.monotonic() - began)
    assert min(times) < 0.03


def test_requests_under_way_end_when_the_service_is_stopped() -> None:
    answers = []
    with Service(job_timeout=2) as running:
        client = running.client()
        thread = threading.Thread(target=lambda: answers.append(client.post("/v1/chunk", json=NEVER)))
        thread.start()
        until(lambda: running.app.state.workers.busy == 1)
        running.server.should_exit = True
        thread.join()
    assert answers[0].status_code == 504
    assert answers[0].json()["error"]["code"] == "job_timeout"


def test_a_request_has_an_end() -> None:
    with Service(job_timeout=600, request_timeout=3) as running:
        answer = running.client().post("/v1/chunk", json=NEVER)
        assert (answer.status_code, answer.json()["error"]["code"]) == (504, "request_timeout")
        until(lambda: running.app.state.workers.alive == 1)
        works(running)


def test_a_token_has_so_many_requests_a_minute() -> None:
    with Service(rate=60) as running:
        one, two = running.client(running.token(user="one")), running.client(running.token(user="two"))
        found = [one.get("/v1/strategies") for _ in range(40)]
        assert {answer.status_code for answer in found} == {200, 429}
        late = next(answer for answer in found if answer.status_code == 429)
        assert late.json()["error"]["code"] == "rate_limited"
        assert int(late.headers["retry-after"]) >= 1
        assert two.get("/v1/strategies").status_code == 200
        assert running.client(None).get("/healthz").status_code == 200
        assert "cantle_rate_limited_total 0.0" not in two.get("/metrics").text
