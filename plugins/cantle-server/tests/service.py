"""A service on loopback for tests: the real application behind a real uvicorn, in a thread."""

from __future__ import annotations

import socket
import threading
import time
from typing import Any

import httpx

from cantle_server import Settings, create_app, issue_token, server

__all__ = ["SECRET", "Service"]

SECRET = "a secret of tests, which is long enough for HS256"


class Service:
    """`with Service(workers=1, ...) as service:`; settings as of `Settings`, `parts` as of `create_app`."""

    def __init__(self, parts: dict[str, Any] | None = None, **settings: Any) -> None:
        defaults = {"workers": 1, "rate": 0, "log_level": "error"}
        if not {"public_key", "jwks_url", "dev"} & settings.keys():
            defaults["secret"] = SECRET
        self.settings = Settings.of({**defaults, **settings}, {})
        self.app = create_app(self.settings, warm=False, **(parts or {}))
        self.server = server(self.app)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self._listener]}, daemon=True)
        self._clients: list[httpx.Client] = []

    def __enter__(self) -> Service:
        self._thread.start()
        end = time.monotonic() + 120
        while not self.server.started:
            assert self._thread.is_alive(), "the service did not start"
            assert time.monotonic() < end
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        for client in self._clients:
            client.close()
        self.server.should_exit = True
        self._thread.join(60)
        self._listener.close()
        assert not self._thread.is_alive()

    def token(self, host: str = "acme", user: str = "ana", roles: list[str] | None = None, **more: Any) -> str:
        """A token for a tenant."""
        return issue_token(self.app.state.settings.secret, host, user, roles, **more)

    def client(self, token: str | None = "", **more: Any) -> httpx.Client:
        """A client with a token: of the host acme without one, none for None."""
        headers = {} if token is None else {"Authorization": f"Bearer {token or self.token()}"}
        client = httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, **more)
        self._clients.append(client)
        return client

    def raw(self, data: bytes, *, timeout: float = 60) -> bytes:
        """What the service answers to these bytes, until it closes the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=timeout) as connection:
            connection.sendall(data)
            return self.rest(connection)

    @staticmethod
    def rest(connection: socket.socket) -> bytes:
        """All that comes until the connection is closed."""
        found = bytearray()
        while piece := connection.recv(65536):
            found += piece
        return bytes(found)
