"""Warnings that hold what a server or a model wrote."""

from __future__ import annotations

from cantle.warn import warn as _warn

__all__ = ["warn"]


def warn(message: str, category: type[Warning]) -> None:
    """Warn at the line of the caller; characters that would command a terminal are U+FFFD."""
    from cantle.commands import printable

    _warn(printable(message), category)
