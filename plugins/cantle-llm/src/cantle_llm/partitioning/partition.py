"""`partition`: a document as topical blocks, by a model or by the words its lines share."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Any

from cantle.errors import OptionError, UnusedOptionWarning

from ..client.client import Client, Run
from ..client.usage import Control, Cost, Usage
from ..errors import REASONS, ModelError, ModelWarning
from ..lines import Line, lines_of
from ..telling import warn
from .asking import Asked, ask
from .counters import count
from .merging import Group, grouped, nearest
from .naming import Namer
from .options import ENGINES, Options
from .reading import clean, runs_of
from .result import Block, Failure, PartitionResult, Persisted, Uncovered
from .sessions import short_lines, sub_texts, windows

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["Persist", "Progress", "apartition", "partition"]

Progress = bool | Callable[[int, int], object]
"""True for a bar on standard error, or a function of the sessions done and their number."""
Persist = Callable[[PartitionResult, Callable[[], str]], Persisted]
"""What stores a result; it gets a function that makes a name for a new data set."""

_log = logging.getLogger("cantle_llm.partition")
_log.addHandler(logging.NullHandler())
_MOST_TOLD = 20
"""So many repairs of a session are in the audit log."""


def partition(
    document: str | Source,
    *,
    engine: str | None = None,
    client: Client | None = None,
    model: str | None = None,
    max_chars_per_chunk: int = 80_000,
    max_lines_per_session: int = 400,
    overlap_lines: int = 30,
    fallback_max_chars_per_block: int = 3_000,
    min_coverage: float = 0.90,
    max_words_per_line: int = 50,
    uncovered: str = "report",
    language: str | None = None,
    progress: Progress = False,
    persist: Persist | None = None,
    caller: str = "partition",
) -> PartitionResult:
    """Divide a document into labelled topical blocks, which are ranges of its text.

    With a `client` or the name of a `model` a model divides it; without, the embedded engine does, by headings and by
    the words that neighbouring lines share. `engine` ("model" or "lexical") says which, whatever is given; "model"
    alone takes the client of the `CANTLE_LLM_*` variables. `document` is a text, or a `Source` or `MDocument`.

    The text is divided into lines (sentences, headings, rows) of at most `max_words_per_line` words. Above
    `max_chars_per_chunk` characters (code points) it is cut into sub-texts at paragraphs, line breaks or sentences. A
    session shows the model at most `max_lines_per_session` lines of one sub-text; the next one begins with the last
    `overlap_lines` of them. Sessions run at once, as many as the client's `concurrency`. A session that gives no usable
    answer is a `ModelWarning`, and its lines go into blocks of at most `fallback_max_chars_per_block` characters. Below
    `min_coverage` of the lines the result has `success` False. Lines that the model left out are reported, and with
    `uncovered="nearest"` put into the nearest block. Labels are in the language of the text; `language` ("en", "pt",
    "es", "fr", "de", "it") says which, instead of a guess.

    `progress` is True for a bar, or a function of (sessions done, sessions). `persist(result, name)` stores a
    successful result and gives a `Persisted`; `name()` makes a name for a new data set. `caller` is noted in the cost
    report.

    Raises `OptionError` for wrong arguments, before anything is asked, and `ModelError` where no call can succeed: a
    wrong key, no such model. Interrupted, it waits for the calls under way, so that their answers are on file.
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


async def apartition(document: str | Source, **arguments: Any) -> PartitionResult:
    """Like `partition`, in a thread: the event loop goes on. When it is cancelled, no further session is begun."""
    import asyncio

    stop = Event()
    own: dict[str, Any] = dict.fromkeys(("engine", "client", "model", "persist"))
    own |= {"progress": False, "caller": "partition"}
    own |= {name: arguments.pop(name) for name in own if name in arguments}
    try:
        options = Options(**arguments)
    except TypeError as error:
        raise OptionError(f"apartition takes the arguments of partition: {error}.") from error
    try:
        return await asyncio.to_thread(partial(run_partition, document, options, stop=stop, **own))
    except asyncio.CancelledError:
        stop.set()
        raise


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
        return _stored(_lexical(source, options, caller), persist)
    with _client_of(client, model) as asked:
        result = _Modelled(source, options, asked, model, progress, caller, stop, owned=client is None).result()
        return _stored(result, persist)


def _source(document: str | Source) -> Source:
    from cantle import Source

    if isinstance(document, Source):
        return document
    if isinstance(document, str):
        return Source(document)
    raise OptionError(f"document must be a str, a Source or an MDocument, got {type(document).__name__}.")


def _engine(engine: str | None, client: Client | None, model: str | None) -> str:
    if client is not None and not isinstance(client, Client):
        raise OptionError(f"client must be a cantle_llm.Client, got {type(client).__name__}.")
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


