"""JSON out of what a model wrote, checked against the schema that was asked for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from itertools import islice
from typing import Any

from cantle.errors import OptionError

from ..errors import AnswerError
from .references import References
from .written import values, without_thoughts

__all__ = ["checked", "parsed", "plain_schema", "valid_value"]

_DEEPEST = 100


def parsed(text: str) -> Any:
    """The JSON value of an answer, which may stand in a code fence or between words. Raises `AnswerError`."""
    return next(_found(text))


def _found(text: str) -> Any:
    if not without_thoughts(text):
        raise AnswerError("empty")
    found = 0
    for value in values(text):
        yield value
        found += 1
    if not found:
        begun = " ".join(text[:400].split())[:80]
        raise AnswerError("malformed", f"It begins with {begun!r}.")


def valid_value(text: str, schema: Mapping[str, Any]) -> Any:
    """The first JSON value in an answer that is valid against the schema. Raises `AnswerError` that says where not."""
    first: AnswerError | None = None
    for value in _found(text):
        try:
            return checked(value, schema)
        except AnswerError as error:
            first = first or error
    assert first is not None
    raise first


def checked(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value, if it is valid against the schema. Raises `AnswerError` that says where it is not."""
    from jsonschema import exceptions
    from referencing.exceptions import Unresolvable

    try:
        error = exceptions.best_match(islice(_validator(plain_schema(schema)[1]).iter_errors(value), 50))
    except (RecursionError, ArithmeticError, Unresolvable) as failure:
        raise AnswerError("invalid", f"It cannot be checked: {type(failure).__name__}.") from failure
    if error is None:
        return value
    raise AnswerError("invalid", f"At {error.json_path[:100]}: {error.message[:200]}.")


def plain_schema(schema: Any) -> tuple[dict[str, Any], str]:
    """The schema as plain JSON values, and written as JSON: tuples are lists, sets sorted lists.

    Raises `OptionError` for what is no JSON Schema, for a `$ref` that leads out of it (nothing is ever fetched), and
    for references that go in a circle.
    """
    if not isinstance(schema, Mapping):
        raise OptionError(f"schema must be a JSON Schema, a dictionary, got {schema!r}.")
    plain = _plain(schema, "schema", 0)
    written = json.dumps(plain, sort_keys=True)
    _validator(written)
    return plain, written


def _plain(value: Any, where: str, depth: int) -> Any:
    if depth > _DEEPEST:
        raise OptionError(f"schema is nested deeper than {_DEEPEST} levels, or contains itself, at {where[:100]}.")
    if isinstance(value, Mapping):
        wrong = next((key for key in value if not isinstance(key, str)), None)
        if wrong is not None:
            raise OptionError(f"{where} must have strings as keys, got {wrong!r}.")
        return {key: _plain(one, f"{where}.{key}", depth + 1) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(one, where, depth + 1) for one in value), key=lambda one: json.dumps(one, sort_keys=True))
    if isinstance(value, list | tuple):
        return [_plain(one, f"{where}[{number}]", depth + 1) for number, one in enumerate(value)]
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    raise OptionError(f"{where} must be a JSON value, got {value!r}.")


@lru_cache(maxsize=128)
def _validator(written: str) -> Any:
    """The validator of a schema, made once. A schema that is none is an `OptionError`, as is a reference out of it."""
    from jsonschema import exceptions, validators
    from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped] # the drafts; fetches nothing

    schema = json.loads(written)
    if not isinstance(schema.get("$schema", ""), str):
        raise OptionError(f"schema must have a string as $schema, got {schema['$schema']!r:.100}.")
    kind: Any = validators.validator_for(schema, default=validators.Draft202012Validator)
    try:
        kind.check_schema(schema)
    except exceptions.SchemaError as error:
        raise OptionError(f"schema is no JSON Schema: at {error.json_path}: {error.message[:200]}.") from error
    except RecursionError as error:
        raise OptionError("schema is nested too deeply to be checked.") from error
    References(schema)
    return kind(schema, registry=REGISTRY)
