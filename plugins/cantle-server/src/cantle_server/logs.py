"""One line of JSON for each request: who, what, how long, how much; never the text of a document, a token or a secret."""

from __future__ import annotations

import json
import logging
import sys
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .answers import response_of, unexpected
from .errors import Problem

__all__ = ["Observed", "Record", "configure"]

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
    """The outermost layer: gives every request an id, every response its headers, and tells what became of it.

    A `Problem` that no inner layer answered is answered here, anything else is a 500 without details.
    """

    def __init__(self, app: ASGIApp, done: Callable[[Record], None], began: Callable[[], None]) -> None:
        self._app, self._done, self._began = app, done, began

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on and tell what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        method = scope["method"] if scope["method"] in _METHODS else "OTHER"
        record = Record(method, uuid.uuid4().hex)
        state = scope.setdefault("state", {})
        state["request_id"], state["record"] = record.request_id, record
        self._began()

        async def counted() -> Message:
            message = await receive()
            if message["type"] == "http.request":
                record.received += len(message.get("body", b""))
            return message

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
                headers = list(message.get("headers", ()))
                there = {name.lower() for name, _ in headers}
                headers += [pair for pair in SECURITY if pair[0] not in there]
                headers.append((b"x-request-id", record.request_id.encode()))
                message = {**message, "headers": headers}
            elif message["type"] == "http.response.body":
                record.sent += len(message.get("body", b""))
            await send(message)

        try:
            try:
                await self._app(scope, counted, headed)
            except Problem as problem:
                record.code = problem.code
                if record.status:
                    raise
                await response_of(problem, record.request_id)(scope, counted, headed)
            except Exception as error:
                record.code = "internal_error"
                response = unexpected(scope, error)
                if record.status:  # it has begun: what is left is to break it off, so that nobody takes it for whole
                    raise
                await response(scope, counted, headed)
        finally:
            route = scope.get("route")
            record.route = str(getattr(route, "path", "")) or UNMATCHED
            record.seconds = time.perf_counter() - began
            caller = state.get("caller")
            if caller is not None:
                record.host_id, record.user_id, record.token_id = caller.host_id, caller.user_id, caller.token_id
            self._done(record)
            _log.info("request", extra={"fields": record.line()})


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class _Lines(logging.Formatter):
    """A record as one line of JSON, in ASCII: nothing in it can be taken for another line or a terminal's command."""

    def format(self, record: logging.LogRecord) -> str:
        found: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            found["exception"] = _trace(record.exc_info[1])
        return json.dumps(found, default=str)


def _trace(error: BaseException) -> dict[str, Any]:
    """What was raised and where, without its message and without values: those may be text of a document."""
    places = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    found: dict[str, Any] = {"type": f"{type(error).__module__}.{type(error).__qualname__}", "places": places[-30:]}
    inner = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if inner is not None and inner is not error:
        found["cause"] = {"type": f"{type(inner).__module__}.{type(inner).__qualname__}"}
    return found


def configure(level: str = "info") -> None:
    """Write the log of the service and of uvicorn to standard error, as lines of JSON; uvicorn's access log is off."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    for name in ("cantle_server", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers = [handler] if name != "uvicorn.error" else []
        logger.propagate = name == "uvicorn.error"
        logger.setLevel(level.upper())
    access = logging.getLogger("uvicorn.access")
    access.handlers, access.propagate = [], False
