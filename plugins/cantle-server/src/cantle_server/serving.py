"""uvicorn, as this service runs it."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING

import uvicorn

from cantle.errors import CantleError

from .app import create_app, opened
from .limits.connections import protocol
from .settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["serve", "server"]

_BACKLOG = 2048
_LAST_WORDS = 5.0
"""Seconds that requests have to answer that they are broken off."""


def server(app: FastAPI) -> uvicorn.Server:
    """A uvicorn server for an app of `create_app`, with its limits for connections and for the end.

    `run(sockets=[...])` serves until it is told to stop, in a thread too; `should_exit = True` tells it.
    """
    settings = app.state.settings
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol(settings.header_timeout, settings.request_timeout, settings.max_connections),
        loop="asyncio",  # uvloop, where it is installed, gains nothing here: its pipes to the workers are shorter
        ws="none",
        lifespan="on",
        log_config=None,  # ours: see `logs`
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_timeout),
    )
    return _Server(config)


class _Server(uvicorn.Server):
    """Breaks requests off at a second Ctrl-C so that they are still answered, and ends the app in any case."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        watching = asyncio.create_task(self._forced())
        try:
            await super().shutdown(sockets)
        finally:
            watching.cancel()
        if self.force_exit:  # uvicorn would leave all of this to the end of the loop
            if tasks := self._cancel():
                await asyncio.wait(tasks, timeout=_LAST_WORDS)
            await self.lifespan.shutdown()

    async def _forced(self) -> None:
        while not self.force_exit:
            await asyncio.sleep(0.05)
        self._cancel()

    def _cancel(self) -> list[asyncio.Task[None]]:
        tasks = [task for task in self.server_state.tasks if not task.done()]
        for task in tasks:
            if not task.cancelling():
                task.cancel()
        return tasks


def serve(settings: Settings | None = None, *, listening: Callable[[str, FastAPI], None] | None = None) -> None:
    """Serve until Ctrl-C or SIGTERM, which let requests under way end: what `cantle serve` does.

    `settings` None reads the `CANTLE_SERVER_*` variables. `listening` is called once with the address, such as
    `http://127.0.0.1:8000`, and the app. The log goes to standard error. Raises `CantleError` when it cannot start, and
    `KeyboardInterrupt` when a second Ctrl-C broke requests off.
    """
    from .logs import configure

    settings = Settings.of() if settings is None else settings
    with opened(settings) as (store, client):
        app = create_app(settings, store=store, client=client)
        with _listener(settings.host, settings.port) as listener:
            configure(settings.log_level)
            if listening is not None:
                listening(_address(listener), app)
            _run(server(app), listener)


def _run(running: uvicorn.Server, listener: socket.socket) -> None:
    try:
        running.run(sockets=[listener])
    except (KeyboardInterrupt, SystemExit) as end:
        # uvicorn raises the signal again that it ended by; what it was for is done.
        if running.force_exit:
            raise KeyboardInterrupt from None
        if not (running.should_exit and running.started):
            raise CantleError("The service could not start; the log says why.") from end


def _listener(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server((str(address[0]), int(address[1])), family=family, backlog=_BACKLOG)
    except OSError as error:
        said = error.strerror or str(error)
        raise CantleError(f"{host}:{port} cannot be listened on: {said}. Choose another host or port.") from error


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
