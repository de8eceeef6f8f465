"""Warnings that point at the line of the caller, however deep inside of cantle they come up."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn"]

_BETWEEN = (
    *("cantle_", "haystack.core.", "pydantic."),
    *("importlib", "contextlib", "functools", "asyncio", "concurrent.", "threading"),
)
"""How the modules begin whose frames may stand between ours and the caller's: those of plugins and adapters too."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn, with the nearest caller as the place that is part neither of cantle nor of a package named `cantle_...`."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(str(frame.f_globals.get("__name__", ""))):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "cantle" or module.startswith(_BETWEEN)
