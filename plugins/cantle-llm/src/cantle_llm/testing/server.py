"""The server itself."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread, current_thread
from time import monotonic
from typing import Any

from .faults import Fault
from .forms import Upload, form_of, images_in, text_of

__all__ = ["Asked", "ScriptedServer"]

Answer = str | Mapping[str, Any] | Sequence[Any] | Fault | None
"""Text, a JSON value, a fault, or None for an empty answer."""


@dataclass(frozen=True)
class Asked:
    """One request: its number from 0 in the order of arrival, its body, and its headers (names in lower case).

    The body of a transcription is the fields of its form, and its recording the `file`.
    """

    number: int
    body: Mapping[str, Any]
    headers: Mapping[str, str] = field(repr=False, default_factory=dict)
    file: Upload | None = None

    @property
    def messages(self) -> list[dict[str, Any]]:
        """The messages; none of a transcription."""
        return list(self.body.get("messages", ()))

    @property
    def prompt(self) -> str:
        """The text of the last message, the user's; of a transcription the prompt."""
        return text_of(self.messages[-1]["content"]) if self.messages else str(self.body.get("prompt", ""))

    @property
    def images(self) -> list[bytes]:
        """The pictures in the last message that came as data URLs."""
        return images_in(self.messages[-1]["content"]) if self.messages else []

    @property
    def system(self) -> str:
        """The text of the system message; empty where there is none."""
        return next((m["content"] for m in self.messages if m["role"] == "system"), "")

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The JSON Schema that is asked for, if any."""
        form = self.body.get("response_format") or {}
        found = (form.get("json_schema") or {}).get("schema") if isinstance(form, Mapping) else None
        return found if isinstance(found, Mapping) else None

    @property
    def format(self) -> str:
        """The form of answer that is asked for, such as `json_schema`, or `json` of a transcript; else `text`."""
        form = self.body.get("response_format") or "text"
        return str(form.get("type", "text") if isinstance(form, Mapping) else form)


class ScriptedServer:
    """A server at `url`. `answer` is a function of what is asked, or a list of answers by order of arrival.

    It answers chats, with pictures too, and transcriptions of recordings, of which an answer is the transcript.

    `requests` are those that came, `most_at_once` how many were answered at the same time. `usage` False leaves the
    counts of tokens out; a function of (asked, text) gives them. `seconds` is how long each answer takes.
    `refused_formats` are answered with 400, as servers do that know no JSON by schema; with a `key`, requests without
    it are answered with 401. Errors that may be tried again carry `retry-after-ms: 1`, so tests need not wait.

    It runs in the `with` statement, and can be entered once. `answer` is called from several threads at once, in no
    certain order: let it look at what is asked rather than at a counter. What it raises is answered with 500, not to be
    tried again, and raised anew where the `with` statement ends, so that an `assert` in it counts. Requests that are
    under way at the end are cut off.
    """

    def __init__(
        self,
        answer: Callable[[Asked], Answer] | Sequence[Answer],
        *,
        usage: bool | Callable[[Asked, str], tuple[int, int]] = True,
        seconds: float = 0.0,
        refused_formats: Sequence[str] = (),
        key: str | None = None,
    ) -> None:
        self._answer, self._usage, self._seconds = answer, usage, seconds
        self._refused, self._key = set(refused_formats), key
        self.requests: list[Asked] = []
        self.most_at_once = 0
        self._raised: list[BaseException] = []
        self._at_once = 0
        self._lock = Lock()
        self._closing = Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.owner = self
        self._thread: Thread | None = None

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> ScriptedServer:
        if self._thread is not None or self._closing.is_set():
            raise RuntimeError("A ScriptedServer can be entered once. Make another one.")
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), name="scripted-server", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, kind: object, error: BaseException | None, *rest: object) -> None:
        self.close()
        if self._raised and error is None:
            raise self._raised[0]

    def close(self) -> None:
        """End it, and all connections. Also for one that was never entered."""
        self._closing.set()
        if self._thread is not None:
            self._server.shutdown()
            self._thread.join()
        self._server.end_connections()
        self._server.server_close()

    def _arrived(self, body: Mapping[str, Any], headers: Mapping[str, str], file: Upload | None) -> Asked:
        with self._lock:
            asked = Asked(len(self.requests), body, headers, file)
            self.requests.append(asked)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        return asked

    def _left(self) -> None:
        with self._lock:
            self._at_once -= 1

    def _answer_to(self, asked: Asked) -> Answer:
        if self._key is not None and asked.headers.get("authorization") != f"Bearer {self._key}":
            return Fault.http(401, "Incorrect API key provided", "invalid_api_key")
        form = asked.format
        if form in self._refused:
            return Fault.http(400, f"'response_format' of type {form!r} is not supported with this model.")
        if callable(self._answer):
            try:
                return self._answer(asked)
            except Exception as error:
                self._raised.append(error)
                return Fault.http(500, f"the script raised {error!r}", headers={"x-should-retry": "false"})
        return self._answer[asked.number] if asked.number < len(self._answer) else Fault.http(500, "end of the script")

    def _wait(self, seconds: float) -> None:
        if seconds:
            self._closing.wait(seconds)

    def _counts(self, asked: Asked, text: str) -> tuple[int, int] | None:
        if self._usage is False:
            return None
        if callable(self._usage):
            return self._usage(asked, text)
        words = sum(len(text_of(message["content"]).split()) for message in asked.messages)
        sound = len(asked.file.data) if asked.file is not None else 0
        return words + sound, len(text.split())


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256
    owner: ScriptedServer

    def __init__(self, *args: Any) -> None:
        self._open: dict[socket.socket, Thread] = {}
        self._open_lock = Lock()
        super().__init__(*args)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            self._open[request] = current_thread()
        try:
            super().process_request_thread(request, client_address)
        finally:
            with self._open_lock:
                self._open.pop(request, None)

    def end_connections(self) -> None:
        """Cut all connections off, and wait until nobody serves them; five seconds for a script that does not end."""
        with self._open_lock:
            served = list(self._open.items())
        for connection, _ in served:
            _cut(connection)
        end = monotonic() + 5
        for _, thread in served:
            thread.join(max(0.0, end - monotonic()))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the plan."""


