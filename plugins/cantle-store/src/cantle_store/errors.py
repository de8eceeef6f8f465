"""What can go wrong with a store. All derive from `cantle.errors.CantleError`."""

from __future__ import annotations

from cantle.errors import CantleError

__all__ = [
    "ClosedError",
    "DimensionError",
    "EmbedderError",
    "FatalEmbedderError",
    "NoEmbedderError",
    "NoTablesError",
    "NotFoundError",
    "OtherEmbedderError",
    "SchemaError",
    "StoreError",
    "UnavailableError",
]


class StoreError(CantleError):
    """A store cannot do what was asked."""


class ClosedError(StoreError):
    """The store was closed."""


class NotFoundError(StoreError):
    """The host has no such avatar, dataset or document."""


class DimensionError(StoreError):
    """A vector has another length than those that the dataset holds."""

    is_fatal = True


class EmbedderError(StoreError):
    """An embedder failed, or gave something that is no list of vectors."""

    is_fatal = False
    """Whether it would fail for any other text too."""


class FatalEmbedderError(EmbedderError):
    """An embedder cannot be asked at all: nobody answers at its address, the key is refused, the model is unknown."""

    is_fatal = True


class NoEmbedderError(EmbedderError):
    """Vectors are needed, and nothing was given that makes them."""

    is_fatal = True


class OtherEmbedderError(EmbedderError):
    """The vectors that are kept are of another embedder, or of several: they cannot be compared."""

    is_fatal = True


class SchemaError(StoreError):
    """The database was made by a newer version, or is no store."""


class NoTablesError(SchemaError):
    """The database has no tables of a store, or older ones, and they were not to be made."""


class UnavailableError(StoreError):
    """The database cannot be reached, or cannot write: no server, a lock, a full disk. Another try may succeed."""
