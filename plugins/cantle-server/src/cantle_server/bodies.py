"""JSON from strangers: read without a crash, whatever it is."""

from __future__ import annotations

import json
import math
from typing import Any, NoReturn

from .errors import Problem

__all__ = ["MAX_DEPTH", "parse_json"]

MAX_DEPTH = 64
"""How deep objects and lists may be inside one another. Metadata needs a few; Python's parser fails at about 1,000."""

_MOST_DIGITS = 400


def parse_json(data: bytes) -> Any:
    """The value of a request body. Raises `Problem` (400) for all that is not JSON by RFC 8259.

    Not UTF-8, NaN and Infinity, numbers that no float holds or of more than 400 digits, a key that an object has
    twice, nesting deeper than `MAX_DEPTH`. Lone surrogates (`"\\ud800"`) are taken, as Python takes them.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Problem(
            400,
            "invalid_utf8",
            f"The body is not UTF-8: byte 0x{data[error.start]:02x} at offset {error.start}. JSON is sent as UTF-8.",
        ) from None
    if text.startswith("\ufeff"):
        text = text[1:]
    if not text.strip():
        raise Problem(400, "invalid_json", "The body is empty. Send a JSON object.")
    try:
        value = json.loads(
            text, object_pairs_hook=_object, parse_constant=_constant, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        message = f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        raise Problem(400, "invalid_json", message) from None
    except RecursionError:  # CPython's parser counts its depth, and stops long before its stack ends
        raise _too_deep() from None
    _check_depth(value)
    return value


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            item
            for one in level
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
            if isinstance(item, dict | list)
        ]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> Problem:
    return Problem(400, "too_deep", f"The JSON is nested deeper than {MAX_DEPTH} levels.")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen = set[str]()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise Problem(400, "duplicate_key", f"An object of the JSON has the key {twice[:100]!r} twice. Keep one.")
    return found


def _constant(name: str) -> NoReturn:
    raise Problem(400, "invalid_json", f"{name} is no JSON. Leave the value out, or send null.")


def _float(digits: str) -> float:
    value = float(digits)
    if math.isinf(value):
        raise Problem(400, "invalid_json", f"The number {digits[:40]} is too large.")
    return value


def _int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise Problem(400, "invalid_json", f"A number has {len(digits)} digits; {_MOST_DIGITS} are the most.")
    return int(digits)
