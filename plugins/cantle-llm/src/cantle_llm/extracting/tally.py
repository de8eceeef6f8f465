"""What came of the calls for one field, and how it is told."""

from __future__ import annotations

from collections.abc import Collection

from cantle import Chunks
from cantle.commands import counted
from cantle.errors import ExtractionError

from ..errors import ModelError, ModelWarning
from ..warn import warn
from .together import Together

__all__ = ["Tally"]

_NAMED = 20
"""Of more failures only the first are told one by one."""


class Tally:
    """Answers and failures of one field. `kept` says that answers are in a file."""

    def __init__(self, field: str, chunks: Chunks, together: Together, kept: bool) -> None:
        self._field, self._chunks, self._together, self._kept = field, chunks, together, kept
        self._answered = 0
        self._failures: list[tuple[int, str, ModelError]] = []

    def answer(self) -> None:
        """Count an answer."""
        self._answered += 1

    def fail(self, number: int, what: str, error: ModelError) -> None:
        """Note that a call for a chunk failed; `what` is what it was to give."""
        self._failures.append((number, what, error))

    def report(self, lost: Collection[int] | None = None) -> None:
        """Tell of failures. `lost` are the numbers of the chunks without a result where those are others.

        A warning for each chunk, and one that sums up. Where nothing of these chunks was paid for, nothing is lost by
        an error: `ExtractionError`.
        """
        if self._answered:
            self._together.has_paid = True
        if not self._failures:
            return
        fatal = next((error for *_, error in self._failures if error.is_fatal), None)
        if not self._together.has_paid:
            raise ExtractionError(self._nothing(fatal)) from self._failures[0][2]
        told = [failure for failure in self._failures if not failure[2].is_fatal]
        for number, what, error in told[:_NAMED]:
            warn(f"extract[{self._field!r}]: no {what} for chunk {self._chunks[number].id}: {error}", ModelWarning)
        count = len({number for number, *_ in self._failures} if lost is None else set(lost))
        if fatal is not None or len(told) > 1:
            warn(self._sum(count, fatal), ModelWarning)

    def _nothing(self, fatal: ModelError | None) -> str:
        error = fatal or self._failures[0][2]
        calls = len(self._failures)
        how = (
            ""
            if fatal is not None
            else "the only call failed: "
            if calls == 1
            else f"all {calls} calls failed, first: "
        )
        return f"extract[{self._field!r}]: nothing could be extracted: {how}{error}"

    def _sum(self, count: int, fatal: ModelError | None) -> str:
        why = "" if fatal is None else f" The run was stopped: {fatal}"
        calls = counted(len(self._failures), "call")
        what = f"{count} of {counted(len(self._chunks), 'chunk')} got nothing." if count else f"{calls} gave nothing."
        if not self._kept:
            how = (
                "With a file of answers (CANTLE_LLM_ANSWERS, or Client(answers=...)) another run asks for these alone."
            )
        elif any(error.may_pass or error.reason == "budget" for *_, error in self._failures):
            how = "Extract again: only what is not on file is asked for."
        else:
            how = "What was paid for is on file."
        return f"extract[{self._field!r}]: {what}{why} {how}"
