"""JSON out of what a model wrote, checked against the schema that was asked for."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from ..errors import AnswerError

__all__ = ["checked", "parsed"]

_FENCE = re.compile(r"```[a-zA-Z0-9]*[ \t]*\n(.*?)```", re.DOTALL)


def parsed(text: str) -> Any:
    """The JSON value of an answer, which may stand in a code fence or between words. Raises `AnswerError`."""
    if not text.strip():
        raise AnswerError("empty")
    for candidate in _candidates(text):
        try:
            return json.loads(candidate, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            continue
    begun = " ".join(text.split())[:80]
    raise AnswerError("malformed", f"It begins with {begun!r}.")


def _candidates(text: str) -> Any:
    yield text
    fence = _FENCE.search(text)
    if fence:
        yield fence[1]
    for opening, closing in ("{}", "[]"):
        low, high = text.find(opening), text.rfind(closing)
        if 0 <= low < high:
            yield text[low : high + 1]


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def checked(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value, if it is valid against the schema. Raises `AnswerError` that says where it is not."""
    from jsonschema import exceptions, validators

    try:
        validator = validators.validator_for(schema)(schema)
        error = exceptions.best_match(validator.iter_errors(value))
    except (exceptions.SchemaError, RecursionError) as failure:
        raise AnswerError("invalid", f"{type(failure).__name__}.") from failure
    if error is None:
        return value
    raise AnswerError("invalid", f"At {error.json_path}: {error.message[:200]}.")
