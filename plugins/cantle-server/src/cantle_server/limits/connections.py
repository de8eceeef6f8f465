"""Connections that say nothing, or too slowly, and more of them than there should be: what uvicorn leaves open."""

from __future__ import annotations

import asyncio
import socket
from http import HTTPStatus

from uvicorn.protocols.http.h11_impl import H11Protocol

from ..written import json_line

__all__ = ["protocol"]


def protocol(header_timeout: float, request_timeout: float, most: int) -> type[H11Protocol]:
    """The class that uvicorn serves a connection with.

    The headers of a request have `header_timeout` seconds, from the connection or the first byte behind the request
    before. Above `most` connections new ones are told so, and closed. A client that takes no data for `request_timeout`
    seconds is given up, by the kernel where it can.
    """

    class Connection(H11Protocol):
        _timer: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            connection = transport.get_extra_info("socket")
            if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
                # asyncio does so too, but not for a socket that it did not open itself.
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                if hasattr(socket, "TCP_USER_TIMEOUT"):
                    milliseconds = min(int(request_timeout * 1000), 2**31 - 1)
                    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
            if len(self.connections) > most:
                self._refuse(503, "too_many_connections", "There are too many connections. Try again soon.")
            else:
                self._arm()

        def connection_lost(self, exc: Exception | None) -> None:
            self._disarm()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            if self.transport.is_closing():
                return
            super().data_received(data)
            if self.cycle is not None and not self.cycle.response_complete:
                self._disarm()
            elif self._timer is None:
                self._arm()

        def on_response_complete(self) -> None:
            self._disarm()
            super().on_response_complete()  # has a time of its own for connections that are kept

        def send_400_response(self, msg: str) -> None:
            self._refuse(400, "invalid_http", "This is no HTTP request that can be read.")

        def _arm(self) -> None:
            self._timer = self.loop.call_later(header_timeout, self._slow)

        def _disarm(self) -> None:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

        def _slow(self) -> None:
            self._timer = None
            if not self.transport.is_closing():
                text = f"The headers of the request did not arrive within {header_timeout:g} seconds."
                self._refuse(408, "header_timeout", text)

        def _refuse(self, status: int, code: str, message: str) -> None:
            if self.transport.is_closing():
                return
            self._disarm()
            body = json_line({"error": {"code": code, "message": message}})
            head = [
                f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
                "content-type: application/json",
                f"content-length: {len(body)}",
                "connection: close",
                *(["retry-after: 1"] if status == 503 else []),
            ]
            self.transport.write("\r\n".join([*head, "", ""]).encode("ascii") + body)
            self.transport.close()

    return Connection
