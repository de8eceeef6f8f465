"""The store of a caller: bound to its host, off the event loop, its failures as problems."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import anyio
from fastapi import Request

from cantle_store import (
    ClosedError,
    DimensionError,
    EmbedderError,
    NoEmbedderError,
    NotFoundError,
    OtherEmbedderError,
    StoreError,
    UnavailableError,
)

from ..auth import Caller
from ..errors import Problem

__all__ = ["FORBIDDEN", "NO_STORE", "in_thread", "need_trusted", "problem_of", "tenant_store"]

FORBIDDEN: dict[int | str, dict[str, Any]] = {403: {"description": "The token has roles: it may search, and no more."}}
NO_STORE: dict[int | str, dict[str, Any]] = {
    404: {"description": "The host has no such thing, or nothing is stored here."}
}

_log = logging.getLogger("cantle_server")

_tasks: set[asyncio.Task[Any]] = set()
"""What runs in threads: kept, since the loop alone would let go of a task that nobody waits for."""

_P = ParamSpec("_P")
_R = TypeVar("_R")


def tenant_store(request: Request, caller: Caller) -> Any:
    """The store for the host of the caller. Raises `Problem` 404 where the service keeps nothing."""
    store = request.app.state.store
    if store is None:
        raise Problem(404, "no_store", "This service keeps no chunks: it was started without a store.")
    return store.for_host(caller.host_id)


def need_trusted(caller: Caller) -> None:
    """Raise `Problem` 403 for a token with roles.

    Roles filter what a search finds. Names of datasets, lists of documents and whole chunks are not filtered, so they
    are for tokens without roles alone, and so is all that writes.
    """
    if caller.roles is not None:
        raise Problem(
            403,
            "forbidden",
            "This token has roles, and searches with them: POST /v1/search. All else of the store needs a token "
            "without the claim roles.",
        )


async def in_thread(function: Callable[_P, _R], *args: _P.args, **named: _P.kwargs) -> _R:
    """What a blocking function returns, from a thread. Failures of a store are a `Problem`.

    Threads cannot be ended: one that nobody waits for any more counts as one of those there may be until it has ended.
    """
    begun = False

    def begin() -> _R:
        nonlocal begun
        begun = True
        return function(*args, **named)

    task = asyncio.create_task(anyio.to_thread.run_sync(begin))
    _tasks.add(task)
    task.add_done_callback(_ended)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        if not begun:
            task.cancel()  # it waits for a thread, and makes room for others
        raise
    except Problem:
        raise
    except Exception as error:
        problem = problem_of(error)
        if problem is None:
            raise
        raise problem from error


def _ended(task: asyncio.Task[Any]) -> None:
    _tasks.discard(task)
    if not task.cancelled():
        task.exception()  # looked at: nobody else may be there to do so


def problem_of(error: BaseException) -> Problem | None:
    """A failure of a store as the caller is told it; None for what is none, or a fault of ours."""
    if isinstance(error, ClosedError | UnavailableError):  # messages may name hosts and files
        _log.error("the store does not answer", extra={"fields": {"error": type(error).__name__}})
        return Problem(
            503, "store_unavailable", "The store does not answer. Try again soon.", headers={"Retry-After": "5"}
        )
    if isinstance(error, EmbedderError):
        return _of_embedder(error)
    if isinstance(error, NotFoundError):  # found a moment ago; its message lists names
        return Problem(404, "not_found", "It is not there any more.")
    if isinstance(error, StoreError):
        return Problem(422, "dimension" if isinstance(error, DimensionError) else "store_refused", str(error))
    return None


def _of_embedder(error: EmbedderError) -> Problem:
    if isinstance(error, NoEmbedderError):
        return Problem(422, "no_embedder", "This service has no embedder: search by mode text, or give the vector.")
    if isinstance(error, OtherEmbedderError):
        return Problem(
            422,
            "other_embedder",
            "The vectors that are kept are of another embedder, or of several. Name a dataset, or search by mode text.",
        )
    _log.error("the embedder failed", extra={"fields": {"error": type(error).__name__}})
    return Problem(502, "embedder_failed", "The embedder of this service failed. Try again, or search by mode text.")
