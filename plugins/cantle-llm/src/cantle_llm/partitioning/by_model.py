"""A document divided by a model: lines, sub-texts, sessions, and what is made of their answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from ..client.client import Client, Run
from ..client.usage import Control
from ..errors import REASONS, ModelError, ModelWarning
from ..estimates import Estimate, Estimating
from ..lines import lines_of
from ..warn import warn
from .asking import Asked, ask
from .assembling import audited, begun, block_of, snake
from .cleaning import clean
from .counters import count
from .figures import percent
from .merging import Group, grouped, nearest
from .naming import Namer
from .options import Options
from .prompts import partitioning
from .ranges import runs_of
from .reading import SCHEMA
from .result import Failure, PartitionResult, Uncovered
from .seen import seen_lines, seen_text
from .sessions import short_lines, sub_texts, windows

if TYPE_CHECKING:
    from cantle import Source

__all__ = ["Modelled", "Progress"]

Progress = bool | Callable[[int, int], object]
"""True for a bar on standard error, or a function of the sessions done and their number."""

_log = logging.getLogger("cantle_llm.partition")
_log.addHandler(logging.NullHandler())
_MOST_TOLD = 20
"""So many repairs of a session are in the audit log."""


class Modelled:
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
    ) -> None:
        self.source, self.options, self.client = source, options, client
        self.progress, self.caller, self.stop = progress, caller, stop
        self.model = model or client.model
        self.call: dict[str, Any] = {"model": model} if model else {}
        self.run: Run = client.run(snake(caller))
        self.given = options.language is not None
        self.seen = seen_text(source)
        self.language = options.language or self._guessed()
        lines = short_lines(source.text, lines_of(source, options.max_words_per_line), options.max_chars_per_chunk)
        self.lines = seen_lines(self.seen, lines)
        self.parts = sub_texts(source.text, self.lines, options.max_chars_per_chunk)
        self.windows = windows(self.parts, options.max_lines_per_session, options.overlap)
        self.log = begun(source, self.lines, f"model {clean(self.model)}")

    def _guessed(self) -> str | None:
        from cantle.words import language_of

        return language_of(self.seen[self.source.body :])

    def result(self) -> PartitionResult:
        """Ask, and assemble."""
        if len(self.parts) > 1:
            most = self.options.max_chars_per_chunk
            self.log.append(f"Text divided into {len(self.parts)} sub-texts of at most {most} characters")
        self.log.append(f"{len(self.windows)} session(s) with the model needed")
        with self._told() as (told, tick):
            asked = ask(
                self.seen,
                self.lines,
                self.windows,
                self.run,
                self.call,
                language=self.language,
                given=self.given,
                told=told,
                tick=tick,
                stop=self.stop,
            )
        failures = self._audit(asked)
        groups, missing = grouped(self.lines, self.windows, asked.readings, self.options.fallback_max_chars_per_block)
        return self._assembled(asked, groups, missing, failures)

    def estimate(self) -> Estimate:
        """What asking would be at most."""
        found = Estimating(self.client)
        for window in self.windows:
            messages = partitioning(self.seen, self.lines[window.first : window.end], self.language, self.given)
            found.add(messages, schema=SCHEMA, schema_name="partition", **self.call)
        return found.total

    @contextmanager
    def _told(self) -> Iterator[tuple[Callable[[int], object], Callable[[], object]]]:
        total, done = len(self.windows), 0
        if self.progress is True:
            from cantle.commands import Bar

            with Bar(total, "Sessions", "block") as bar:
                yield bar.advance, bar.tick
            return
        tell = self.progress if callable(self.progress) else None

        def told(blocks: int) -> None:
            nonlocal done
            done += 1
            if tell is not None:
                tell(done, total)

        yield told, getattr(tell, "tick", lambda: None)

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
        self.log.append(f"Coverage: {percent(total - len(missing), total)} ({total - len(missing)}/{total})")
        if missing and self.options.uncovered == "nearest":
            nearest(groups, missing, total)
            groups.sort(key=lambda group: group.lines[0])
            self.log.append(f"{len(missing)} line(s) that the model left out put into the nearest block")
        low = coverage < self.options.min_coverage
        reason = "coverage_below_threshold" if low else None
        if failures and len(failures) == len(self.windows):
            reason = "all_sessions_failed"
        if asked.stopped is not None:
            reason = asked.stopped.reason
        self.log.append("Partition finished" if reason is None else f"Partition failed: {reason}")
        text = self.source.text
        result = PartitionResult(
            source=self.source,
            success=reason is None,
            blocks=tuple(block_of(self.source, self.lines, group) for group in groups),
            coverage=coverage,
            total_lines=total,
            sessions_used=len(self.windows),
            failed_sessions=len(failures),
            replayed=self.run.replayed,
            reasoning="\n".join(reading.reasoning for reading in asked.readings if reading and reading.reasoning),
            audit_log=audited(self.log),
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
            namer=Namer(self.run, self.call, self.language, self.given),
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
            stopped=int(result.control.decision == "stop"),
        )
        said = []
        if result.failures:
            reasons = ", ".join(dict.fromkeys(failure.reason for failure in result.failures))
            all_failed = result.failed_sessions == result.sessions_used
            said.append(
                f"{result.failed_sessions} of {result.sessions_used} session(s) with the model failed ({reasons}): "
                + ("no session was answered, and all" if all_failed else "their")
                + " lines are in blocks without a label."
            )
        if low:
            covered = result.total_lines - result.missing_count
            rest = "put into the nearest blocks" if self.options.uncovered == "nearest" else "in no block"
            said.append(
                f"The model covered {covered:,} of {result.total_lines:,} lines "
                f"({percent(covered, result.total_lines)}), less than min_coverage "
                f"({100 * self.options.min_coverage:g}%): {result.missing_count:,} line(s) are {rest}."
            )
        if said and self.run.ledger.control.reasons:
            said[0] += f" {self.run.ledger.control.reasons[0].partition(': ')[2]}"
        name = f"{self.source.source}: " if self.source.source else ""
        for line in said:
            _log.warning("%s caller=%s model=%s", line, self.caller, self.model)
            warn(f"{name}{line}", ModelWarning)
