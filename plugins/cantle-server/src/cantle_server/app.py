"""The application: settings in, ASGI out."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

import cantle

from . import answers
from .api import ROUTERS
from .auth import Authentication, Verifier
from .auth.keys import keys_of
from .limits import Bounded, Gate, Limits, Rated, Rates
from .logs import Observed
from .metrics import Metrics
from .openapi import describe
from .settings import Settings
from .work import Workers

if TYPE_CHECKING:
    from cantle_llm import Client
    from cantle_store import Store

__all__ = ["create_app"]

_log = logging.getLogger("cantle_server")


def create_app(
    settings: Settings | None = None,
    *,
    store: Store | None = None,
    client: Client | None = None,
    embedder: Any = None,
) -> FastAPI:
    """The service as an ASGI application, for `cantle serve` and for servers of your own.

    `settings` None reads the `CANTLE_SERVER_*` variables. `store`, `client` and `embedder` go before what the settings
    name; what is given here is not closed at the end. In development mode (`dev`) without a secret it makes one, which
    is in `app.state.settings.secret`. Raises `OptionError` for wrong settings.
    """
    settings = Settings.of() if settings is None else settings
    if settings.dev and settings.secret is None:
        settings = replace(settings, secret=secrets.token_urlsafe(48))
    metrics = Metrics()
    workers = Workers(
        settings.processes, queue=settings.queue, timeout=settings.job_timeout, memory=settings.worker_memory
    )
    keys = keys_of(settings)
    verifier = Verifier(keys, issuer=settings.issuer, audience=settings.audience, leeway=settings.leeway)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        state = app.state
        own_store = own_client = None
        try:
            if store is None and settings.store is not None:
                own_store = state.store = await asyncio.to_thread(_store, settings, embedder)
            if client is None and settings.model is not None:
                own_client = state.client = _client(settings.model)
            await workers.start()
            yield
        finally:
            await workers.stop(settings.shutdown_timeout)
            await keys.close()
            for own in (own_client, own_store):
                if own is not None:
                    await asyncio.to_thread(own.close)

    app = FastAPI(
        title="cantle",
        version=cantle.__version__,
        lifespan=lifespan,
        docs_url=None,  # their pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.metrics = metrics
    app.state.workers = workers
    app.state.store = store
    app.state.client = client
    app.state.embedder = embedder
    app.state.limits = Limits(jobs=Gate(settings.max_jobs, settings.queue))
    for router in ROUTERS:
        app.include_router(router)
    answers.install(app)
    # The last one added is the outermost.
    app.add_middleware(Bounded, settings.max_body_bytes, settings.body_timeout, settings.request_timeout)
    app.add_middleware(Rated, Rates(settings.rate))
    app.add_middleware(Authentication, verifier)
    app.add_middleware(Observed, metrics.done, metrics.began)
    _watch(app)
    describe(app)
    return app


def _watch(app: FastAPI) -> None:
    from cantle_llm import counts

    state, metrics = app.state, app.state.metrics
    metrics.watch("workers", "Worker processes that can work.", lambda: state.workers.alive)
    metrics.watch("workers_busy", "Worker processes at work.", lambda: state.workers.busy)
    metrics.watch("workers_waiting", "Calls that wait for a worker.", lambda: state.workers.waiting)
    metrics.watch("workers_replaced", "Worker processes that were ended or died.", lambda: state.workers.restarts)
    metrics.watch("jobs", "Long requests under way.", lambda: state.limits.jobs.inside)
    metrics.watch("jobs_waiting", "Long requests that wait for their turn.", lambda: state.limits.jobs.waiting)
    metrics.watch_counts("partition", "Counted by partition, here", counts)


def _store(settings: Settings, embedder: Any) -> Any:
    import cantle_store

    if embedder is None and settings.embedder is not None:
        embedder = cantle_store.embedder(settings.embedder)
    return cantle_store.Store(settings.store or "", embedder=embedder)


def _client(model: str) -> Any:
    from cantle_llm import Client

    return Client(model)
