"""The errors that Haystack expects as a kind of its own."""

from __future__ import annotations

from cantle.errors import CantleError

__all__ = ["WrongTypeError"]


class WrongTypeError(CantleError, TypeError):
    """A component was handed something else than what its socket takes."""
