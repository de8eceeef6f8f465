"""What can go wrong with a store. All derive from `cantle.errors.CantleError`."""

from __future__ import annotations

from cantle.errors import CantleError

__all__ = ["DimensionError", "EmbedderError", "NotFoundError", "SchemaError", "StoreError"]


class StoreError(CantleError):
    """A store cannot do what was asked."""


class NotFoundError(StoreError):
    """The host has no such avatar, dataset or document."""


class DimensionError(StoreError):
    """A vector has another length than those that the dataset holds."""


class EmbedderError(StoreError):
    """An embedder failed, or gave something that is no list of vectors."""


class SchemaError(StoreError):
    """The database was made by a newer version, or is no store."""
