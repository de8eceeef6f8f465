"""What the fields of one call of `chunk()` or `extract()` know of each other."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any
from weakref import ref

from cantle import Chunks

from ..errors import ModelError

__all__ = ["Together", "begin", "together_of"]

_OF_A_MODEL = ("unauthorized", "not_found")
"""Fatal errors that another model of the same client may not have."""


class Together:
    """Whether anything was paid for, and what ended the run of a client."""

    def __init__(self) -> None:
        self.has_paid = False
        """An error would lose what was paid for."""
        self.chunks: ref[Chunks] | None = None
        """Whose fields they are, once one is extracted."""
        self._fatal: dict[tuple[int, str | None, bool], ModelError] = {}

    def note(self, client: Any, model: str | None, error: ModelError | None) -> None:
        """Keep the error, if no call survives it."""
        if error is not None and error.is_fatal:
            one = error.reason in _OF_A_MODEL
            self._fatal.setdefault((id(client), model if one else None, one), error)

    def fatal(self, client: Any, model: str | None) -> ModelError | None:
        """The error that every call of this model would have."""
        return self._fatal.get((id(client), None, False)) or self._fatal.get((id(client), model, True))


_current: ContextVar[Together | None] = ContextVar("cantle_llm_together", default=None)


def begin() -> None:
    """Another call begins: options are checked, all of them before the first field is extracted."""
    _current.set(Together())


def together_of(chunks: Chunks) -> Together:
    """That of the call which extracts fields of these chunks."""
    current = _current.get()
    if current is None or (current.chunks is not None and current.chunks() is not chunks):
        current = Together()
        _current.set(current)
    current.chunks = ref(chunks)
    return current
