"""Annotations of fields, evaluated as far as they can be: names that are there for type checkers only stay unknown."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["Unknown", "evaluated", "namespace"]


class _Unknown(type):
    """Whatever is done with a name that cannot be resolved gives the same again."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __getitem__(cls, item: Any) -> Any:
        return cls


class Unknown(metaclass=_Unknown):
    """Stands for a type that cannot be resolved."""


class _Names(Mapping[str, Any]):
    """The names of a module, then Python's own; any other is `Unknown`."""

    def __init__(self, names: Mapping[str, Any]) -> None:
        self.names = names

    def __getitem__(self, name: str) -> Any:
        return self.names[name] if name in self.names else getattr(builtins, name, Unknown)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def namespace(owner: Any) -> Mapping[str, Any]:
    """The names that annotations of a class or function are written with: those of its module."""
    return vars(sys.modules[owner.__module__]) if getattr(owner, "__module__", None) in sys.modules else {}


def evaluated(annotation: Any, names: Mapping[str, Any]) -> Any:
    """The type that an annotation means, which may be text; `Unknown` stands for what it names and nobody knows."""
    if not isinstance(annotation, str):
        return annotation
    try:
        # What the author of an installed strategy wrote in its source, as `typing.get_type_hints` evaluates it.
        return eval(annotation, {"__builtins__": {}}, _Names(names))
    except Exception:  # an annotation may be any text
        return Unknown
