"""Connections to addresses that were checked, within a time that is a limit whatever a server does.

`httpcore` is what `httpx` is made of: no redirects, no proxies, no variables, no cookies, nothing decoded.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Sequence
from queue import Empty, SimpleQueue
from time import monotonic
from typing import Any

import httpcore

__all__ = ["Deadline", "Pinned", "Resolver", "look_up", "system_resolver"]

Resolver = Callable[[str, int], Sequence[str]]
"""From a host's name and a port to its addresses, written. Raises `OSError` where there are none."""


class Deadline:
    """A time that ends."""

    def __init__(self, seconds: float) -> None:
        self._end = monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left. Raises `httpcore.ReadTimeout` when there are none."""
        left = self._end - monotonic()
        if left <= 0:
            raise httpcore.ReadTimeout
        return left


def system_resolver(host: str, port: int) -> Sequence[str]:
    """What the system's resolver says."""
    return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


def look_up(resolver: Resolver, host: str, port: int, deadline: Deadline) -> Sequence[str]:
    """The addresses of a host, if it has any. The system's resolver keeps to no time, so it has a thread."""
    answer: SimpleQueue[Sequence[str]] = SimpleQueue()

    def ask() -> None:
        try:
            found = resolver(host, port)
        except Exception:  # who waits for the answer must get one
            found = ()
        answer.put(found)

    threading.Thread(target=ask, name="media-look-up", daemon=True).start()
    try:
        return answer.get(timeout=deadline.left)
    except Empty:
        raise httpcore.ConnectTimeout from None


class Pinned(httpcore.NetworkBackend):
    """Connects to one of the given addresses, whatever host is asked for: no name is looked up a second time."""

    def __init__(self, addresses: Sequence[str], deadline: Deadline) -> None:
        self._addresses, self._deadline = addresses, deadline
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Connect, to the first address that answers."""
        share = self._deadline.left / len(self._addresses)
        for number, address in enumerate(self._addresses, 1):
            try:
                return _Timed(self._backend.connect_tcp(address, port, min(share, self._deadline.left)), self._deadline)
            except (httpcore.ConnectError, httpcore.ConnectTimeout):
                if number == len(self._addresses):
                    raise
        raise httpcore.ConnectError

    def connect_unix_socket(self, *args: Any, **more: Any) -> httpcore.NetworkStream:
        """Never."""
        raise httpcore.ConnectError


class _Timed(httpcore.NetworkStream):
    """A connection on which nothing takes longer than what is left, so that a server that drips ends in time."""

    def __init__(self, stream: httpcore.NetworkStream, deadline: Deadline) -> None:
        self._stream, self._deadline = stream, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._deadline.left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._stream.write(buffer, self._deadline.left)

    def close(self) -> None:
        self._stream.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        return _Timed(self._stream.start_tls(ssl_context, server_hostname, self._deadline.left), self._deadline)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)
