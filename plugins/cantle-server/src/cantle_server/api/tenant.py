"""The store of a caller: bound to its host, off the event loop, its failures as problems."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import anyio
from fastapi import Request

from cantle.errors import CantleError

from ..auth import Caller
from ..errors import Problem

__all__ = ["FORBIDDEN", "NO_STORE", "in_thread", "need_trusted", "problem_of", "tenant_store"]

FORBIDDEN: dict[int | str, dict[str, Any]] = {403: {"description": "The token has roles: it may search, and no more."}}
NO_STORE: dict[int | str, dict[str, Any]] = {
    404: {"description": "The host has no such thing, or nothing is stored here."}
}

_log = logging.getLogger("cantle_server")

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
    """What a blocking function returns, from a thread. Failures of a store are a `Problem`."""
    try:
        return await anyio.to_thread.run_sync(functools.partial(function, *args, **named))
    except Problem:
        raise
    except Exception as error:
        problem = problem_of(error)
        if problem is None:
            raise
        raise problem from error


def problem_of(error: BaseException) -> Problem | None:
    """A failure of a store as the caller is told it; None for what is none, or a fault of ours."""
    if not isinstance(error, CantleError):
        return None
    cause = error.__cause__ or error.__context__
    if type(cause).__module__.partition(".")[0] == "sqlalchemy":
        return _of_database(cause)
    if str(error).startswith("The store ") and " is closed" in str(error):  # the service is being stopped
        return _away(error)
    for kind in type(error).__mro__:
        if kind.__name__ == "NotFoundError":  # found a moment ago; its message lists names
            return Problem(404, "not_found", "It is not there any more.")
        if kind.__name__ == "DimensionError":
            return Problem(422, "dimension", str(error))
        if kind.__name__ == "EmbedderError":
            return _of_embedder(error)
        if kind.__name__ == "StoreError":
            return Problem(422, "store_refused", str(error))
    return None


def _of_database(error: BaseException | None) -> Problem | None:
    """No server, a lock, a full disk, no free connection: not what was asked. Messages may name hosts and files."""
    names = {kind.__name__ for kind in type(error).__mro__}
    if not names & {"OperationalError", "InterfaceError", "InternalError", "TimeoutError", "DisconnectionError"}:
        return None
    return _away(error)


def _away(error: BaseException | None) -> Problem:
    _log.error("the store does not answer", extra={"fields": {"error": type(error).__name__}})
    return Problem(503, "store_unavailable", "The store does not answer. Try again soon.", headers={"Retry-After": "5"})


def _of_embedder(error: CantleError) -> Problem:
    """The embedder is not the caller's doing, but for asking for one where there is none."""
    if error.__cause__ is None and "needs an embedder" in str(error):
        return Problem(422, "no_embedder", "This service has no embedder: search by mode text, or give the vector.")
    if error.__cause__ is None and "be compared with" in str(error):
        return Problem(
            422,
            "other_embedder",
            "The vectors that are kept are of another embedder, or of several. Name a dataset, or search by mode text.",
        )
    _log.error("the embedder failed", extra={"fields": {"error": type(error).__name__}})
    return Problem(502, "embedder_failed", "The embedder of this service failed. Try again, or search by mode text.")
