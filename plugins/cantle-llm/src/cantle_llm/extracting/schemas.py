"""Schemas of the field `schema`: a JSON Schema, a pydantic model or a dataclass. The door to pydantic."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cantle.errors import OptionError

from ..client.references import References
from ..client.structured import plain_schema
from ..errors import AnswerError

__all__ = ["Form", "form_of"]

_WANTED = "extract['schema']: schema must be a JSON Schema of an object (a dict), a pydantic model class or a dataclass"
_EXAMPLE = '{"type": "object", "properties": {"topic": {"type": "string"}}, "required": ["topic"]}'


class Form:
    """What the model is to answer: the JSON Schema, and what becomes of a value that is valid against it.

    `written` is the schema of what `read` makes of it, where that is another.
    """

    def __init__(
        self,
        schema: dict[str, Any],
        read: Callable[[Any], Any] | None = None,
        written: dict[str, Any] | None = None,
    ) -> None:
        self.schema = schema
        self._read = read
        self._references = References(schema)
        self._written = self._references if written is None else References(written)

    @property
    def is_object(self) -> bool:
        """Whether values are objects."""
        return self._references.is_object()

    def names(self, key: str) -> bool:
        """Whether a value may have this key because the schema says so, and not because it is open."""
        return self._references.names(key) or self._written.names(key)

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
        form = Form(_checked(schema))
    elif isinstance(schema, type):
        form = _of_class(schema)
    else:
        raise OptionError(f"{_WANTED}, got {schema!r}.")
    if not form.is_object:
        raise OptionError(f'{_WANTED}, got {schema!r}, which has no "type": "object" at the top. Example: {_EXAMPLE}.')
    return form


def _checked(schema: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return plain_schema(schema)[0]
    except OptionError as error:
        raise OptionError(f"extract['schema']: {error}") from error


def _of_class(cls: type) -> Form:
    from pydantic import TypeAdapter, ValidationError

    try:
        adapter = TypeAdapter[Any](cls)
        schema = adapter.json_schema()
        written = adapter.json_schema(mode="serialization")
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

    return Form(_checked(schema), read, _checked(written))
