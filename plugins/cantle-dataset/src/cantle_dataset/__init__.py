"""Whole datasets cut by cantle: Arrow in, Arrow out, on one machine, on Ray Data or on Spark."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES: dict[str, str] = {}

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a plugin that is not used costs nothing."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, imported or not."""
    return sorted({*globals(), *__all__})
