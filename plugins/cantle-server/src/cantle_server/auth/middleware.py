"""Every request but the public ones needs a token, whatever its route asks for: a route added later too."""

from __future__ import annotations

from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from ..errors import Problem
from .caller import Caller
from .tokens import Verifier, refused

__all__ = ["PUBLIC", "Authentication"]

PUBLIC = {"/healthz", "/readyz", "/openapi.json"}
"""Paths that need no token; one that ends with `/` is for all below it, `/` itself for itself alone."""


class Authentication:
    """Puts the `Caller` of the token into the state of the request, or answers 401 before anything is read."""

    def __init__(self, app: ASGIApp, verifier: Verifier, public: frozenset[str] | None = None) -> None:
        self._app, self._verifier = app, verifier
        self._public = frozenset(PUBLIC) if public is None else public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check the token, then pass the request on."""
        if scope["type"] == "http" and not self._is_public(scope["path"]):
            scope.setdefault("state", {})["caller"] = await self._caller(scope)
        await self._app(scope, receive, send)

    def _is_public(self, path: str) -> bool:
        return path in self._public or any(
            one != "/" and one.endswith("/") and path.startswith(one) for one in self._public
        )

    async def _caller(self, scope: Any) -> Caller:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        if not given:
            raise Problem(
                401,
                "unauthorized",
                "This needs a token: send the header Authorization: Bearer TOKEN.",
                headers={"WWW-Authenticate": 'Bearer realm="cantle"'},
            )
        if len(given) > 1:
            raise refused("There is more than one header Authorization.", "invalid_request")
        kind, _, token = given[0].decode("latin-1").partition(" ")
        if kind.lower() != "bearer" or not token.strip():
            raise refused("The header Authorization must be: Bearer TOKEN.", "invalid_request")
        if not token.isascii():
            raise refused("The token is not a JSON Web Token.")
        return await self._verifier.verify(token.strip())
