"""From types to the JSON that may be given for them, as JSON Schema (draft 2020-12)."""

from __future__ import annotations

import enum
import math
import types
import typing
from collections import abc
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from .annotations import evaluated

__all__ = ["Form", "bounded", "form_of", "plain", "with_choices", "with_null", "without_null"]

Form = dict[str, Any]

MAX_DEPTH = 16
"""Types nested more deeply take anything from there, and so does a type inside of itself."""

_SCALARS: dict[Any, str] = {
    type(None): "null",
    None: "null",
    bool: "boolean",
    int: "integer",
    Integral: "integer",
    float: "number",
    Real: "number",
    str: "string",
}
_LISTS = (
    *(list, set, frozenset, tuple),
    *(abc.Sequence, abc.MutableSequence, abc.Set, abc.MutableSet, abc.Collection, abc.Iterable, abc.Container),
)
_OBJECTS = (dict, abc.Mapping, abc.MutableMapping)
_WRAPPERS = (typing.ClassVar, typing.Final, typing.Required, typing.NotRequired)


def form_of(kind: Any, names: Mapping[str, Any], within: tuple[Any, ...] = ()) -> Form | None:
    """What may be given in JSON for a type; None where nothing can: functions, objects, what is not known.

    `names` resolve the types that are named in quotes; `within` are the types around it. Of a union what JSON cannot
    carry is left out.
    """
    named = kind.__forward_arg__ if isinstance(kind, typing.ForwardRef) else kind
    if len(within) > MAX_DEPTH or kind is Any or kind is object or _is_one_of(named, within):
        return {}
    within = (*within, named)
    if isinstance(named, str):
        return form_of(evaluated(named, names), names, within)
    if _is_one_of(kind, _SCALARS):
        return {"type": _SCALARS[kind]}
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _enum(arguments)
    if origin in (Union, types.UnionType):
        return _any_of(form_of(each, names, within) for each in arguments)
    if origin is typing.Annotated or origin in _WRAPPERS:
        return form_of(arguments[0], names, within)
    target = _stands_for(kind)
    if target is not None:
        return form_of(target, names, within)
    if typing.is_typeddict(kind):
        return _typed_dict(kind, names, within)
    container = origin or kind
    if _is_one_of(container, _LISTS):
        return _array(container, arguments, names, within)
    if _is_one_of(container, _OBJECTS):
        return _object(arguments, names, within)
    if isinstance(kind, type) and issubclass(kind, enum.Enum) and issubclass(kind, str | int):
        return _enum([member.value for member in kind])  # members equal their values
    return None


def _is_one_of(kind: Any, known: Iterable[Any]) -> bool:
    """Whether a type is one of these. An annotation need not be hashable, nor a name the same object twice."""
    return any(kind is one or (isinstance(kind, str) and isinstance(one, str) and kind == one) for one in known)


def _stands_for(kind: Any) -> Any:
    """What a NewType, a `type` statement or a type variable stands for; None for anything else."""
    if isinstance(kind, typing.NewType):
        return kind.__supertype__
    if isinstance(kind, TypeVar):
        return Union[kind.__constraints__] if kind.__constraints__ else kind.__bound__ or Any  # noqa: UP007
    return getattr(kind, "__value__", None) if type(kind).__name__ == "TypeAliasType" else None


def _enum(values: Iterable[Any]) -> Form | None:
    good = [value for value in values if value is None or isinstance(value, bool | int | str)]
    return {"enum": list(good)} if good else None


def _array(container: Any, arguments: Sequence[Any], names: Mapping[str, Any], within: tuple[Any, ...]) -> Form | None:
    if container is tuple and arguments and arguments[-1] is not Ellipsis:
        items = [form_of(each, names, within) for each in arguments]
        if None in items:
            return None
        return {"type": "array", "prefixItems": items, "minItems": len(items), "maxItems": len(items)}
    if not arguments:
        return {"type": "array"}
    inner = form_of(arguments[0], names, within)
    if inner is None:
        return None
    return {"type": "array", "items": inner} if inner else {"type": "array"}


