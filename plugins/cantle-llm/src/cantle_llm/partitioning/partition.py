"""`partition`: a document as topical blocks, by a model or by the words its lines share."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial, wraps
from threading import Event
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from cantle.errors import CantleWarning, OptionError, UnusedOptionWarning

from ..client.client import Client
from ..errors import PersistError
from ..estimates import Estimate
from ..sharing import shared_client
from ..warn import warn
from .arguments import check_arguments, check_client
from .by_model import Modelled, Progress
from .by_words import by_words
from .options import ENGINES, Options
from .result import PartitionResult, Persisted

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["Persist", "Progress", "apartition", "estimate_partition", "partition"]

_LONGEST_NAME = 1000
_P = ParamSpec("_P")
_R = TypeVar("_R")

Persist = Callable[[PartitionResult, Callable[[], str]], Persisted]
"""What stores a result; it gets a function that makes a name for a new data set."""


def _kindly(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, with `OptionError` for arguments that it does not take."""

    @wraps(function)
    def called(*given: _P.args, **named: _P.kwargs) -> _R:
        check_arguments(function, given, named, function.__name__)
        return function(*given, **named)

    return called


@_kindly
def partition(
    document: str | Source,
    *,
    engine: str | None = None,
    client: Client | None = None,
    model: str | None = None,
    max_chars_per_chunk: int = Options.max_chars_per_chunk,
    max_lines_per_session: int = Options.max_lines_per_session,
    overlap_lines: int | None = Options.overlap_lines,
    fallback_max_chars_per_block: int = Options.fallback_max_chars_per_block,
    min_coverage: float = Options.min_coverage,
    max_words_per_line: int = Options.max_words_per_line,
    uncovered: str = Options.uncovered,
    language: str | None = None,
    progress: Progress = False,
    persist: Persist | None = None,
    caller: str = "partition",
) -> PartitionResult:
    """Divide a document into labelled topical blocks, which are ranges of its text.

    With a `client` or the name of a `model` a model divides it; without, the embedded engine does, by headings and by
    the words that neighbouring lines share. `engine` ("model" or "lexical") says which, whatever is given; "model"
    alone takes that of the `CANTLE_LLM_*` variables. Without a client, all calls in a process share one, with the limit
    and the answers that these variables name. `document` is a text, or a `Source` or `MDocument`.

    The text is divided into lines (sentences, headings, rows) of at most `max_words_per_line` words. Above
    `max_chars_per_chunk` characters (code points) it is cut into sub-texts at paragraphs, line breaks or sentences. A
    session shows the model at most `max_lines_per_session` lines of one sub-text; the next one begins with the last
    `overlap_lines` of them (None: 30, or a tenth of a session where that is less). Sessions run at once, as many as the
    client's `concurrency`. A session that gives no usable answer is a `ModelWarning`, and its lines go into blocks of
    at most `fallback_max_chars_per_block` characters. Below `min_coverage` of the lines the result has `success` False.
    Lines that the model left out are reported, and with `uncovered="nearest"` put into the nearest block. Labels are in
    the language of the text; `language` ("en", "pt", "es", "fr", "de", "it") says which, instead of a guess.

    `progress` is True for a bar, or a function of (sessions done, sessions). `persist(result, name)` stores a
    successful result and gives a `Persisted`; `name()` makes a name for a new data set. `caller` is noted in the cost
    report.

    Raises `OptionError` for wrong arguments, before anything is asked, and `ModelError` where no call can succeed (a
    wrong key, no such model, an empty account) and none did. What `persist` raises is a `PersistError`, which has the
    result. Interrupted, it waits for the calls under way, so that
    their answers are on file.
    """
    options = Options(
        max_chars_per_chunk=max_chars_per_chunk,
        max_lines_per_session=max_lines_per_session,
        overlap_lines=overlap_lines,
        fallback_max_chars_per_block=fallback_max_chars_per_block,
        min_coverage=min_coverage,
        max_words_per_line=max_words_per_line,
        uncovered=uncovered,
        language=language,
    )
    return run_partition(document, options, engine, client, model, progress, persist, caller, Event())


async def apartition(document: str | Source, *more: Any, **arguments: Any) -> PartitionResult:
    """Like `partition`, in a thread: the event loop goes on. When it is cancelled, no further session is begun."""
    import asyncio

    check_arguments(partition, (document, *more), arguments, "apartition")
    stop = Event()
    own: dict[str, Any] = dict.fromkeys(("engine", "client", "model", "persist"))
    own |= {"progress": False, "caller": "partition"}
    own |= {name: arguments.pop(name) for name in own if name in arguments}
    options = Options(**arguments)
    try:
        return await asyncio.to_thread(partial(run_partition, document, options, stop=stop, **own))
    except asyncio.CancelledError:
        stop.set()
        raise