@contextmanager
def _client_of(client: Client | None, model: str | None) -> Iterator[Client]:
    if client is not None:
        if not (model or client.model):
            raise OptionError("No model is named. Give Client(model=...), model=..., or set CANTLE_LLM_MODEL.")
        yield client
        return
    made = Client(model)
    if not made.model:
        raise OptionError(
            "engine='model' needs a model. Give model=... or client=Client(...), or set CANTLE_LLM_MODEL."
        )
    with made:
        yield made


def _stored(result: PartitionResult, persist: Persist | None) -> PartitionResult:
    if persist is None:
        return result
    if not result.success:
        result.audit_log += ("[partition] Not stored: the partition failed",)
        return result
    stored = persist(result, result.name)
    if not isinstance(stored, Persisted):
        raise OptionError(f"persist must return a cantle_llm.Persisted, got {type(stored).__name__}.")
    result.persisted = stored
    result.audit_log += (f"[partition] {stored.count} block(s) stored in data set {stored.dataset_id}",)
    return result


def _lines_of(source: Source, options: Options) -> list[Line]:
    return lines_of(source, options.max_words_per_line)


def _begun(source: Source, lines: Sequence[Line], engine: str) -> list[str]:
    return [
        f"Partitioning a text of {len(source.text) - source.body} characters by the {engine}",
        f"Text divided into {len(lines)} line(s)",
    ]


def _block(source: Source, lines: Sequence[Line], group: Group) -> Block:
    from .chunking import JOINT

    runs = tuple(runs_of(group.lines))
    ranges = tuple((lines[a].start, lines[b].end) for a, b in runs)
    return Block(
        JOINT.join(source.text[start:end] for start, end in ranges),
        group.label,
        ranges[0][0],
        ranges[-1][1],
        ranges,
        runs,
        group.fallback,
    )


def _audited(log: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"[partition] {line}" for line in log)


def _lexical(source: Source, options: Options, caller: str) -> PartitionResult:
    from ..lexical import segment

    lines = _lines_of(source, options)
    topics = segment(source.text, lines, language=options.language) if lines else []
    groups = [
        Group(list(range(topic.first, topic.last + 1)), (clean(topic.label) or None) if topic.label else None)
        for topic in topics
    ]
    log = [
        *_begun(source, lines, "lexical engine"),
        f"{len(groups)} block(s) assembled",
        f"Coverage: 100.0% ({len(lines)}/{len(lines)})",
        "Partition finished",
    ]
    count(partitions=1)
    return PartitionResult(
        source=source,
        success=True,
        blocks=tuple(_block(source, lines, group) for group in groups),
        coverage=1.0,
        total_lines=len(lines),
        reasoning="Divided by headings and by the words that neighbouring lines share." if groups else "",
        audit_log=_audited(log),
        usage=Usage(source=f"{_snake(caller)}_aggregate"),
        cost=Cost(),
        control=Control(),
        caller=caller,
    )


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda m: "_" + m[1], name).lower()


