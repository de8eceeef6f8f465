"""`POST /v1/partition`, and the same where the service that we mirror has it."""

from __future__ import annotations

import logging
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from cantle.errors import OptionError

from ..auth import Caller, caller
from ..errors import Problem
from ..persisting import resolve
from .json_body import JsonRoute, answer
from .partition_models import Asked, Options, Partitioned, in_camel_case
from .partition_run import Done, Job, run
from .seed_audit import audit_log
from .tenant import in_thread, need_trusted, tenant_store

__all__ = ["SEED_PATH", "router"]

SEED_PATH = "/api/externalAPIs/public/smartSplit/partition"

router = APIRouter(tags=["partition"], route_class=JsonRoute)

_log = logging.getLogger("cantle_server")

_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"model": Partitioned},
    403: {"description": "The token has roles, and may not store."},
    404: {"description": "The host has no such avatar or dataset, or nothing is stored here."},
    409: {"description": "The dataset has vectors of another embedder."},
    415: {"description": "The body is not JSON, or media are of a kind that cannot be read."},
    502: {"description": "The model, or the server of a medium, failed."},
}


@router.post("/v1/partition", summary="Divide a text into blocks by topic", response_model=None, responses=_RESPONSES)
async def partition(request: Request, asked: Asked, who: Annotated[Caller, Depends(caller)]) -> Response:
    """Labelled blocks, each about one topic, that can be read, stored or processed by themselves.

    Blocks are ranges of the text, whoever divides: the model of the service, or the lexical engine, which costs
    nothing. Media become text first. With `options.persistChunks` the blocks are stored as chunks, with embeddings, in
    a dataset of the token's host; avatar and dataset are checked before anything is paid for. Should storing fail, the
    blocks are answered all the same, with `persistError`.
    """
    done = await _done(request, asked, who)
    return await in_thread(lambda: answer(_shown(done)))


@router.post(
    SEED_PATH,
    summary="The same, on the path of the service that this one stands in for",
    response_model=None,
    responses=_RESPONSES,
)
async def smart_split(request: Request, asked: Asked, who: Annotated[Caller, Depends(caller)]) -> Response:
    """`/v1/partition` with the audit log in Portuguese."""
    done = await _done(request, asked, who, "pt")
    options = asked.options or Options()
    log = audit_log(done.result, asked_to_store=options.persist_chunks)
    return await in_thread(lambda: answer({**_shown(done), "auditLog": log}))


async def _done(request: Request, asked: Asked, who: Caller, language: str = "en") -> Done:
    state, options = request.app.state, asked.options or Options()
    text, media = asked.text or "", tuple(asked.media_urls or ())
    _check(state, text, media, options)
    store = target = None
    if options.persist_chunks:
        need_trusted(who)
        store = _store(request, who)
        target = await in_thread(
            resolve,
            store,
            avatar_id=options.avatar_id,
            dataset_id=options.dataset_id,
            dataset_name=options.dataset_name,
            create=options.create_dataset_if_missing,
        )
    if options.language in ("en", "pt"):
        language = options.language
    job = Job(
        text,
        language,
        media,
        options.of_partition(),
        asked.source,
        asked.metadata or {},
        store,
        target,
        options.max_chars_per_stored_chunk,
    )
    try:
        done = await run(state, job)
    except OptionError as error:
        raise Problem(422, "invalid_option", in_camel_case(str(error))) from None
    _tell(request, done)
    return done


def _store(request: Request, who: Caller) -> Any:
    try:
        return tenant_store(request, who)
    except Problem as problem:
        raise Problem(422, problem.code, f"{problem.message} Leave persistChunks out.") from None


def _check(state: Any, text: str, media: tuple[str, ...], options: Options) -> None:
    """Raise `Problem` for what is not possible, before anything is read or paid for."""
    settings = state.settings
    if not text.strip() and not media:
        raise Problem(422, "invalid", "text is missing: give a text, or mediaUrls.")
    if len(text) > settings.max_characters:
        raise Problem(
            413,
            "too_many_characters",
            f"The text has {len(text):,} characters, and this server takes {settings.max_characters:,} at most.",
            limit=settings.max_characters,
        )
    if len(media) > settings.max_media:
        raise Problem(
            422, "too_many_media", f"mediaUrls has {len(media)} addresses, and {settings.max_media} are the most."
        )
    if options.engine == "model" and state.client is None:
        raise Problem(422, "no_model", "This service has no model. Leave engine out, or set it to lexical.")
    if options.overlap_lines is not None and 2 * options.overlap_lines > options.max_lines_per_session:
        raise Problem(
            422,
            "invalid_option",
            f"overlapLines must be half of maxLinesPerSession ({options.max_lines_per_session}) at most, got "
            f"{options.overlap_lines}: every line would be paid for many times.",
        )


def _shown(done: Done) -> dict[str, Any]:
    found = done.result.to_dict()
    if done.failure is not None:
        found["persistError"] = done.failure
    if done.media:
        found["media"] = done.media
    return found


def _tell(request: Request, done: Done) -> None:
    """Count and log, without text of the document."""
    result, state = done.result, request.app.state
    outcome = "ok" if result.success else str(result.reason)
    engine = "lexical" if result.provider == "cantle" else "model"
    state.metrics.partitions.labels(engine, outcome).inc()
    request.state.record.facts |= {
        "characters": len(result.source.text),
        "blocks": len(result.blocks),
        "coverage": round(result.coverage, 4),
        "outcome": outcome,
    }
    if done.failure is not None:
        state.metrics.unstored.labels(done.failure["code"]).inc()
    if outcome == "coverage_below_threshold":
        said = {"requestId": request.state.request_id, "missing": result.missing_count, "lines": result.total_lines}
        _log.warning("coverage below threshold", extra={"fields": said})
