"""`json_schema`: the options of a strategy as they may be given in JSON."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import MISSING, fields, is_dataclass
from types import UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin

from ..errors import OptionError
from ..lengths import LengthLike
from ..lengths import names as length_names
from ..plugins import Registry, host_of
from ..strategy import describe
from .annotations import evaluated, namespace
from .forms import Form, bounded, form_of, plain, with_choices, with_null, without_null

__all__ = ["json_schema"]

_BOUNDS = {"least": "minimum", "above": "exclusiveMinimum", "most": "maximum"}


class _Field(NamedTuple):
    """An option: its type with the names that it is written with, its default (MISSING: none), its metadata."""

    name: str
    kind: Any
    names: Mapping[str, Any]
    default: Any
    said: Mapping[str, Any]


def json_schema(strategy: str | type[Any], *, registry: Registry | None = None) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a strategy's options as they may be given in JSON.

    `strategy` is a name, looked up in `registry` (None: the installed plugins), or a class; any strategy will do, those
    of plugins too: types, defaults, units and choices come from its fields. Arrays stand for lists, tuples and sets.

    Besides the usual keywords there are: `x-unit` of a number; `x-unused` of an option that is accepted without effect;
    `x-aliases` of an option, its name in camelCase, which is taken from JSON too; and, of the schema itself,
    `x-python-only`: options that JSON cannot carry, such as objects. What can be one of several types lists those that
    JSON has. Raises `UnknownStrategyError` for a name that is not known and `OptionError` for what is no strategy.
    """
    if not isinstance(strategy, str | type):
        raise OptionError(f"strategy must be the name of a strategy or a class, got {strategy!r}.")
    host = host_of(registry)
    cls = host.strategy(strategy) if isinstance(strategy, str) else strategy
    unused = getattr(cls, "unused", ())
    properties: dict[str, Form] = {}
    required, python_only = [], []
    found, is_open = _fields(cls)
    for field in found:
        if field.default is MISSING:
            required.append(field.name)
        form = _form(field)
        if form is None:
            python_only.append(field.name)
        else:
            properties[field.name] = {**form, **dict(_said(field))}
            if _is_length(field.kind):
                with host.in_use():
                    properties[field.name]["examples"] = length_names()
            if field.name in unused:
                properties[field.name]["x-unused"] = True
    schema: dict[str, Any] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": getattr(cls, "name", cls.__name__),
        "description": _description(cls),
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": is_open,
        "x-python-only": python_only,
    }
    optional = ("description", "required", "x-python-only")
    return {key: value for key, value in schema.items() if value or key not in optional}


def _form(field: _Field) -> Form | None:
    form = form_of(_by_name(field.kind) if _is_length(field.kind) else field.kind, field.names)
    if form is None or (form == {"type": "null"} and field.kind not in (None, type(None))):
        return None  # what is an object or None cannot be given in JSON
    if not field.said.get("none", True):
        form = without_null(form)
    if field.default is None:
        form = with_null(form)
    form = with_choices(form, field.said.get("choices", ()))
    return bounded(form, {key: field.said[name] for name, key in _BOUNDS.items() if field.said.get(name) is not None})


def _said(field: _Field) -> Iterator[tuple[str, Any]]:
    """What is said about an option beside its type."""
    if doc := field.said.get("doc"):
        yield "description", doc
    if field.default is not MISSING:
        with suppress(ValueError):  # a default that JSON cannot carry is had by leaving the option out
            yield "default", plain(field.default)
    if unit := field.said.get("unit"):
        yield "x-unit", unit
    if (camel := re.sub(r"(?<=[a-z0-9])_([a-z])", lambda m: m[1].upper(), field.name)) != field.name:
        yield "x-aliases", [camel]


_LENGTHS = get_args(LengthLike)


def _is_length(kind: Any) -> bool:
    """Whether a type is that of length functions, or has it among others."""
    found = get_args(kind)
    return get_origin(kind) in (Union, UnionType) and all(any(one is each for each in found) for one in _LENGTHS)


def _by_name(kind: Any) -> Any:
    """A type of length functions without those that are objects: JSON has their names."""
    kept = tuple(each for each in get_args(kind) if each is str or not any(each is one for one in _LENGTHS))
    return Union[kept]  # noqa: UP007  # made of a tuple


def _description(cls: type[Any]) -> str:
    doc = inspect.getdoc(cls) or ""
    return "" if doc.startswith(f"{cls.__name__}(") else doc  # what a dataclass without one gets


def _fields(cls: type[Any]) -> tuple[list[_Field], bool]:
    """The options of a class, its own before the shared ones; and whether it takes any others."""
    if not is_dataclass(cls):
        return _parameters(cls)
    by_name = {field.name: field for field in fields(cls)}
    found = []
    for option in describe(cls):
        field = by_name[option.name]
        default = field.default if field.default_factory is MISSING else field.default_factory()
        owner = next((base for base in cls.__mro__ if field.name in vars(base).get("__annotations__", {})), cls)
        names = namespace(owner)
        found.append(_Field(field.name, evaluated(field.type, names), names, default, field.metadata))
    return found, False


def _parameters(cls: type[Any]) -> tuple[list[_Field], bool]:
    try:
        parameters = list(inspect.signature(cls).parameters.values())
    except (TypeError, ValueError):  # written in C
        return [], True
    names = namespace(cls.__init__ if "__init__" in vars(cls) else cls)
    found = []
    for one in parameters:
        if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY):
            kind = Any if one.annotation is one.empty else evaluated(one.annotation, names)
            found.append(_Field(one.name, kind, names, MISSING if one.default is one.empty else one.default, {}))
    return found, any(one.kind is one.VAR_KEYWORD for one in parameters)
