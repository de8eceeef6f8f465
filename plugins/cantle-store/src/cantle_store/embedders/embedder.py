"""What an embedder is, and what a value stands for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..errors import EmbedderError

__all__ = ["NAMES", "Embedder", "embedder"]

NAMES = ("openai:MODEL", "e5", "wordllama")
"""The names that `embedder` takes."""


class Embedder(Protocol):
    """Makes one vector for each text. `name` tells embedders apart: vectors of two cannot be compared.

    It may have `embed_query(text)`, for models that read a question in another way than a passage, and `dimension`,
    the length of its vectors.
    """

    @property
    def name(self) -> str:
        """What tells it apart: the model, and all that its vectors depend on."""
        ...

    def embed(self, texts: Sequence[str]) -> Any:
        """One vector of floats for each text, in order; a numpy array is fine."""
        ...


class _Called:
    """A function as an embedder."""

    def __init__(self, function: Callable[[list[str]], Any]) -> None:
        self.name = getattr(function, "__qualname__", type(function).__qualname__)
        self._function = function

    def embed(self, texts: Sequence[str]) -> Any:
        return self._function(list(texts))


def embedder(value: Any, **options: Any) -> Embedder:
    """The embedder that a value stands for: a function from a list of texts to their vectors, an object, or a name.

    An object has `embed(texts)` and a `name`. Names, with their options:

    - `"openai:MODEL"`: an OpenAI-compatible endpoint for embeddings. Options: `base_url`, `api_key`, `dimensions`,
      `batch_size`, `timeout` in seconds, `retries`. See `cantle_store.OpenAIEmbedder`.
    - `"e5"`: multilingual-e5-small, offline, with the extra `e5`.
    - `"wordllama"`: static vectors for English, offline and fast, with the extra `wordllama`.

    Raises `EmbedderError` for another value, `OptionError` for a wrong option.
    """
    if isinstance(value, str):
        return _named(value, options)
    if options:
        raise EmbedderError(f"Only an embedder that is given by name takes options, got {sorted(options)[0]!r}.")
    if callable(getattr(value, "embed", None)):
        name = getattr(value, "name", None)
        if isinstance(name, str) and name:
            return value  # type: ignore[no-any-return]
        raise EmbedderError(
            f"The embedder {type(value).__name__} has no name. Give it one (`name = 'my-model'`): it tells which "
            "vectors can be compared."
        )
    if callable(value):
        return _Called(value)
    raise EmbedderError(
        "An embedder is a function from a list of texts to their vectors, an object with embed() and a name, or one of "
        f"{', '.join(NAMES)}; got {value!r}."
    )


def _named(name: str, options: dict[str, Any]) -> Embedder:
    kind, _, model = name.partition(":")
    if kind == "openai" and model:
        from .openai import OpenAIEmbedder

        return OpenAIEmbedder(model, **options)
    if options:
        raise EmbedderError(f"The embedder {name!r} takes no options, got {sorted(options)[0]!r}.")
    if name in ("e5", "e5:multilingual-e5-small"):
        from .e5 import E5Embedder

        return E5Embedder()
    if name in ("wordllama", "wordllama:l2_supercat_256"):
        from .wordllama import WordllamaEmbedder

        return WordllamaEmbedder()
    raise EmbedderError(f"There is no embedder {name!r}. Known: {', '.join(NAMES)}.")
