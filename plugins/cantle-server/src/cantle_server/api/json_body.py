"""JSON bodies read into models: strictly, by our own reader, and with errors that help."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from difflib import get_close_matches
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, model_validator
from pydantic.alias_generators import to_camel

from ..bodies import parse_json
from ..errors import Problem
from ..jobs.bodies import parse_large
from ..written import json_line

__all__ = ["Body", "JsonRoute", "Shown", "answer"]

_MOST = 100
_LARGE = 1 << 18
"""Bytes: longer bodies are read in a worker."""


class Body(BaseModel):
    """What a request may have: camelCase keys, exact types, nothing else."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", strict=True, populate_by_name=False, hide_input_in_errors=True
    )

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        """Say which keys there are where one is not known; null is as good as left out."""
        if not isinstance(given, dict):
            return given
        known = [field.alias or name for name, field in cls.model_fields.items()]
        for name in given:
            if name not in known:
                close = get_close_matches(str(name)[:_MOST], known, 1)  # its time grows with the name
                hint = f" Did you mean {close[0]!r}?" if close else ""
                raise ValueError(f"there is no {str(name)[:_MOST]!r} here.{hint} There are: {', '.join(known)}")
        return {name: value for name, value in given.items() if value is not None}


class Shown(BaseModel):
    """What an answer has, for the OpenAPI document: camelCase keys."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class _JsonRequest(Request):
    async def json(self) -> Any:
        """The body by our own reader: bounded in depth, without NaN, duplicate keys and other surprises."""
        body = await self.body()
        if len(body) <= _LARGE:
            return parse_json(body)
        return await self.app.state.workers.run(parse_large, body)


class JsonRoute(APIRoute):
    """A route whose body is JSON, and that says so (415) where another kind of body comes."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Read the body by our own reader."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            if self.body_field is not None:
                kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
                if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
                    raise Problem(
                        415,
                        "unsupported_media_type",
                        f"Send application/json, got {kind[:_MOST] or 'no Content-Type'}.",
                    )
            return await handler(_JsonRequest(request.scope, request.receive))

        return handle


def answer(value: Any, status: int = 200) -> Response:
    """Plain values as JSON."""
    return Response(json_line(value), status, media_type="application/json")
