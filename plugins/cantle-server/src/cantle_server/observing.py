"""The outermost layer of a request: its id, its headers, its record for log and metrics, the last word on errors."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import response_of, unexpected
from .errors import Problem, stopping

__all__ = ["Observed", "Record"]

_log = logging.getLogger("cantle_server")

SECURITY = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cross-origin-resource-policy", b"same-origin"),
)
"""Headers of every response that does not bring its own."""

UNMATCHED = "(unmatched)"
"""What stands for the route where there is none: paths of strangers are kept out of metrics and logs."""

_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_DRAINED_BYTES, _DRAINED_SECONDS = 64 << 20, 5.0
"""How much of a body that is refused is read and thrown away, so that its sender gets to read the answer."""


@dataclass(slots=True)
class Record:
    """What is told of one request. Times in seconds, sizes in bytes; `facts` is what the route adds."""

    method: str
    request_id: str
    route: str = UNMATCHED
    status: int = 0
    seconds: float = 0.0
    received: int = 0
    sent: int = 0
    host_id: str = ""
    user_id: str = ""
    token_id: str = ""
    code: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def line(self) -> dict[str, Any]:
        """The fields of the log, without those that are empty."""
        found = {
            "requestId": self.request_id,
            "method": self.method,
            "route": self.route,
            "status": self.status,
            "milliseconds": round(self.seconds * 1000, 1),
            "bytesIn": self.received,
            "bytesOut": self.sent,
            "hostId": self.host_id,
            "userId": self.user_id,
            "tokenId": self.token_id,
            "error": self.code,
            **self.facts,
        }
        return {name: value for name, value in found.items() if value not in ("", None)}


class Observed:
    """Gives every request an id and every response its headers, and tells what became of it.

    A `Problem` that no inner layer answered is answered here, anything else is a 500 without details. Where an answer
    comes before the body was read, the connection is closed behind it, and first some of the body is read and thrown
    away: a sender that is still sending would else lose the answer.
    """

    def __init__(self, app: ASGIApp, done: Callable[[Record], None], began: Callable[[], None]) -> None:
        self._app, self._done, self._began = app, done, began

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and tell what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        exchange = _Exchange(scope, receive, send)
        record = exchange.record
        state = scope.setdefault("state", {})
        state["request_id"], state["record"] = record.request_id, record
        self._began()
        try:
            try:
                await self._app(scope, exchange.receive, exchange.send)
            except Problem as problem:
                record.code = problem.code
                if record.status:
                    raise
                await response_of(problem, record.request_id)(scope, exchange.receive, exchange.send)
            except asyncio.CancelledError:
                # Not by our own limits, which are inside: the server breaks requests off. Raised again, uvicorn would
                # answer in plain text, and log where each of them was.
                end = stopping()
                record.code = end.code
                if not record.status:
                    exchange.is_patient = False
                    await response_of(end, record.request_id)(scope, exchange.receive, exchange.send)
            except Exception as error:
                record.code = "internal_error"
                response = unexpected(scope, error)
                if record.status:  # it has begun: what is left is to break it off, so that nobody takes it for whole
                    raise
                await response(scope, exchange.receive, exchange.send)
        finally:
            record.route = str(getattr(scope.get("route"), "path", "")) or UNMATCHED
            record.seconds = time.perf_counter() - began
            caller = state.get("caller")
            if caller is not None:
                record.host_id, record.user_id, record.token_id = caller.host_id, caller.user_id, caller.token_id
            self._done(record)
            _log.info("request", extra={"fields": record.line()})


class _Exchange:
    """What goes in and out of one request, counted."""

    def __init__(self, scope: Any, receive: Receive, send: Send) -> None:
        self._receive, self._send = receive, send
        self.record = Record(scope["method"] if scope["method"] in _METHODS else "OTHER", uuid.uuid4().hex)
        names = dict(scope["headers"])
        self._unread = b"transfer-encoding" in names or names.get(b"content-length", b"0") != b"0"
        self._waits = b"expect" in names
        self._drain = False
        self.is_patient = True

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request":
            self.record.received += len(message.get("body", b""))
            if not message.get("more_body", False):
                self._unread = False
        else:
            self._unread = False
        return message

    async def send(self, message: Message) -> None:
        record = self.record
        if message["type"] == "http.response.start":
            record.status = message["status"]
            headers = list(message.get("headers", ()))
            there = {name.lower() for name, _ in headers}
            headers += [pair for pair in SECURITY if pair[0] not in there]
            headers.append((b"x-request-id", record.request_id.encode()))
            if self._unread:
                self._drain = self.is_patient and not self._waits and record.status != 408
                if b"connection" not in there:
                    headers.append((b"connection", b"close"))
            message = {**message, "headers": headers}
        elif message["type"] == "http.response.body":
            record.sent += len(message.get("body", b""))
            if self._drain and not message.get("more_body", False):
                await self._send({**message, "more_body": True})
                await self._drained()
                message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def _drained(self) -> None:
        left = _DRAINED_BYTES
        try:
            async with asyncio.timeout(_DRAINED_SECONDS):
                while self._unread and left > 0:
                    before = self.record.received
                    await self.receive()
                    left -= self.record.received - before
        except TimeoutError:
            pass
