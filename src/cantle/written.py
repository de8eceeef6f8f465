"""Values written as JSON or UTF-8, whatever they are: what JSON does not know is written as its string."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

__all__ = ["to_json", "without_surrogates"]

_DEEPEST = 100


def to_json(value: Any, *, sort_keys: bool = False, indent: int | None = None, compact: bool = False) -> str:
    """`value` as JSON that every reader takes, without blanks where it is `compact`.

    Keys become strings, infinities and NaN their names, sets sorted lists, integers of more
    digits than Python writes hexadecimal strings, other objects `str()` of them. Lone surrogates are escaped, all else
    stays as it is.
    """
    options: dict[str, Any] = {"sort_keys": sort_keys, "indent": indent}
    if compact:
        options["separators"] = (",", ":")
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, **options)
    except (TypeError, ValueError, RecursionError):
        value = _plain(value, ())
        text = json.dumps(value, ensure_ascii=False, **options)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        text = json.dumps(value, ensure_ascii=True, **options)
    return text


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which UTF-8 does not have, as `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _plain(value: Any, above: tuple[int, ...]) -> Any:
    """`above` identifies the structures that the value is in: one that holds itself has no end."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        try:
            str(value)
        except ValueError:  # more digits than Python writes
            return hex(value)
        return value
    if isinstance(value, float):
        return value if value - value == 0 else str(value)
    if len(above) == _DEEPEST or id(value) in above:
        return f"<{type(value).__name__}>"
    inside = (*above, id(value))
    if isinstance(value, Mapping):
        return {key if isinstance(key, str) else str(key): _plain(item, inside) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, inside) for item in value]
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    return str(value)
