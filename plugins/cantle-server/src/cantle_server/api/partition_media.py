"""Media of a partition: each becomes text behind the text that came with the request."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from threading import Event
from typing import TYPE_CHECKING, Any

from cantle_llm import ModelError, Usage

from ..errors import Problem
from ..media import in_worker, to_text

if TYPE_CHECKING:
    from cantle_llm import Client, PartitionResult, Run

    from .partition_run import Job

__all__ = ["Ended", "Gathered", "gathered", "with_cost"]

_log = logging.getLogger("cantle_server")

JOINT = "\n\n"
"""What stands between the text and media, and between two media."""


class Ended(Exception):
    """Nobody waits for the answer any more."""


@dataclass
class Gathered:
    """The whole text, which parts of it come from media, and the run in which a model was asked for them."""

    text: str
    found: list[dict[str, Any]] = field(default_factory=list)
    run: Run | None = None


def gathered(state: Any, loop: asyncio.AbstractEventLoop, job: Job, client: Client | None, stop: Event) -> Gathered:
    """Read all media, in order. It waits for servers and models: call it in a thread. Raises `Problem`."""
    run = None if client is None else client.run("smart_split_media", stopped=stop.is_set)
    parts = [job.text] if job.text.strip() else []
    found = []
    for number, url in enumerate(job.media_urls):
        if stop.is_set():
            raise Ended
        media = _read(state, loop, number, url, run, job.language)
        start = sum(len(part) + len(JOINT) for part in parts)
        parts.append(media.text)
        end = start + len(media.text)
        one = {"index": number, "kind": media.kind, "mediaType": media.media_type, "start": start, "end": end}
        found.append({**one, "notes": list(media.notes)})
    text = JOINT.join(parts)
    if not text.strip():
        raise Problem(422, "media_unreadable", "There is no text in the media.")
    most = state.settings.max_characters
    if len(text) > most:
        raise Problem(
            413,
            "too_many_characters",
            f"The text and its media have {len(text):,} characters, and this server takes {most:,} at most.",
            limit=most,
        )
    return Gathered(text, found, run)


def _read(state: Any, loop: asyncio.AbstractEventLoop, number: int, url: str, run: Run | None, language: str) -> Any:
    where = f"mediaUrls[{number}]"
    try:
        fetcher = getattr(state, "fetcher", None)  # an app may have one with rules of its own
        read_pdf = in_worker(state.workers.run, loop)
        return to_text(url, state.settings, run, fetcher=fetcher, read_pdf=read_pdf, language=language)
    except Problem as problem:
        state.metrics.media.labels(problem.code).inc()
        raise Problem(
            problem.status,
            problem.code,
            f"{where}: {problem.message}",
            headers=problem.headers,
            **{**problem.extra, "mediaUrl": number},
        ) from None
    except ModelError as error:
        _log.error("media cannot be read by the model", extra={"fields": {"reason": error.reason}})
        state.metrics.media.labels("model_failed").inc()
        raise Problem(
            502,
            "model_failed",
            f"{where}: the model of this service failed. The log says why.",
            mediaUrl=number,
            reason=error.reason,
        ) from None


def with_cost(result: PartitionResult, run: Run | None) -> None:
    """Add what reading the media cost to what the partition did."""
    if run is None or not run.ledger.usage.calls:
        return
    ledger = run.ledger
    had = result.usage.calls > 0
    result.usage = Usage.total([ledger.usage, result.usage], result.usage.source)
    result.cost = replace(ledger.cost) if not had else ledger.cost + result.cost
    if ledger.control.reasons and not result.control.reasons:
        result.control = ledger.control
