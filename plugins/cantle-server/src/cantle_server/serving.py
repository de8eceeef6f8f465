"""uvicorn, as this service runs it."""

from __future__ import annotations

import math

import uvicorn
from fastapi import FastAPI

from .limits.connections import protocol

__all__ = ["server"]


def server(app: FastAPI) -> uvicorn.Server:
    """A uvicorn server for an app of `create_app`, with its limits for connections and for the end.

    Run it with `run(sockets=[...])`, or in a thread; the address of the settings is used without sockets.
    """
    settings = app.state.settings
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=protocol(settings.header_timeout, settings.request_timeout, settings.max_connections),
        ws="none",
        lifespan="on",
        log_config=None,  # ours: see `logs`
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=math.ceil(settings.shutdown_timeout),
    )
    return uvicorn.Server(config)