def estimate_partition(
    document: str | Source, client: Client | None = None, *, model: str | None = None, **options: Any
) -> Estimate:
    """What `partition` with these arguments would ask a model for, at most. Nothing is asked; no key is needed.

    Options are those of `partition` that say how the text is divided. One call is a session.
    """
    asked = _client_of(client, model)
    source, parameters = _source(document), Options(**options)
    return Modelled(source, parameters, asked, model, False, "partition", Event()).estimate()


def run_partition(
    document: str | Source,
    options: Options,
    engine: str | None,
    client: Client | None,
    model: str | None,
    progress: Progress,
    persist: Persist | None,
    caller: str,
    stop: Event,
) -> PartitionResult:
    """What both do, with checked options."""
    source = _source(document)
    if not isinstance(caller, str) or not caller.strip():
        raise OptionError(f"caller must be a word, got {caller!r}.")
    if progress is not None and not isinstance(progress, bool) and not callable(progress):
        raise OptionError(f"progress must be True, False, or a function of (done, total), got {progress!r}.")
    if persist is not None and not callable(persist):
        raise OptionError(f"persist must be a function of (result, name), got {persist!r}.")
    if _engine(engine, client, model) == "lexical":
        _warn_unused(options)
        return _stored(by_words(source, options, caller), persist)
    asked = _client_of(client, model)
    return _stored(Modelled(source, options, asked, model, progress, caller, stop).result(), persist)


def _source(document: str | Source) -> Source:
    from cantle import Source

    if isinstance(document, Source):
        return document
    if isinstance(document, str):
        if _names_a_file(document):
            warn(
                f"The text {document!r} is the name of a file, and the name is divided, not what is in it. Pass "
                "MDocument.from_file(...) for that.",
                CantleWarning,
            )
        return Source(document)
    raise OptionError(f"document must be a str, a Source or an MDocument, got {type(document).__name__}.")


def _names_a_file(text: str) -> bool:
    if len(text) > _LONGEST_NAME or len(text.splitlines()) != 1:
        return False
    try:
        return os.path.isfile(text)
    except ValueError:  # no name can have such characters
        return False


def _engine(engine: str | None, client: Client | None, model: str | None) -> str:
    check_client(client)
    if model is not None and not isinstance(model, str):
        raise OptionError(f"model must be a name, got {model!r}.")
    if engine is None:
        return "lexical" if client is None and model is None else "model"
    if engine not in ENGINES:
        raise OptionError(f"engine must be 'model' or 'lexical', got {engine!r}.")
    if engine == "lexical" and (client is not None or model is not None):
        given = "client" if client is not None else "model"
        raise OptionError(f"engine='lexical' asks no model, and {given} is given. Leave one of them out.")
    return engine


def _warn_unused(options: Options) -> None:
    for name in options.without_effect():
        warn(f"{name} has no effect with the lexical engine; leave it out.", UnusedOptionWarning)


def _client_of(client: Client | None, model: str | None) -> Client:
    asked = shared_client("partition") if client is None else client
    if not (model or asked.model):
        raise OptionError(
            "engine='model' needs a model. Give model=... or client=Client(...), or set CANTLE_LLM_MODEL."
            if client is None
            else "No model is named. Give Client(model=...), model=..., or set CANTLE_LLM_MODEL."
        )
    return asked


def _stored(result: PartitionResult, persist: Persist | None) -> PartitionResult:
    if persist is None:
        return result
    if not result.success:
        result.audit_log += ("[partition] Not stored: the partition failed",)
        return result
    try:
        stored = persist(result, result.name)
    except Exception as error:
        raise PersistError(
            f"persist failed, and the partition is not stored: {type(error).__name__}: {error}. It is the `result` of "
            "this error.",
            result,
        ) from error
    if not isinstance(stored, Persisted):
        raise PersistError(
            f"persist must return a cantle_llm.Persisted, got {type(stored).__name__}. The partition is the `result` "
            "of this error.",
            result,
        )
    result.persisted = stored
    result.audit_log += (f"[partition] {stored.count} block(s) stored in data set {stored.dataset_id}",)
    return result
