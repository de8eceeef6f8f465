"""The application: settings in, ASGI out."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI

import cantle

from . import answers, playground
from .api import ROUTERS
from .auth import PUBLIC, Authentication, Verifier
from .auth.keys import keys_of
from .limits import Bounded, Gate, Limits, Rated, Rates
from .metrics import Metrics
from .observing import Observed
from .openapi import describe
from .persisting import Wiping
from .settings import Settings
from .work import Workers

if TYPE_CHECKING:
    from cantle_llm import Client
    from cantle_store import Store

__all__ = ["create_app", "opened"]


def create_app(
    settings: Settings | None = None,
    *,
    store: Store | None = None,
    client: Client | None = None,
    embedder: Any = None,
    warm: bool = True,
) -> FastAPI:
    """The service as an ASGI application, for `cantle serve` and for servers of your own.

    `settings` None reads the `CANTLE_SERVER_*` variables. `store`, `client` and `embedder` go before what the settings
    name; what is given here is not closed at the end. In development mode (`dev`) without a secret it makes one, which
    is in `app.state.settings.secret`. Without `warm` worker processes load what they need when they need it: the
    service starts at once, and first requests are slower. Raises `OptionError` for wrong settings.
    """
    settings = Settings.of() if settings is None else settings
    if settings.dev and settings.secret is None:
        settings = replace(settings, secret=secrets.token_urlsafe(48))
    metrics = Metrics()
    workers = Workers(
        settings.processes,
        queue=settings.queue,
        timeout=settings.job_timeout,
        memory=settings.worker_memory,
        warm=warm,
    )
    wiping = Wiping(settings.wipe_after)
    keys = keys_of(settings)
    verifier = Verifier(keys, issuer=settings.issuer, audience=settings.audience, leeway=settings.leeway)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        wanted = replace(
            settings,
            store=None if store is not None else settings.store,
            embedder=None if store is not None else settings.embedder,
            model=None if client is not None else settings.model,
        )
        parts = opened(wanted, embedder=embedder)
        own_store, own_client = await asyncio.to_thread(parts.__enter__)
        try:
            app.state.store, app.state.client = store or own_store, client or own_client
            if app.state.store is not None:
                wiping.start(app.state.store)
            await workers.start()
            yield
        finally:
            await workers.stop(settings.shutdown_timeout)
            await wiping.stop()
            await asyncio.to_thread(parts.__exit__, None, None, None)

    app = FastAPI(
        title="cantle",
        version=cantle.__version__,
        lifespan=lifespan,
        openapi_url=None,  # `describe` has a route of its own
        docs_url=None,  # their pages load scripts from other hosts
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.metrics = metrics
    app.state.workers = workers
    app.state.wiping = wiping
    app.state.store = store
    app.state.client = client
    app.state.has_own_client = client is None
    app.state.embedder = embedder
    app.state.limits = Limits(jobs=Gate(settings.max_jobs, settings.queue))
    routers = (*ROUTERS, playground.router)
    for router in routers:
        app.include_router(router)
    app.state.routes = [route for router in routers for route in router.routes]
    answers.install(app)
    # The last one added is the outermost.
    app.add_middleware(Bounded, settings.max_body_bytes, settings.body_timeout, settings.request_timeout)
    app.add_middleware(Rated, Rates(settings.rate))
    app.add_middleware(Authentication, verifier, frozenset(PUBLIC | playground.PATHS))
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


@contextmanager
def opened(settings: Settings, *, embedder: Any = None) -> Iterator[tuple[Store | None, Client | None]]:
    """The store and the client that settings name, None for what they do not; closed at the end.

    Raises `StoreError` for a store that cannot be opened, `OptionError` for wrong settings of a model.
    """
    with ExitStack() as stack:
        store = client = None
        if settings.store is not None:
            import cantle_store

            chosen = embedder
            if embedder is None and settings.embedder is not None:
                chosen = cantle_store.embedder(settings.embedder)
            store = stack.enter_context(cantle_store.Store(settings.store, embedder=chosen))
        if settings.model is not None:
            from cantle_llm import Client

            client = stack.enter_context(Client(settings.model))
        yield store, client
