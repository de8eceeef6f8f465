"""Warnings that point at the line of the caller, however deep inside of cantle they come up."""

from __future__ import annotations

import sys
import warnings
from types import FrameType

__all__ = ["warn"]

_BETWEEN = (
    *("cantle_", "haystack.core.", "pydantic."),
    *("importlib", "contextlib", "functools", "asyncio", "concurrent.", "threading"),
)
"""How the modules begin whose frames may stand between ours and the caller's: those of plugins and adapters too."""


def warn(message: str, category: type[Warning]) -> None:
    """Warn, with the nearest caller as the place that is part neither of cantle nor of a package named `cantle_...`.

    In a thread of a plugin there is none: there it is the outermost frame of such a package, by which it can filter.
    """
    frame: FrameType | None = sys._getframe(1)
    level = outermost = 2
    while frame is not None and _is_ours(name := str(frame.f_globals.get("__name__", ""))):
        if name.startswith("cantle"):
            outermost = level
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=outermost if frame is None else level)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == "cantle" or module.startswith(_BETWEEN)
