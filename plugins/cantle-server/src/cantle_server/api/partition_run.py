"""A partition from request to result: media, blocks, storing; bounded, and ended when nobody waits for it."""

from __future__ import annotations

import asyncio
import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, Any

from cantle import Source
from cantle.errors import CantleWarning
from cantle_llm import Client, ModelError, partition

from ..errors import Problem
from ..jobs.partition import CALLER, by_words
from ..persisting import Saving, failure_of, source_of
from .partition_media import Ended, Gathered, gathered, with_cost

if TYPE_CHECKING:
    from cantle_llm import PartitionResult

    from ..persisting import Target

__all__ = ["Done", "Job", "run"]

_log = logging.getLogger("cantle_server")

MOST_SESSIONS = 1000


@dataclass(frozen=True)
class Job:
    """What is to be done. `options` are those of `cantle_llm.partition`; without `target` nothing is stored.

    `language` is that of the descriptions of pictures.
    """

    text: str
    language: str = "en"
    media_urls: tuple[str, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    source: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    store: Any = None
    target: Target | None = None
    max_size: int | None = None


@dataclass
class Done:
    """What came of it: `media` are the parts of the text that come from media, `failure` why nothing was stored."""

    result: PartitionResult
    media: list[dict[str, Any]] = field(default_factory=list)
    failure: dict[str, str] | None = None


_DIVIDING = Lock()
"""Texts are divided into lines one after another: more threads would gain nothing, and keep the event loop waiting."""


class _Turn:
    """A turn at dividing a text; it ends with the first session, or with the block."""

    def __init__(self, stop: Event) -> None:
        self._stop, self._mine = stop, False

    def __enter__(self) -> _Turn:
        while not _DIVIDING.acquire(timeout=0.1):
            if self._stop.is_set():
                raise Ended
        self._mine = True
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self) -> None:
        """Let the next one in."""
        if self._mine:
            self._mine = False
            _DIVIDING.release()


class _Watch:
    """Told while sessions are waited for, and after each: ends a run that nobody waits for, or of too many sessions."""

    def __init__(self, stop: Event, turn: _Turn) -> None:
        self._stop, self._turn = stop, turn

    def __call__(self, done: int, total: int) -> None:
        self._turn.end()
        if total > MOST_SESSIONS:
            raise Problem(
                422,
                "too_many_sessions",
                f"This text with these options is {total:,} sessions with the model; {MOST_SESSIONS:,} are the most. "
                "Raise maxLinesPerSession, lower overlapLines, or send less at once.",
                sessions=total,
            )
        self.tick()

    def tick(self) -> None:
        self._turn.end()
        if self._stop.is_set():
            raise Ended


async def run(state: Any, job: Job) -> Done:
    """Do it, in turn with the other long requests.

    Cancelled, it begins no further call of a model and stores nothing; its turn ends when the calls under way have.
    """
    stop, begun = Event(), Event()
    task = asyncio.create_task(_in_turn(state, job, stop, begun))
    tasks = _tasks(state)
    tasks.add(task)
    task.add_done_callback(lambda ended: _ended(tasks, ended))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        stop.set()
        if not begun.is_set():
            task.cancel()  # it is still waiting, and makes room for others
        raise


def _ended(tasks: set[Any], task: asyncio.Task[Done]) -> None:
    tasks.discard(task)
    if not task.cancelled():
        task.exception()  # looked at: nobody else may be there to do so


def _tasks(state: Any) -> set[Any]:
    if not hasattr(state, "partitions"):
        state.partitions = set()
    tasks: set[Any] = state.partitions
    return tasks


async def _in_turn(state: Any, job: Job, stop: Event, begun: Event) -> Done:
    async with state.limits.jobs:
        begun.set()
        with _client(state) as client:
            media = Gathered(job.text)
            if job.media_urls:
                loop = asyncio.get_running_loop()
                media = await _thread(lambda: gathered(state, loop, job, client, stop))
            text = media.text
            source = job.source or source_of(text)
            if client is None or job.options.get("engine") == "lexical":
                options = {name: value for name, value in job.options.items() if name != "engine"}
                result = await state.workers.run(by_words, text, source, options)
            else:
                asked = client
                result = await _thread(lambda: _by_model(text, source, job.options, asked, stop))
            done = Done(result, media.found)
            if job.target is not None:
                await _thread(lambda: _keep(done, job, source, stop, state))
            with_cost(result, media.run)
            return done


async def _thread(work: Callable[[], Any]) -> Any:
    """What a function returns, from a thread of its own: as many as are let in by the gate.

    It is a daemon, so that a process that has to end need not wait for servers that do not answer.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()

    def tell(value: Any, error: BaseException | None) -> None:
        if future.done():
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def begin() -> None:
        value, error = None, None
        try:
            value = work()
        except BaseException as raised:
            error = raised
        with suppress(RuntimeError):  # the loop has ended: there is nobody to tell
            loop.call_soon_threadsafe(tell, value, error)

    Thread(target=copy_context().run, args=(begin,), name="partition", daemon=True).start()
    return await future


@contextmanager
def _client(state: Any) -> Iterator[Client | None]:
    """The client of the service. A spending limit of the `CANTLE_LLM_*` variables is one for each request."""
    client = state.client
    if client is None or not client.has_limit or not state.has_own_client:
        yield client
        return
    with Client(state.settings.model) as own:
        yield own


def _without_warnings() -> None:
    """Leave out what is warned of in threads of this module; the same filter is there once, however often it is set."""
    warnings.filterwarnings("ignore", category=CantleWarning, module=r"cantle_server\.api\.partition_run\Z")


def _by_model(text: str, source: str, options: dict[str, Any], client: Client, stop: Event) -> PartitionResult:
    _without_warnings()  # what it warns of is in the result, and in the log and the counters of cantle_llm
    try:
        with _Turn(stop) as turn:
            watch = _Watch(stop, turn)
            return partition(Source(text, source=source), client=client, progress=watch, caller=CALLER, **options)
    except ModelError as error:
        _log.error("no call of the model can succeed", extra={"fields": {"reason": error.reason}})
        raise Problem(
            502,
            "model_failed",
            "The model of this service cannot be asked, and no session was answered. The log says why.",
            reason=error.reason,
        ) from None


def _keep(done: Done, job: Job, source: str, stop: Event, state: Any) -> None:
    """Store the blocks of a successful result; they are answered in any case."""
    result = done.result
    assert job.target is not None
    if not result.success:
        result.audit_log += ("[partition] Not stored: the partition failed",)
        done.failure = {"code": "partition_failed", "message": "Blocks are stored when the partition succeeds."}
        return
    try:
        _without_warnings()
        saving = Saving(job.store, job.target, source, job.metadata, stop, max_size=job.max_size)
        stored = saving(result, result.name)
    except Exception as error:
        done.failure = failure_of(error)
        result.audit_log += (f"[partition] Not stored: {done.failure['code']}",)
        said = {"code": done.failure["code"], "error": type(error).__name__}
        _log.error("blocks cannot be stored", extra={"fields": said})  # messages of databases hold what was written
        return
    assert saving.synced is not None
    state.metrics.synced(saving.synced)
    if saving.synced.unwiped:
        state.wiping.later()
    result.persisted = stored
    result.audit_log += (f"[partition] {stored.count} block(s) stored in data set {stored.dataset_id}",)
