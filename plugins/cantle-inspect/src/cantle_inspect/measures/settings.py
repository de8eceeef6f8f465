"""The settings that made chunks: the strategy and its options in force."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = [
    "Setting",
    "changed",
    "fields",
    "in_force",
    "literal",
    "strategy_name",
    "title",
    "worded_options",
]


class Setting(NamedTuple):
    """An option in force, and whether its value is another than the default."""

    name: str
    value: Any
    given: bool


def fields(strategy: Any) -> frozenset[str]:
    """The options that a strategy, a class or an instance, takes and uses; none when it does not tell them."""
    if not dataclasses.is_dataclass(strategy):
        return frozenset()
    unused = getattr(strategy, "unused", ())
    return frozenset(f.name for f in dataclasses.fields(strategy) if f.init and f.name not in unused)


def in_force(strategy: Any) -> list[Setting]:
    """All options that a strategy uses, those with another value than their default first."""
    if not dataclasses.is_dataclass(strategy) or isinstance(strategy, type):
        return []
    unused = getattr(strategy, "unused", ())
    found = []
    for f in dataclasses.fields(strategy):
        if f.init and f.name not in unused:
            value = getattr(strategy, f.name)
            found.append(Setting(f.name, value, not _is_default(f, value)))
    return sorted(found, key=lambda setting: not setting.given)


def changed(strategy: Any) -> dict[str, Any]:
    """The options that have another value than their default, but for `explain`: name -> value."""
    return {s.name: s.value for s in in_force(strategy) if s.given and s.name != "explain"}


def worded_options(values: Mapping[str, Any]) -> list[str]:
    """Options as they are written in Python: `max_size=400`."""
    return [f"{name}={literal(value)}" for name, value in values.items()]


def title(strategy: Any) -> str:
    """A strategy with the options that were given, in words: `recursive, max_size=400`."""
    return ", ".join([strategy_name(strategy), *worded_options(changed(strategy))])


def _is_default(f: dataclasses.Field[Any], value: Any) -> bool:
    try:
        if f.default is not dataclasses.MISSING:
            return bool(type(value) is type(f.default) and value == f.default)
        return f.default_factory is not dataclasses.MISSING and bool(value == f.default_factory())
    except Exception:  # a value that cannot be compared, as an array of numpy
        return False


def literal(value: Any) -> str:
    """An option's value as Python writes it; of objects and functions the name, which is the same in every run."""
    if value is None or isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, list | tuple):
        inside = ", ".join(map(literal, value))
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, set | frozenset):
        return "{" + ", ".join(sorted(map(literal, value))) + "}"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    owner = value if hasattr(value, "__qualname__") else type(value)
    return f"{owner.__module__}.{owner.__qualname__}"


def strategy_name(strategy: Any) -> str:
    """The name of a strategy; that of its class when it has none."""
    return str(getattr(strategy, "name", type(strategy).__name__))
