"""The form that every failure has over HTTP, whoever raised it."""

from __future__ import annotations

import logging
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from cantle.errors import CantleError

from .errors import CODES, Problem, from_error
from .written import json_line

__all__ = ["install", "response_of", "unexpected"]

_log = logging.getLogger("cantle_server")

_MOST_LISTED = 20


def response_of(problem: Problem, request_id: str = "") -> Response:
    """The problem as JSON."""
    error: dict[str, Any] = {"code": problem.code, "message": problem.message, **problem.extra}
    if request_id:
        error["requestId"] = request_id
    headers = {"cache-control": "no-store", **(problem.headers or {})}
    return Response(json_line({"error": error}), problem.status, headers=headers, media_type="application/json")


def install(app: FastAPI) -> None:
    """Have the app answer every failure in this form."""
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(RequestValidationError, _validation)
    app.add_exception_handler(CantleError, _cantle)


def _answered(scope: Any, problem: Problem) -> Response:
    """The answer, with the id of the request; log and metrics have the code."""
    state = scope.get("state", {})
    if (record := state.get("record")) is not None:
        record.code = problem.code
    return response_of(problem, str(state.get("request_id", "")))


async def _http(request: Request, error: Exception) -> Response:
    if isinstance(error, Problem):
        return _answered(request.scope, error)
    assert isinstance(error, HTTPException)
    status = error.status_code
    message, headers = str(error.detail), error.headers
    if status == 404:
        message = f"There is nothing at {request.url.path}. /openapi.json lists what there is."
    elif status == 405:
        allowed = _methods(request)
        message = f"{request.method} is not possible here." + (f" Use {' or '.join(allowed)}." if allowed else "")
        headers = {**(headers or {}), **({"Allow": ", ".join(allowed)} if allowed else {})}
    elif message == _phrase(status):
        message = f"{message}."
    code = CODES.get(status, "failed")
    return _answered(request.scope, Problem(status, code, message, headers=headers))


def _methods(request: Request) -> list[str]:
    """All methods of the path. The router tells those of its first route alone."""
    path = request.scope["path"]
    found = set[str]()
    for route in (*request.app.state.routes, *request.app.routes):
        pattern = getattr(route, "path_regex", None)
        if pattern is not None and pattern.match(path):
            found |= route.methods or set()
    return sorted(found)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


async def _validation(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    # The values themselves are left out: they may be the text of a document.
    found = [
        {"where": [str(part) for part in one["loc"]], "message": str(one["msg"]).removeprefix("Value error, ")}
        for one in error.errors()[:_MOST_LISTED]
    ]
    first = found[0] if found else {"where": [], "message": ""}
    where = ".".join(first["where"])
    message = f"The request is not valid: {where}: {first['message']}."
    if len(found) > 1:
        message += f" {len(found) - 1} more: see `errors`."
    return _answered(request.scope, Problem(422, "invalid", message, errors=found))


async def _cantle(request: Request, error: Exception) -> Response:
    assert isinstance(error, CantleError)
    problem = from_error(error)
    if problem is None:
        return unexpected(request.scope, error)
    return _answered(request.scope, problem)


def unexpected(scope: Any, error: BaseException) -> Response:
    """500 without details; the log has them under the same request id."""
    request_id = str(scope.get("state", {}).get("request_id", ""))
    _log.error("unexpected error", exc_info=error, extra={"fields": {"requestId": request_id}})
    message = "Something went wrong here, not with the request. The log has the request id."
    return _answered(scope, Problem(500, "internal_error", message))
