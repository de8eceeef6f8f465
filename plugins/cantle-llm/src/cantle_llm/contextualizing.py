"""`contextualize`: notes by a model for each chunk, as `cantle.contextualize` makes them, with our client."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import cantle
from cantle import Chunk, Chunks
from cantle.errors import OptionError

from .client.client import Client, Run
from .client.usage import Control, Cost, Usage
from .errors import ModelError
from .estimates import Estimate, Estimating
from .sharing import shared_client

__all__ = ["Contextualized", "Estimate", "NoteClient", "contextualize", "estimate_notes"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


@dataclass(frozen=True)
class Contextualized:
    """What `contextualize` gives.

    `chunks` are those with their notes: new `Chunks`, or the very list of dictionaries. `missing` are the ids of
    chunks without a note although they have a text, `error` is what ended the run early, if something did.
    `replayed` counts notes that were on file, and `failures` the calls that failed, by reason. With a `run` of
    yours, `usage`, `cost`, `control` and `replayed` are those of all its calls so far.
    """

    chunks: Any
    usage: Usage
    cost: Cost
    control: Control
    replayed: int = 0
    missing: tuple[str, ...] = ()
    error: ModelError | None = None
    failures: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """`usage`, `cost`, `control`, `replayed`, `missing`; without the chunks."""
        return {
            "usage": self.usage.to_dict(),
            "cost": self.cost.to_dict(),
            "control": self.control.to_dict(),
            "replayed": self.replayed,
            "missing": list(self.missing),
        }


class NoteClient:
    """A client's run as `cantle.contextualize` takes a client. `stopped` is the error that no call survives.

    `model` is another model than the client's own.
    """

    def __init__(self, run: Run, model: str | None = None) -> None:
        self._run, self._model = run, model
        self.stopped: ModelError | None = None
        self.failures: Counter[str] = Counter()

    def ready(self) -> bool:
        """True. Raises `ModelError` or `OptionError` where no key or no model is given, which say what to do."""
        if not (self._model or self._run.client.model):
            raise OptionError(
                "No model is named. Give client=Client(model=...) or client='gpt-4.1-nano', or set CANTLE_LLM_MODEL."
            )
        self._run.client.request([{"role": "user", "content": "-"}], model=self._model)  # raises what is wrong with it
        return self._run.client.ready

    def complete(self, messages: Sequence[dict[str, str]], **options: Any) -> str:
        """The note. Raises `ModelError`, for an answer that is blank too."""
        if self.stopped is not None:
            raise self.stopped
        try:
            note: str = self._run.complete(messages, **({"model": self._model} | options))
        except ModelError as error:
            self.failures[error.reason] += 1
            if error.is_fatal:
                self.stopped = self.stopped or error
            raise
        return note


def _in_order(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """The function, with `OptionError` for arguments in the order of `cantle.contextualize`, which has another."""

    @wraps(function)
    def called(*given: _P.args, **named: _P.kwargs) -> _R:
        if len(given) > 2 or (given and (isinstance(given[0], str) or hasattr(given[0], "complete"))):
            raise OptionError(
                f"cantle_llm.{function.__name__} takes (chunks, client), and the rest by name, such as document=...; "
                "it is cantle.contextualize that takes (client, document, chunks)."
            )
        return function(*given, **named)

    return called


@_in_order
def contextualize(
    chunks: Any,
    client: Client | str | None = None,
    *,
    document: Any = None,
    run: Run | None = None,
    **options: Any,
) -> Contextualized:
    """Have a model write a note for each chunk that says what it is about: `cantle.contextualize`, with our client.

    `chunks` are `Chunks`, some of them in a list, or the dictionaries of `ContextRetrievalChunker`, which need their
    `document`, the text. `client` is a `Client`, the name of a model, or None: then the client of the `CANTLE_LLM_*`
    variables is asked, one for the whole process. Or give a `run` of a client, to add several documents up. Options are
    those of `cantle.contextualize`; `concurrency` and `temperature` are the client's unless given, and a progress bar
    is shown on a terminal (`progress=True`).

    Notes are kept in the client's file of answers, under document, chunk, prompt and model: a second run asks for
    what is missing, and pays for that alone. A chunk whose call fails stays without a note, with a `ContextWarning`.
    An error that no call survives (key, model, spending limit) ends the run: see `error` of the result, whose chunks
    have the notes made until then. Raises `OptionError` for wrong arguments and where no model is named, `ModelError`
    where no key is given: before anything is asked.
    """
    run, model = _run_of(client, run)
    asked = NoteClient(run, model)
    found = _noted(asked, document, chunks, run.client, {"progress": True} | options)
    return Contextualized(
        chunks=found,
        usage=run.ledger.usage,
        cost=run.ledger.cost,
        control=run.ledger.control,
        replayed=run.replayed,
        missing=tuple(_missing(found)),
        error=asked.stopped,
        failures=dict(sorted(asked.failures.items())),
    )


def _run_of(client: Client | str | None, run: Run | None) -> tuple[Run, str | None]:
    """The run, and the model to name in its calls, if it is not the client's own."""
    if run is not None:
        if client is not None:
            raise OptionError("client and run are both given, and a run has its client. Keep one.")
        return run, None
    if isinstance(client, Client):
        return client.run("contextualize"), None
    if client is not None and not (isinstance(client, str) and client.strip()):
        raise OptionError(
            f"client must be a cantle_llm.Client or the name of a model, got {client!r}. Other clients are for "
            "cantle.contextualize."
        )
    return shared_client("contextualize").run("contextualize"), client


