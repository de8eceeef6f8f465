"""What the fields of one call of `chunk()` know of each other."""

from __future__ import annotations

from typing import Any
from weakref import ref

from cantle import Chunks

from ..errors import ModelError

__all__ = ["Together", "together_of"]

_OF_A_MODEL = ("unauthorized", "not_found")
"""Fatal errors that another model of the same client may not have."""


class Together:
    """Whether anything was paid for, and what ended the run of a client."""

    def __init__(self) -> None:
        self.has_paid = False
        """An error would lose what was paid for."""
        self._fatal: dict[tuple[int, str | None, bool], ModelError] = {}

    def note(self, client: Any, model: str | None, error: ModelError | None) -> None:
        """Keep the error, if no call survives it."""
        if error is not None and error.is_fatal:
            one = error.reason in _OF_A_MODEL
            self._fatal.setdefault((id(client), model if one else None, one), error)

    def fatal(self, client: Any, model: str | None) -> ModelError | None:
        """The error that every call of this model would have."""
        return self._fatal.get((id(client), None, False)) or self._fatal.get((id(client), model, True))


_held: dict[int, tuple[ref[Chunks], Together]] = {}


def together_of(chunks: Chunks) -> Together:
    """That of these chunks, as long as they live."""
    key = id(chunks)
    held = _held.get(key)
    if held is not None and held[0]() is chunks:
        return held[1]

    def forget(gone: ref[Chunks]) -> None:
        if _held.get(key, (None,))[0] is gone:
            del _held[key]

    made = Together()
    _held[key] = (ref(chunks, forget), made)
    return made
