"""Warnings that point at the line of the caller, however deep inside of cantle they come up."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn"]

_OURS = ("cantle.", "cantle_llm.", "importlib", "contextlib", "functools", "asyncio", "concurrent.", "threading")


def warn(message: str, category: type[Warning]) -> None:
    """Warn, with the nearest caller that is no part of cantle or of this plugin as the place.

    What a server or a model wrote may be in it: characters that would command a terminal are U+FFFD.
    """
    from cantle.commands import printable

    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(str(frame.f_globals.get("__name__", ""))):
        frame, level = frame.f_back, level + 1
    warnings.warn(printable(message), category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module in ("cantle", "cantle_llm") or module.startswith(_OURS)
