"""The caller of a request, as its token names it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Request

from ..errors import Problem

__all__ = ["Caller", "caller"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. `host_id` is the tenant: nothing of another one may be seen or changed.

    `roles` is None for a token without roles, which sees all of its host; `token_id` stands for the token in logs and
    limits, and is no secret.
    """

    host_id: str
    user_id: str
    roles: tuple[str, ...] | None = None
    token_id: str = ""


def caller(request: Request) -> Caller:
    """The caller of the request: a dependency of every route but the public ones.

    Tokens are checked before any route is called (see `Authentication`). Raises `Problem` 401 where none was.
    """
    found = request.scope.get("state", {}).get("caller")
    if not isinstance(found, Caller):
        raise Problem(
            401,
            "unauthorized",
            "This needs a token: send the header Authorization: Bearer TOKEN.",
            headers={"WWW-Authenticate": 'Bearer realm="cantle"'},
        )
    return found
