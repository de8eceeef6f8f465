"""The OpenAPI document: what is the same for all routes."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi

from .api import EXAMPLES
from .auth import PUBLIC
from .written import json_line

__all__ = ["describe"]

_PATH = "/openapi.json"

_TEXT = """cantle cuts documents into chunks for retrieval: exact offsets, nothing lost, a limit that is a limit.

All routes but a few need a bearer token, a JSON Web Token with the claims `hostId` and `userId`. Every failure is
`{"error": {"code", "message", "requestId"}}`. Positions and sizes of texts count Unicode code points.
"""

_PROBLEM = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string", "description": "For programs: one word that does not change."},
                "message": {"type": "string", "description": "For people: what is wrong, and what would be right."},
                "requestId": {"type": "string", "description": "The log has this id, and the header X-Request-ID."},
            },
        }
    },
}

_COMMON = {
    "400": "The request cannot be read.",
    "401": "There is no token, or it is not good.",
    "413": "The request is too large.",
    "422": "The request can be read, and a value in it is not possible.",
    "429": "The token asks too often: Retry-After says when to come back.",
    "503": "Too much at once: Retry-After says when to come back.",
    "504": "It took too long.",
}


def describe(app: FastAPI) -> None:
    """Have `/openapi.json` tell of the bearer token and of failures, the same for every route."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    app.openapi = openapi  # type: ignore[method-assign]

    async def document(_: Request) -> Response:
        return Response(written(), media_type="application/json")

    @cache
    def written() -> bytes:
        return json_line(openapi())

    app.add_route(_PATH, document, include_in_schema=False)


def _document(app: FastAPI) -> dict[str, Any]:
    found = get_openapi(
        title=app.title,
        version=app.version,
        summary="Chunks, topical blocks, datasets and search over HTTP.",
        description=_TEXT,
        routes=app.routes,
        servers=[{"url": "/", "description": "This service."}],
    )
    components = found.setdefault("components", {})
    components.setdefault("securitySchemes", {})["bearer"] = {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "JWT",
        "description": "A JSON Web Token with the claims hostId, userId, exp and, where a caller does not see all of "
        "its host, roles.",
    }
    schemas = components.setdefault("schemas", {})
    schemas["Problem"] = _PROBLEM
    for name, example in EXAMPLES.items():  # in models FastAPI would leave out what is null in them
        schemas[name]["examples"] = [example]
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for path, operations in found["paths"].items():
        for operation in operations.values():
            public = path in PUBLIC
            operation["security"] = [] if public else [{"bearer": []}]
            answers = operation.setdefault("responses", {})
            for status, text in _COMMON.items():
                if public and status != "503":
                    answers.pop(status, None)
                    continue
                answers.setdefault(status, {"description": text})
            for status, answer in answers.items():
                if status.startswith(("4", "5")) and not (public and status == "503"):
                    answer["content"] = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return found
