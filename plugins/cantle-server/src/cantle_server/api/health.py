"""Whether the service lives and can work, and what it counted."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response

from ..metrics import CONTENT_TYPE
from ..written import json_line

__all__ = ["router"]

router = APIRouter(tags=["operation"])

_PATIENCE = 5.0


def _json(value: Any, status: int = 200) -> Response:
    return Response(json_line(value), status, media_type="application/json", headers={"Cache-Control": "no-store"})


@router.get("/healthz", summary="Is the process alive?", response_model=None)
async def healthz() -> Response:
    """200 while the service answers at all. Needs no token."""
    return _json({"status": "ok"})


@router.get("/readyz", summary="Can it work?", response_model=None, responses={503: {"description": "Not ready."}})
async def readyz(request: Request) -> Response:
    """200 when there is a worker and the store, if one is set, answers; else 503. Needs no token."""
    state = request.app.state
    checks = {"workers": state.workers.alive > 0}
    if state.store is not None:
        checks["store"] = await _answers(state.store)
    ready = all(checks.values())
    shown = {name: "ok" if good else "failed" for name, good in checks.items()}
    return _json({"status": "ok" if ready else "failed", "checks": shown}, 200 if ready else 503)


async def _answers(store: Any) -> bool:
    try:
        async with asyncio.timeout(_PATIENCE):
            await asyncio.to_thread(store.avatars)
    except Exception:  # whatever a database's driver raises
        return False
    return True


@router.get("/metrics", summary="Counters for Prometheus", response_model=None)
async def metrics(request: Request) -> Response:
    """What the service counted since it began, in the text format of Prometheus. Needs a token of any host."""
    return Response(request.app.state.metrics.text(), media_type=CONTENT_TYPE)
