"""What can go wrong with a dataset as a whole; errors of single documents are those of cantle."""

from __future__ import annotations

from cantle.errors import CantleError

__all__ = ["BatchTooLargeError", "DatasetError"]


class DatasetError(CantleError):
    """A dataset cannot be read or written: a file that is none, a column that is missing, a place that is taken."""


class BatchTooLargeError(DatasetError):
    """The chunks of one batch hold more text than one Arrow column of strings can: 2 GiB."""
