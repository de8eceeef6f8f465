"""The body of a request, bounded in bytes and in time, and the request, bounded in time and by its client."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import Problem

__all__ = ["Bounded"]


class Bounded:
    """Ends requests that are too large, too slow, or that nobody waits for any more.

    A body of more than `most` bytes is 413, at once where it says so, else as soon as it is read; one that has not
    arrived within `body_timeout` seconds is 408. A request has `timeout` seconds; where its client goes away its work
    is cancelled.
    """

    def __init__(self, app: ASGIApp, most: int, body_timeout: float, timeout: float) -> None:
        self._app, self._most, self._body_timeout, self._timeout = app, most, body_timeout, timeout

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = _Request(receive, send, self._most, self._body_timeout, asyncio.current_task())
        request.check_length(scope)
        try:
            async with asyncio.timeout(self._timeout) as timer:
                await self._app(scope, request.receive, request.send)
        except TimeoutError:
            if not timer.expired():
                raise
            # Where the response has begun it is broken off, which is all that a client without patience gets to see.
            raise Problem(
                504, "request_timeout", f"The request took longer than {self._timeout:g} seconds and was ended."
            ) from None
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not request.is_gone or task is None or task.uncancel():
                raise
            scope["state"]["record"].status = scope["state"]["record"].status or 499
        finally:
            request.close()


class _Request:
    def __init__(self, receive: Receive, send: Send, most: int, seconds: float, task: asyncio.Task[Any] | None) -> None:
        self._task = task
        self._receive, self._send, self._most, self._seconds = receive, send, most, seconds
        self._end: float | None = None
        self._size = 0
        self._gone: asyncio.Future[None] | None = None
        self._watch: asyncio.Task[None] | None = None
        self.is_gone = False

    def check_length(self, scope: Any) -> None:
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:  # a proxy may have read another end than we would
            raise Problem(
                400,
                "invalid_http",
                "The request has Content-Length and Transfer-Encoding. Send one of them.",
                headers={"Connection": "close"},
            )
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit() and int(value[:20]) > self._most:
                raise self._too_large()

    def _too_large(self) -> Problem:
        return Problem(
            413,
            "body_too_large",
            f"The body is larger than {self._most:,} bytes, the most that this server takes.",
            headers={"Connection": "close"},
            limit=self._most,
        )

    async def receive(self) -> Message:
        if self._gone is not None:
            await asyncio.shield(self._gone)
            return {"type": "http.disconnect"}
        loop = asyncio.get_running_loop()
        if self._end is None:
            self._end = loop.time() + self._seconds
        try:
            async with asyncio.timeout_at(self._end):
                message = await self._receive()
        except TimeoutError:
            raise Problem(
                408,
                "body_timeout",
                f"The body did not arrive within {self._seconds:g} seconds.",
                headers={"Connection": "close"},
            ) from None
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            if self._size > self._most:
                raise self._too_large()
            if not message.get("more_body", False):
                self._gone = loop.create_future()
                self._watch = loop.create_task(self._watched())
        return message

    async def _watched(self) -> None:
        """Wait for the client to go away, and cancel what is done for it."""
        while (await self._receive())["type"] != "http.disconnect":
            pass
        if self._gone is not None and not self._gone.done():
            self._gone.set_result(None)
        if self._task is not None:
            self.is_gone = True
            self._task.cancel()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self.close()  # from now on a client that goes away is one that is served
        await self._send(message)

    def close(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
