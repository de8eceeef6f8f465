"""Warnings that point at the line of the caller, however deep inside of cantle they come up."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn"]

_OURS = ("cantle.", "cantle_files.", "importlib", "contextlib", "functools")


def warn(message: str, category: type[Warning]) -> None:
    """Warn, with the nearest caller that is no part of cantle or of this plugin as the place."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_ours(str(frame.f_globals.get("__name__", ""))):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module in ("cantle", "cantle_files") or module.startswith(_OURS)
