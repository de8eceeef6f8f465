"""`contextualize`: notes by a model for each chunk, as `cantle.contextualize` makes them, with our client."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import cantle
from cantle import Chunk, Chunks
from cantle.errors import OptionError, UnknownLengthError
from cantle.lengths import Length, resolve

from .client.answers import key_of
from .client.client import Client, Run
from .client.usage import Control, Cost, Usage
from .errors import ModelError
from .sharing import shared_client

__all__ = ["Contextualized", "Estimate", "NoteClient", "contextualize", "estimate_notes"]

_ANSWER = 4096
"""Tokens that an answer is taken to have at most where no limit is set, as for a spending limit."""

_PER_MESSAGE = 4
"""Tokens that stand around a message, about."""


@dataclass(frozen=True)
class Estimate:
    """What a run would ask for: calls, and tokens and US dollars of these. `recorded` notes are on file.

    Input is counted by the model's own encoding, or o200k_base. Output is the most that it can be: every answer as long
    as the limit for its length, or 4,096 tokens where none is set (`is_bounded` false: it may be longer then). `cost`
    is None where the price of the model is not known. Each call is counted once; an answer of no use is asked for up to
    `reasks` times more, and a request that was lost on its way is sent again. In replay nothing is asked: `missing`
    notes are not on file.
    """

    calls: int = 0
    recorded: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)
    is_bounded: bool = True
    missing: int = 0
    reasks: int = 0

    def __add__(self, other: Estimate) -> Estimate:
        return Estimate(
            self.calls + other.calls,
            self.recorded + other.recorded,
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            None if self.cost is None or other.cost is None else self.cost + other.cost,
            self.is_bounded and other.is_bounded,
            self.missing + other.missing,
            max(self.reasks, other.reasks),
        )

    def to_dict(self) -> dict[str, Any]:
        """`calls`, `recorded`, `missing`, `inputTokens`, `outputTokens`, `totalCost` (None: not known), `isBounded`,
        `reasks`.
        """
        return {
            "calls": self.calls,
            "recorded": self.recorded,
            "missing": self.missing,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "totalCost": None if self.cost is None else float(self.cost),
            "isBounded": self.is_bounded,
            "reasks": self.reasks,
        }


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


def estimate_notes(
    chunks: Any, client: Client | str | None = None, *, document: Any = None, **options: Any
) -> Estimate:
    """What `contextualize` with these arguments would ask for at most. Nothing is asked; no key is needed."""
    run, model = _run_of(client, None)
    counting = _Counting(run.client, model)
    _noted(counting, document, chunks, run.client, {**options, "progress": False, "concurrency": 1})
    return counting.total


class _Counting:
    """Counts what would be asked, and answers with a note that nobody sees."""

    def __init__(self, client: Client, model: str | None) -> None:
        self._client, self._model, self.total = client, model, Estimate()
        self._seen: set[str] = set()
        self._counter: Length | None = None

    def complete(self, messages: Sequence[dict[str, str]], **options: Any) -> str:
        client = self._client
        request = client.request(messages, **({"model": self._model} | options))
        key = key_of(request)
        held = client.answers.get(key) if client.answers is not None else None
        if (held is not None and not held.reason) or (client.answers is not None and key in self._seen):
            self.total += Estimate(recorded=1)
            return "-"
        if client.settings.replay:
            self.total += Estimate(missing=1)
            return "-"
        self._seen.add(key)
        if self._counter is None:
            self._counter = _counter(request.model)
        read = sum(int(self._counter(message["content"])) + _PER_MESSAGE for message in messages)
        written = request.max_output_tokens or _ANSWER
        price = client.price(request.model)
        cost = None if price is None else sum(price.cost(read, written), Decimal(0))
        bounded = request.max_output_tokens is not None
        self.total += Estimate(1, 0, read, written, cost, bounded, reasks=client.settings.reasks)
        return "-"


def _counter(model: str) -> Length:
    for name in (model, "o200k_base"):
        try:
            return resolve(name)
        except (UnknownLengthError, OptionError):
            continue
    raise AssertionError("unreachable")
