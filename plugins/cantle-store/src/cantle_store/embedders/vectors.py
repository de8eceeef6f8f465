"""What an embedder gave, checked: nothing that a database would keep wrongly gets further than this."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from cantle.errors import CantleError

from ..errors import DimensionError, EmbedderError
from .embedder import Embedder

__all__ = ["query_vector", "read_vector", "vectors_of"]

_LARGEST = 3.4028234e38  # of float32, in which vectors are kept
_LONGEST = 16_000
"""Numbers of a vector: as many as pgvector takes."""


def vectors_of(maker: Embedder, texts: Sequence[str]) -> list[list[float]]:
    """The vectors of texts, in order. Raises `EmbedderError` where the embedder fails or gives something else.

    They are as many as the texts, all of one length (`DimensionError`), of finite numbers.
    """
    if not texts:
        return []
    try:
        given = maker.embed(texts)
    except CantleError:
        raise
    except Exception as error:  # a stranger's function may raise anything
        raise EmbedderError(f"The embedder {maker.name!r} failed: {type(error).__name__}: {error}") from error
    return _checked(maker, given, len(texts))


def query_vector(maker: Embedder, query: str) -> list[float]:
    """The vector of a query: by `embed_query` where the embedder has it, else as of any text."""
    of_query = getattr(maker, "embed_query", None)
    if of_query is None:
        return vectors_of(maker, [query])[0]
    try:
        given = of_query(query)
    except CantleError:
        raise
    except Exception as error:
        raise EmbedderError(f"The embedder {maker.name!r} failed: {type(error).__name__}: {error}") from error
    return _checked(maker, [given], 1)[0]


def read_vector(vector: Any, what: str = "The vector") -> list[float]:
    """A vector as a list of floats. Raises `EmbedderError` for what is none.

    A vector of zeros is one: its cosine with any other counts as 0.
    """
    if hasattr(vector, "tolist"):
        vector = vector.tolist()
    if isinstance(vector, str | bytes) or not isinstance(vector, Sequence) or not 1 <= len(vector) <= _LONGEST:
        raise EmbedderError(f"{what} must be a list of 1 to {_LONGEST:,} numbers, got {_shown(vector)}.")
    try:
        # Texts that look like numbers are none, and a stranger's number may raise anything.
        numbers = [float(number if not isinstance(number, str | bytes) else "") for number in vector]
    except Exception:
        raise EmbedderError(f"{what} must be a list of numbers, got {_shown(vector)}.") from None
    for place, number in enumerate(numbers):
        if not -_LARGEST <= number <= _LARGEST:
            raise EmbedderError(f"{what} has {number} at position {place}. Numbers must be finite, within float32.")
    return numbers


def _checked(maker: Embedder, given: Any, count: int) -> list[list[float]]:
    if hasattr(given, "tolist"):
        given = given.tolist()
    try:
        rows = list(given)
    except CantleError:
        raise
    except Exception as error:
        if isinstance(given, Iterator):  # it works while it is read
            raise EmbedderError(f"The embedder {maker.name!r} failed: {type(error).__name__}: {error}") from error
        raise EmbedderError(
            f"The embedder {maker.name!r} must give a list of vectors, got {type(given).__name__}."
        ) from None
    if len(rows) != count:
        raise EmbedderError(f"The embedder {maker.name!r} gave {len(rows)} vectors for {count} texts.")
    found = [read_vector(row, f"Vector {n} of the embedder {maker.name!r}") for n, row in enumerate(rows)]
    size = getattr(maker, "dimension", None) or len(found[0])
    for number, vector in enumerate(found):
        if len(vector) != size:
            raise DimensionError(
                f"Vector {number} of the embedder {maker.name!r} has {len(vector)} numbers, it should have {size}."
            )
    return found


def _shown(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:80]}..."
