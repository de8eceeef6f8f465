"""The settings that made chunks: the strategy and its options in force."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = [
    "Setting",
    "asked",
    "changed",
    "fields",
    "in_force",
    "literal",
    "plain",
    "strategy_name",
    "title",
    "unused",
    "worded_options",
]


class Setting(NamedTuple):
    """An option in force, and whether its value is another than the default."""

    name: str
    value: Any
    given: bool


def asked(thing: Any, name: str) -> Any:
    """An attribute of a stranger; None when it has none, or fails to say."""
    try:
        return getattr(thing, name, None)
    except Exception:
        return None


def unused(strategy: Any) -> frozenset[str]:
    """The shared options that a strategy takes and does not use."""
    found = asked(strategy, "unused")
    return (
        frozenset(name for name in found if isinstance(name, str)) if isinstance(found, list | tuple) else frozenset()
    )


def fields(strategy: Any) -> frozenset[str]:
    """The options that a strategy, a class or an instance, takes and uses; none when it does not tell them."""
    if not dataclasses.is_dataclass(strategy):
        return frozenset()
    left_out = unused(strategy)
    return frozenset(f.name for f in dataclasses.fields(strategy) if f.init and f.name not in left_out)


def in_force(strategy: Any) -> list[Setting]:
    """All options that a strategy uses, those with another value than their default first."""
    if not dataclasses.is_dataclass(strategy) or isinstance(strategy, type):
        return []
    left_out = unused(strategy)
    found = []
    for f in dataclasses.fields(strategy):
        if f.init and f.name not in left_out:
            value = asked(strategy, f.name)
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


_DEEPEST = 50


def literal(value: Any, above: tuple[int, ...] = ()) -> str:
    """An option's value as Python writes it; of objects and functions the name, which is the same in every run.

    `...` stands for what is in itself, or 50 levels deep. `above` are the structures that the value is in.
    """
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    if id(value) in above or len(above) == _DEEPEST:
        return "..."
    inside = (*above, id(value))
    try:
        if isinstance(value, list | tuple):
            items = ", ".join(literal(item, inside) for item in value)
            return f"[{items}]" if isinstance(value, list) else f"({items}{',' if len(value) == 1 else ''})"
        if isinstance(value, set | frozenset):
            return "{" + ", ".join(sorted(literal(item, inside) for item in value)) + "}"
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{literal(k, inside)}: {literal(v, inside)}" for k, v in value.items()) + "}"
        if isinstance(value, bool | int | float | str):
            return repr(value)
    except Exception:  # of a stranger: its name has to do
        pass
    owner = value if isinstance(asked(value, "__qualname__"), str) else type(value)
    module = asked(owner, "__module__")
    return f"{module}.{owner.__qualname__}" if isinstance(module, str) else str(owner.__qualname__)


def plain(value: Any, above: tuple[int, ...] = ()) -> Any:
    """An option's value for JSON; of objects and functions the name, and `...` as in `literal`."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if id(value) in above or len(above) == _DEEPEST:
        return "..."
    inside = (*above, id(value))
    if isinstance(value, list | tuple):
        return [plain(item, inside) for item in value]
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else literal(key): plain(item, inside) for key, item in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(item if isinstance(item, str) else literal(item) for item in value)
    return value if isinstance(value, bool | int | float | str) else literal(value)


def strategy_name(strategy: Any) -> str:
    """The name of a strategy; that of its class when it has none."""
    name = asked(strategy, "name")
    return name if isinstance(name, str) and name else type(strategy).__name__
