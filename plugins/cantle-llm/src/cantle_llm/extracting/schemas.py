"""Schemas of the field `schema`: a JSON Schema, a pydantic model or a dataclass. The door to pydantic."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from cantle.errors import OptionError

from ..errors import AnswerError

__all__ = ["Form", "form_of"]

_WANTED = "extract['schema']: schema must be a JSON Schema of an object (a dict), a pydantic model class or a dataclass"
_EXAMPLE = '{"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}'


class Form:
    """What the model is to answer: the JSON Schema, and what becomes of a value that is valid against it."""

    def __init__(self, schema: dict[str, Any], read: Callable[[Any], Any] | None = None) -> None:
        self.schema = schema
        self._read = read

    def read(self, value: Any) -> dict[str, Any]:
        """The value as a plain JSON object. Raises `AnswerError` where the class of the schema does not take it."""
        found = value if self._read is None else self._read(value)
        if not isinstance(found, dict):
            raise AnswerError("invalid", f"It is no object but {type(found).__name__}.")
        return found


def form_of(schema: Any) -> Form:
    """The form that a `schema` option stands for. Raises `OptionError` for what is none, or not one of an object."""
    if schema is None:
        raise OptionError(f"{_WANTED}. None is given; write extract={{'schema': {{'schema': {_EXAMPLE}}}}}.")
    if isinstance(schema, Mapping):
        plain = _plain(schema)
        _check_schema(plain)
        return _of_object(Form(plain), schema)
    if isinstance(schema, type):
        return _of_object(_of_class(schema), schema)
    raise OptionError(f"{_WANTED}, got {schema!r}.")


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(json.dumps(schema, allow_nan=False))
        return found
    except (TypeError, ValueError, RecursionError) as error:
        raise OptionError(f"{_WANTED}. What is given cannot be written as JSON: {error}.") from error


def _check_schema(schema: dict[str, Any]) -> None:
    from jsonschema import exceptions, validators

    try:
        validators.validator_for(schema).check_schema(schema)
    except exceptions.SchemaError as error:
        raise OptionError(
            f"{_WANTED}. What is given is no JSON Schema: at {error.json_path}: {error.message}."
        ) from error
    except RecursionError as error:
        raise OptionError(f"{_WANTED}. What is given is nested too deep.") from error


def _of_class(cls: type) -> Form:
    from pydantic import TypeAdapter, ValidationError

    try:
        adapter = TypeAdapter[Any](cls)
        schema = adapter.json_schema()
    except Exception as error:  # PydanticUserError, a NameError of its annotations, what a class of theirs raises
        why = next(iter(str(error).splitlines()), type(error).__name__)
        raise OptionError(f"{_WANTED}, got {cls!r}: {why}") from error

    def read(value: Any) -> Any:
        try:
            return adapter.dump_python(adapter.validate_python(value), mode="json", by_alias=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            place = "".join(f".{part}" for part in first["loc"])
            raise AnswerError("invalid", f"At ${place}: {first['msg']}.") from error
        except Exception as error:  # the class may be anyone's, and what was paid for other chunks is kept
            raise AnswerError("invalid", f"{cls.__name__} does not take it: {type(error).__name__}: {error}") from error

    return Form(schema, read)


def _of_object(form: Form, given: Any) -> Form:
    """The form, if its schema is one of objects."""
    found: Any = form.schema
    for _ in range(100):  # references may go in circles
        reference = found.get("$ref") if isinstance(found, dict) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        found = form.schema
        for part in reference[2:].split("/"):
            found = found.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(found, dict) else None
    kind = found.get("type", "object" if "properties" in found else None) if isinstance(found, dict) else None
    if kind != "object":
        raise OptionError(f'{_WANTED}, got {given!r}, which has no "type": "object" at the top. Example: {_EXAMPLE}.')
    return form
