"""Servers on loopback that give media, and some that behave badly; what tests of media share."""

from __future__ import annotations

import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from cantle_server.errors import Problem
from cantle_server.media import Fetcher, Rules

HOST = "media.example.org"


_EVENTS = ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto")


class Watch:
    """Connections and look-ups of a fetch, as the interpreter's audit hooks tell them; nothing is replaced."""

    def __init__(self) -> None:
        self._owner: threading.Thread | None = None
        self.seen: list[tuple[str, Any]] = []
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self._owner is None or event not in _EVENTS:
            return
        thread = threading.current_thread()
        if thread is self._owner or thread.name == "media-look-up":
            self.seen.append((event, arguments[1:]))

    @contextmanager
    def watching(self) -> Iterator[list[tuple[str, Any]]]:
        self.seen = []
        self._owner = threading.current_thread()
        try:
            yield self.seen
        finally:
            self._owner = None


WATCH = Watch()


class Names:
    """A resolver: what names stand for, by what it was told; counts how often it is asked."""

    def __init__(self, *answers: list[str]) -> None:
        self._answers = answers or (["127.0.0.1"],)
        self.asked: list[str] = []

    def __call__(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        return self._answers[min(len(self.asked), len(self._answers)) - 1]


class Served:
    """A server whose answers are bytes, written out by `answer(path, send)`; it counts its connections and bytes."""

    def __init__(
        self,
        answer: Callable[[str, Callable[[bytes], None]], None],
        tls: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        self._answer, self._tls = answer, tls
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.create_server((address, 0), family=family)
        self.port = self._socket.getsockname()[1]
        self.requests: list[str] = []
        self.sent = 0
        self.connections = 0
        self._open: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Served:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for connection in self._open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(10)

    def url(self, path: str = "/", host: str = HOST, scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            self.connections += 1
            self._open.append(connection)
            threading.Thread(target=self._one, args=(connection,), daemon=True).start()

    def _one(self, connection: socket.socket) -> None:
        with suppress(OSError), connection:
            if self._tls is not None:
                connection = self._tls.wrap_socket(connection, server_side=True)
                self._open.append(connection)
            with connection:
                request = b""
                while b"\r\n\r\n" not in request:
                    more = connection.recv(65536)
                    if not more:
                        return
                    request += more
                self.requests.append(request.decode("latin-1"))

                def send(data: bytes) -> None:
                    connection.sendall(data)
                    self.sent += len(data)

                self._answer(request.split(b" ")[1].decode("latin-1"), send)


def reply(body: bytes = b"", content_type: str = "text/plain", status: str = "200 OK", **headers: str) -> bytes:
    """An answer, written out."""
    named = {"Content-Type": content_type, "Content-Length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body


def serving(replies: dict[str, bytes], tls: ssl.SSLContext | None = None) -> Served:
    """A server with these answers by path."""
    return Served(lambda path, send: send(replies.get(path, reply(b"no", status="404 Not Found"))), tls)


def fetcher(*servers: Served, resolver: Any = None, **options: Any) -> Fetcher:
    """A fetcher that may ask these servers, by any name."""
    ports = [server.port for server in servers]
    rules = Rules.trusting("127.0.0.0/8", ports=ports, schemes=options.pop("schemes", ("http",)), hosts=("*",))
    return Fetcher(rules, resolver=resolver or Names(), **{"seconds": 30.0, **options})


def failure(call: Callable[[], object]) -> Problem:
    """The problem that a call ends with."""
    try:
        found = call()
    except Problem as problem:
        return problem
    raise AssertionError(f"no Problem, but {found!r}")


def pdf(*pages: str) -> bytes:
    """A PDF with a line of text on each page; "" is a page with a drawing alone."""
    contents = [f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else "72 72 100 100 re f" for text in pages]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for n, content in enumerate(contents):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}trailer\n"
    end += f"<< /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + end.encode()
