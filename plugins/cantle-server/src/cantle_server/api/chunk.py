"""`POST /v1/chunk`: a document into chunks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from cantle.errors import CantleError

from ..errors import Problem, from_error
from ..jobs.chunk import FIELDS, Upload, chunk
from ..written import json_line
from .chunk_docs import OPENAPI, RESPONSES
from .uploads import upload_of

__all__ = ["router"]

router = APIRouter(tags=["chunks"])

NDJSON = "application/x-ndjson"


@router.post(
    "/v1/chunk",
    summary="A document into chunks",
    response_model=None,
    openapi_extra=OPENAPI,
    responses=RESPONSES,
)
async def chunks(request: Request) -> Response:
    """Cut a text, or a file, with any strategy.

    The text comes as JSON, a file as `multipart/form-data` with the same fields beside it (`options`, `extract` and
    `metadata` as JSON). The answer is one JSON object, or, with `"stream": true` or `Accept: application/x-ndjson`,
    lines of JSON: first the document, then its chunks as they are written, at last what was dropped. Should it break in
    the middle, the last line is an error. Models are not asked here.
    """
    state = request.app.state
    body = await _body(request)
    wanted = NDJSON in request.headers.get("accept", "")
    pieces = state.workers.stream(chunk, body, wanted, state.settings.max_characters)
    head = await anext(pieces)
    request.state.record.facts |= {name: head[name] for name in ("characters", "chunks")}
    if head["stream"]:
        return StreamingResponse(_streamed(pieces, request.state.request_id), media_type=NDJSON)
    async with aclosing(pieces):
        return Response(await _whole(pieces, state.settings.max_response_bytes), media_type="application/json")


async def _whole(pieces: AsyncIterator[bytes], most: int) -> bytes:
    found, size = [], 0
    async for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size > most:
            raise Problem(
                413,
                "response_too_large",
                f"The answer is longer than {most:,} bytes. Ask for NDJSON, or for less overlap.",
                limit=most,
            )
    return b"".join(found)


async def _streamed(pieces: Any, request_id: str) -> AsyncIterator[bytes]:
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except (Problem, CantleError) as error:
        problem = error if isinstance(error, Problem) else from_error(error)
        problem = problem or Problem(500, "internal_error", "Something went wrong here, not with the request.")
        told = {"code": problem.code, "message": problem.message, "requestId": request_id}
        yield json_line({"type": "error", "error": told})


async def _body(request: Request) -> bytes | Upload:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind == "application/json" or kind.endswith("+json"):
        return await request.body()
    if kind == "multipart/form-data":
        return await upload_of(request, FIELDS)
    raise Problem(
        415,
        "unsupported_media_type",
        f"Send application/json or multipart/form-data, got {kind[:100] or 'no Content-Type'}.",
    )
