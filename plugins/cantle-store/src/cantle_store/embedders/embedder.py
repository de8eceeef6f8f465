"""Embedders: any callable, or an object with `embed`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..errors import EmbedderError

__all__ = ["Embedder", "embedder"]


class Embedder(Protocol):
    """Makes one vector for each text. `name` tells embedders apart: vectors of two cannot be compared."""

    name: str

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector of floats for each text, in order."""


class _Called:
    def __init__(self, function: Callable[[list[str]], Any]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self._function = function

    def embed(self, texts: Sequence[str]) -> Any:
        return self._function(list(texts))


def embedder(value: Any) -> Embedder:
    """The embedder that a value stands for. Raises `EmbedderError` for another value."""
    if hasattr(value, "embed") and isinstance(getattr(value, "name", None), str):
        return value  # type: ignore[no-any-return]
    if callable(value):
        return _Called(value)
    raise EmbedderError(
        f"An embedder is a function from texts to vectors or an object with embed() and a name, got {value!r}."
    )