def _cut(connection: socket.socket) -> None:
    with suppress(OSError):  # gone already
        connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one piece: two of them wait for one another
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

    def handle_expect_100(self) -> bool:
        """Go on, at once."""
        goes_on = super().handle_expect_100()
        self.wfile.flush()
        return goes_on

    def do_GET(self) -> None:
        if self.path.rstrip("/").endswith("/models"):
            self._send(200, {"object": "list", "data": [{"id": "scripted", "object": "model"}]})
        else:
            self._send(404, _error("Unknown address", "not_found"))

    def do_POST(self) -> None:
        raw = self._body()
        path = self.path.rstrip("/")
        body: Any = None
        file = None
        if path.endswith("/audio/transcriptions"):
            body, file = form_of(raw, self.headers.get("content-type", ""))
            if file is None or "model" not in body:
                self._send(400, _error("The body must be a form with a file and a model."))
                return
        elif path.endswith("/chat/completions"):
            with suppress(ValueError):
                body = json.loads(raw)
            if not isinstance(body, dict) or not isinstance(body.get("messages"), list) or not body["messages"]:
                self._send(400, _error("The body must be a JSON object with messages."))
                return
        else:
            self._send(404, _error("Unknown address", "not_found"))
            return
        owner = self.server.owner
        asked = owner._arrived(body, {name.lower(): value for name, value in self.headers.items()}, file)
        try:
            owner._wait(owner._seconds)
            self._give(asked, owner._answer_to(asked))
            self.wfile.flush()
        finally:
            owner._left()

    def _body(self) -> bytes:
        if "chunked" not in (self.headers.get("transfer-encoding") or "").lower():
            return self.rfile.read(int(self.headers.get("content-length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0].strip() or b"0", 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        while self.rfile.readline().strip():  # trailers
            continue
        return b"".join(parts)

    def _give(self, asked: Asked, answer: Answer) -> None:
        if not isinstance(answer, Fault):
            text = answer if isinstance(answer, str) else "" if answer is None else json.dumps(answer)
            self._send(200, self._completion(asked, text))
        elif answer.kind == "http":
            self._send(answer.status, _error(answer.body, answer.code), headers=answer.headers)
        elif answer.kind == "raw":
            self._send(answer.status, answer.body, kind="application/json", headers=answer.headers)
        elif answer.kind == "slow":
            self.server.owner._wait(answer.seconds)
            self._drop()
        elif answer.kind == "cut":
            self._send(200, self._completion(asked, "cut off"), only=40)
        elif answer.kind == "dropped":
            self._drop()
        elif answer.kind == "garbage":
            self._send(200, answer.body)
        elif answer.kind == "refusal":
            self._send(200, self._completion(asked, "", refusal=answer.body))
        elif answer.kind == "filtered":
            self._send(200, self._completion(asked, "", finish="content_filter"))
        elif answer.kind == "truncated":
            self._send(200, self._completion(asked, answer.body, finish="length"))
        else:
            self._send(200, {**self._completion(asked, ""), "choices": []})

    def _completion(
        self, asked: Asked, text: str, *, refusal: str | None = None, finish: str = "stop"
    ) -> dict[str, Any]:
        if asked.file is not None:
            return self._transcript(asked, text)
        message = {"role": "assistant", "content": None if refusal else text, "refusal": refusal}
        found: dict[str, Any] = {
            "id": f"chatcmpl-{asked.number}",
            "object": "chat.completion",
            "created": 0,
            "model": asked.body.get("model", "scripted"),
            "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        }
        counts = self.server.owner._counts(asked, text)
        if counts is not None:
            read, written = counts
            found["usage"] = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        return found

    def _transcript(self, asked: Asked, text: str) -> dict[str, Any]:
        counts = self.server.owner._counts(asked, text)
        if counts is None:
            return {"text": text}
        read, written = counts
        usage = {
            "type": "tokens",
            "input_tokens": read,
            "output_tokens": written,
            "total_tokens": read + written,
            "input_token_details": {"audio_tokens": read, "text_tokens": 0},
        }
        return {"text": text, "usage": usage}

    def _send(
        self,
        status: int,
        body: Any,
        *,
        only: int | None = None,
        kind: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        sent = {
            "content-type": kind or ("text/html" if isinstance(body, str) else "application/json"),
            "content-length": str(len(data)),
        } | {name.lower(): value for name, value in (headers or {}).items()}
        if not any(name.startswith("retry-after") for name in sent):
            sent["retry-after-ms"] = "1"
        self.send_response(status)
        for name, value in sent.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data[:only])
        if only is not None:
            self._drop()

    def _drop(self) -> None:
        self.close_connection = True
        self.wfile.flush()
        _cut(self.connection)


def _error(message: str, code: str = "") -> dict[str, Any]:
    return {"error": {"message": message, "type": "scripted", "param": None, "code": code or None}}