def _noted(asked: Any, document: Any, chunks: Any, client: Client, options: dict[str, Any]) -> Any:
    if chunks is None:
        raise OptionError(
            "chunks must be Chunks, or a list of dictionaries as ContextRetrievalChunker gives them, got None."
        )
    given = {name.lower().replace("_", "") for name in options}
    if "concurrency" not in given:
        options["concurrency"] = client.concurrency
    if "temperature" not in given and client.settings.temperature is not None:
        options["temperature"] = client.settings.temperature
    return cantle.contextualize(asked, document, chunks, **options)


def _missing(chunks: Any) -> list[str]:
    """The ids of chunks with a text and without a note."""
    if isinstance(chunks, Chunks):
        return [chunk.id for chunk in chunks if chunk.content.strip() and not _has_note(chunk)]
    return [str(one.get("id", i)) for i, one in enumerate(chunks) if one["content"].strip() and not one.get("context")]


def _has_note(chunk: Chunk) -> bool:
    note = chunk.metadata.get("context")
    return isinstance(note, str) and bool(note) and chunk.prefix.endswith(f"{note}\n\n")


@_in_order
def estimate_notes(
    chunks: Any, client: Client | str | None = None, *, document: Any = None, **options: Any
) -> Estimate:
    """What `contextualize` with these arguments would ask for at most. Nothing is asked; no key is needed."""
    run, model = _run_of(client, None)
    counting = _Counting(run.client, model)
    if not isinstance(chunks, Chunks):
        chunks = deepcopy(chunks)  # dictionaries would get the notes that nobody sees
    with ExitStack() as stack:
        if options.get("resume") is not None:
            options["resume"] = stack.enter_context(_copy(options["resume"]))
        _noted(counting, document, chunks, run.client, {**options, "progress": False, "concurrency": 1})
    return counting.estimating.total


@contextmanager
def _copy(path: Any) -> Iterator[Any]:
    """A copy of a file of notes, for the time being: what is in it counts, and nothing is written to it."""
    if not isinstance(path, str | os.PathLike):
        yield path  # an error, which is told as ever
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "notes.jsonl")
        if os.path.exists(path):
            shutil.copyfile(path, copy)
        yield copy


class _Counting:
    """Counts what would be asked, and answers with a note that nobody sees."""

    def __init__(self, client: Client, model: str | None) -> None:
        self._model, self.estimating = model, Estimating(client)

    def complete(self, messages: Sequence[dict[str, str]], **options: Any) -> str:
        self.estimating.add(messages, **({"model": self._model} | options))
        return "-"