class _Modelled:
    """One document on its way through sessions with a model."""

    def __init__(
        self,
        source: Source,
        options: Options,
        client: Client,
        model: str | None,
        progress: Progress,
        caller: str,
        stop: Event,
        *,
        owned: bool,
    ) -> None:
        self.source, self.options, self.client = source, options, client
        self.progress, self.caller, self.stop, self.owned = progress, caller, stop, owned
        self.model = model or client.model
        self.call: dict[str, Any] = {"model": model} if model else {}
        self.run: Run = client.run(_snake(caller))
        self.given = options.language is not None
        self.language = options.language or self._guessed()
        self.lines = short_lines(source.text, _lines_of(source, options), options.max_chars_per_chunk)
        self.parts = sub_texts(source.text, self.lines, options.max_chars_per_chunk)
        self.windows = windows(self.parts, options.max_lines_per_session, options.overlap_lines)
        self.log = _begun(source, self.lines, f"model {clean(self.model)}")

    def _guessed(self) -> str | None:
        from cantle.words import language_of

        return language_of(self.source.text[self.source.body :])

    def result(self) -> PartitionResult:
        """Ask, and assemble."""
        if len(self.parts) > 1:
            most = self.options.max_chars_per_chunk
            self.log.append(f"Text divided into {len(self.parts)} sub-texts of at most {most} characters")
        self.log.append(f"{len(self.windows)} session(s) with the model needed")
        with self._told() as told:
            asked = ask(
                self.source.text,
                self.lines,
                self.windows,
                self.run,
                self.call,
                language=self.language,
                given=self.given,
                told=told,
                stop=self.stop,
            )
        failures = self._audit(asked)
        groups, missing = grouped(self.lines, self.windows, asked.readings, self.options.fallback_max_chars_per_block)
        return self._assembled(asked, groups, missing, failures)

    @contextmanager
    def _told(self) -> Iterator[Callable[[int], object]]:
        total, done = len(self.windows), 0
        if self.progress is True:
            from cantle.commands import Bar

            with Bar(total, "Sessions", "block") as bar:
                yield bar.advance
            return
        tell = self.progress if callable(self.progress) else None

        def told(blocks: int) -> None:
            nonlocal done
            done += 1
            if tell is not None:
                tell(done, total)

        yield told

    def _audit(self, asked: Asked) -> list[Failure]:
        failures = []
        for window, reading, error in zip(self.windows, asked.readings, asked.errors, strict=True):
            where = f"Session {window.number + 1} (lines {window.first}-{window.end - 1})"
            if error is not None:
                failures.append(Failure(window.number, (window.first, window.end - 1), error.reason, error.detail))
                self.log.append(f"{where} failed: {REASONS[error.reason]}; its lines are divided mechanically")
            elif reading is not None:
                self.log.append(f"{where}: {len(reading.labels)} block(s), {len(reading.repairs)} repair(s)")
                for repair in reading.repairs[:_MOST_TOLD]:
                    read = f"read as {repair.after}" if repair.after else "left out"
                    self.log.append(f"{where}: block {repair.block}: {repair.what}: {repair.before} {read}")
                if len(reading.repairs) > _MOST_TOLD:
                    self.log.append(f"{where}: and {len(reading.repairs) - _MOST_TOLD} more repairs")
        return failures

    def _assembled(
        self, asked: Asked, groups: list[Group], missing: list[int], failures: list[Failure]
    ) -> PartitionResult:
        total = len(self.lines)
        coverage = (total - len(missing)) / total if total else 1.0
        self.log.append(f"{len(groups)} block(s) assembled")
        self.log.append(f"Coverage: {coverage:.1%} ({total - len(missing)}/{total})")
        if missing and self.options.uncovered == "nearest":
            nearest(groups, missing, total)
            groups.sort(key=lambda group: group.lines[0])
            self.log.append(f"{len(missing)} line(s) that the model left out put into the nearest block")
        low = coverage < self.options.min_coverage
        reason = asked.stopped.reason if asked.stopped is not None else "coverage_below_threshold" if low else None
        self.log.append("Partition finished" if reason is None else f"Partition failed: {reason}")
        text = self.source.text
        result = PartitionResult(
            source=self.source,
            success=reason is None,
            blocks=tuple(_block(self.source, self.lines, group) for group in groups),
            coverage=coverage,
            total_lines=total,
            sessions_used=len(self.windows),
            failed_sessions=len(failures),
            replayed=self.run.replayed,
            reasoning="\n".join(reading.reasoning for reading in asked.readings if reading and reading.reasoning),
            audit_log=_audited(self.log),
            uncovered_lines=Uncovered(
                tuple(missing),
                tuple(runs_of(missing)),
                tuple(text[self.lines[i].start : self.lines[i].end] for i in missing),
            ),
            reason=reason,
            failures=tuple(failures),
            repairs=tuple(repair for reading in asked.readings if reading for repair in reading.repairs),
            usage=self.run.ledger.usage,
            cost=self.run.ledger.cost,
            control=self._control(asked.stopped),
            caller=self.caller,
            provider=self.client.provider,
            model=self.model,
            namer=Namer(self.client, self.run, self.call, self.language, self.given, self.owned),
        )
        self._monitor(result, low)
        return result

    def _control(self, stopped: ModelError | None) -> Control:
        control = self.run.ledger.control
        if stopped is None or control.reasons:
            return control
        return Control(decision="stop", reasons=(f"{stopped.reason}: {stopped.detail or REASONS[stopped.reason]}",))

    def _monitor(self, result: PartitionResult, low: bool) -> None:
        """Count, log and warn; no text of the document goes into a log."""
        count(
            partitions=1,
            sessions=result.sessions_used,
            failed_sessions=result.failed_sessions,
            fallbacks=int(result.fallback_used),
            repairs=len(result.repairs),
            coverage_failures=int(low),
            stopped=int(result.reason in ("budget", "quota")),
        )
        said = []
        if result.failures:
            reasons = ", ".join(dict.fromkeys(failure.reason for failure in result.failures))
            said.append(
                f"{result.failed_sessions} of {result.sessions_used} session(s) with the model failed ({reasons}): "
                "their lines are in blocks without a label."
            )
        if low:
            rest = "put into the nearest blocks" if self.options.uncovered == "nearest" else "in no block"
            said.append(
                f"The model covered {result.coverage:.1%} of the lines, less than min_coverage "
                f"({self.options.min_coverage:.0%}): {result.missing_count} line(s) are {rest}."
            )
        for line in said:
            _log.warning("%s caller=%s model=%s", line, self.caller, self.model)
            warn(line, ModelWarning)
