"""One form for every failure: a status, a code that programs read, a message that people read.

```json
{"error": {"code": "rate_limited", "message": "...", "requestId": "5f0c..."}}
```
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException

from cantle.errors import (
    CantleError,
    DocumentError,
    ExtractionError,
    MissingDependencyError,
    OptionError,
    PluginError,
    UnknownLengthError,
    UnknownStrategyError,
)
from cantle_store import NotFoundError

__all__ = ["CODES", "Problem", "from_error", "stopping"]

CODES = {
    400: "bad_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    409: "conflict",
    413: "too_large",
    415: "unsupported_media_type",
    422: "invalid",
    429: "rate_limited",
    500: "internal_error",
    503: "unavailable",
    504: "timeout",
}

_LONGEST = 4000


class Problem(HTTPException):
    """A failure as the client is told it; raise it anywhere in a request.

    `extra` goes into the object beside `code` and `message`, its names in camelCase. It derives from Starlette's
    `HTTPException`, which FastAPI lets through where it reads bodies.
    """

    def __init__(
        self, status: int, code: str, message: str, *, headers: Mapping[str, str] | None = None, **extra: Any
    ) -> None:
        super().__init__(status, message, headers=dict(headers) if headers else None)
        self.status, self.code, self.message, self.extra = status, code, message, extra

    def __str__(self) -> str:
        return f"{self.status} {self.code}: {self.message}"

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self.status, self.code, self.message, dict(self.headers or {}), self.extra)


def _remade(status: int, code: str, message: str, headers: dict[str, str], extra: dict[str, Any]) -> Problem:
    return Problem(status, code, message, headers=headers, **extra)


def stopping() -> Problem:
    """What requests are told that the end of the service breaks off."""
    return Problem(503, "stopping", "The service is being stopped.", headers={"Retry-After": "5"})


def from_error(error: CantleError) -> Problem | None:
    """What the client is told of an error of cantle; None for one that is not the client's doing.

    422 for values that the request may not have, 400 for a document that cannot be read as what it is said to be, 404
    for what is not there. An error of a plugin may bring its own with an attribute `status`.
    """
    status = getattr(error, "status", None)
    if isinstance(status, int) and 400 <= status < 600:
        return Problem(status, str(getattr(error, "code", None) or CODES.get(status, "failed")), _shown(error))
    if isinstance(error, NotFoundError):
        return Problem(404, "not_found", _shown(error))
    if isinstance(error, UnknownStrategyError):
        return Problem(422, "unknown_strategy", _shown(error))
    if isinstance(error, UnknownLengthError):
        return Problem(422, "unknown_length_function", _shown(error))
    if isinstance(error, OptionError):
        return Problem(422, "invalid_option", _shown(error))
    if isinstance(error, DocumentError):
        return Problem(400, "invalid_document", _shown(error))
    if isinstance(error, MissingDependencyError):
        return Problem(501, "not_installed", f"{error.what} needs {error.package}, which this server does not have.")
    if isinstance(error, ExtractionError):
        return Problem(422, "extraction_failed", _shown(error))
    if isinstance(error, PluginError):
        return None
    return None


def _shown(error: Exception) -> str:
    text = str(error)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