def _object(arguments: Sequence[Any], names: Mapping[str, Any], within: tuple[Any, ...]) -> Form | None:
    if not arguments:
        return {"type": "object"}
    key, value = (form_of(each, names, within) for each in arguments)
    if key is None or value is None:
        return None
    if key not in ({}, {"type": "string"}) and not all(isinstance(one, str) for one in key.get("enum", [None])):
        return None  # keys are text in JSON
    found: Form = {"type": "object"}
    if "enum" in key:
        found["propertyNames"] = key
    return {**found, "additionalProperties": value} if value else found


def _typed_dict(kind: Any, names: Mapping[str, Any], within: tuple[Any, ...]) -> Form | None:
    found = {
        name: form_of(evaluated(each, names), names, within)
        for base in reversed(kind.__mro__ if isinstance(kind, type) else ())
        for name, each in vars(base).get("__annotations__", {}).items()
    }
    if any(form is None and name in kind.__required_keys__ for name, form in found.items()):
        return None
    form: Form = {
        "type": "object",
        "properties": {name: each for name, each in found.items() if each is not None},
        "additionalProperties": False,
    }
    return {**form, "required": sorted(kind.__required_keys__)} if kind.__required_keys__ else form


# -- unions -----------------------------------------------------------------------------------------


def _parts(form: Form) -> list[Form]:
    return list(form["anyOf"]) if set(form) == {"anyOf"} else [form]


def _any_of(forms: Iterable[Form | None]) -> Form | None:
    """One form for all that JSON can carry: no part twice, and one list of values where they are all listed."""
    parts: list[Form] = []
    for form in forms:
        for part in _parts(form) if form is not None else ():
            if not part:
                return {}
            if part not in parts:
                parts.append(part)
    if {"type": "number"} in parts and {"type": "integer"} in parts:
        parts.remove({"type": "integer"})
    listed = [part["enum"] for part in parts if set(part) == {"enum"}]
    if listed:
        null = {"type": "null"} in parts
        if len(parts) == len(listed) + null:
            return {"enum": [*(value for values in listed for value in values), *([None] if null else [])]}
    if len(parts) > 1:
        return {"anyOf": parts}
    return parts[0] if parts else None


def with_null(form: Form) -> Form:
    """The form, with null beside it."""
    if form in ({}, {"type": "null"}) or None in form.get("enum", ()) or {"type": "null"} in _parts(form):
        return form
    return _any_of([form, {"type": "null"}]) or {}


def without_null(form: Form) -> Form:
    """The form, without null beside others."""
    return _any_of(part for part in _parts(form) if part != {"type": "null"}) or form


def with_choices(form: Form, choices: Sequence[Any]) -> Form:
    """The form, with the choices in place of any value of their kinds."""
    kinds = {_SCALARS[type(choice)] for choice in choices if _is_one_of(type(choice), _SCALARS)}
    listed = _enum(choices)
    if listed is None:
        return form
    kept = [part for part in _parts(form) if part and part.get("type") not in kinds]
    return _any_of([listed, *kept]) or form


def bounded(form: Form, bounds: Mapping[str, float]) -> Form:
    """The form, with the bounds on every number in it."""
    if not bounds:
        return form
    found = dict(form)
    if form.get("type") in ("number", "integer"):
        found |= bounds
    for key in ("anyOf", "prefixItems"):
        if key in form:
            found[key] = [bounded(part, bounds) for part in form[key]]
    if isinstance(form.get("items"), dict):
        found["items"] = bounded(form["items"], bounds)
    return found


# -- values -----------------------------------------------------------------------------------------


def plain(value: Any, depth: int = 0) -> Any:
    """A default as JSON has it. Raises `ValueError` for what JSON cannot carry."""
    if depth > MAX_DEPTH:
        raise ValueError
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real) and math.isfinite(value):
        return float(value)
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item, depth + 1) for item in value), key=repr)
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(item, depth + 1) for key, item in value.items()}
    raise ValueError
