"""The ways to cut, with a JSON Schema of every option."""

from __future__ import annotations

import inspect
from functools import lru_cache
from typing import Any

from fastapi import APIRouter, Request, Response

from cantle import MDocument, Registry, lengths, registry
from cantle.errors import UnknownStrategyError
from cantle.schema import json_schema

from ..errors import Problem
from ..jobs.chunk import ASKING
from ..written import json_line

__all__ = ["router"]

KINDS = ("text", "markdown", "html", "json", "latex", "pdf")
"""Kinds of documents; a strategy lists those that it is the default of."""

router = APIRouter(prefix="/v1/strategies", tags=["chunks"])


@router.get("", summary="All strategies, with the schema of their options", response_model=None)
async def strategies(request: Request) -> Response:
    """Every strategy that is installed, those of plugins too, and the length functions that sizes may count by."""
    return Response(_all(registry()), media_type="application/json")


@router.get("/{name}", summary="One strategy", response_model=None, responses={404: {"description": "Unknown."}})
async def strategy(name: str) -> Response:
    """What `/v1/strategies` says of one strategy."""
    try:
        found = _one(registry(), name)
    except UnknownStrategyError as error:
        raise Problem(404, "unknown_strategy", str(error)) from None
    return Response(found, media_type="application/json")


@lru_cache(2)
def _all(host: Registry) -> bytes:
    listed = [_facts(host, name) for name in host.strategies()]
    return json_line({"strategies": listed, "lengthFunctions": lengths.names()})


@lru_cache(256)
def _one(host: Registry, name: str) -> bytes:
    host.strategy(name)
    return json_line(_facts(host, name))


def _facts(host: Registry, name: str) -> dict[str, Any]:
    cls = host.strategy(name)
    text = inspect.getdoc(cls) or ""
    summary = "" if text.startswith(f"{cls.__name__}(") else " ".join(text.split("\n\n")[0].split())
    kinds = [kind for kind in dict.fromkeys((*KINDS, *host.kinds())) if MDocument("", kind).strategy_for() == name]
    options = without_models(json_schema(name))
    return {"name": name, "summary": summary, "plugin": host.provider(name), "kinds": kinds, "options": options}


def without_models(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without what `/v1/chunk` refuses: options by which a strategy would ask a model."""
    properties = {key: value for key, value in schema.get("properties", {}).items() if key not in ASKING}
    engine = properties.get("engine", {})
    if "model" in engine.get("enum", ()):
        properties["engine"] = {**engine, "enum": [one for one in engine["enum"] if one != "model"]}
    return {**schema, "properties": properties}
