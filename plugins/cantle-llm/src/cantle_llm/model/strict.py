"""Which JSON Schemas a provider takes as strict: every object closed, every property required."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["is_strict"]

_OPEN = (
    "patternProperties",
    "allOf",
    "oneOf",
    "not",
    "if",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
)


def is_strict(schema: Any) -> bool:
    """Whether a schema keeps to the subset that OpenAI's strict mode knows."""
    if isinstance(schema, Mapping):
        if any(key in schema for key in _OPEN):
            return False
        if schema.get("type") == "object" or "properties" in schema:
            properties = schema.get("properties")
            if not isinstance(properties, Mapping) or schema.get("additionalProperties") is not False:
                return False
            if set(schema.get("required", ())) != set(properties):
                return False
            if not all(map(is_strict, properties.values())):
                return False
        rest = (value for key, value in schema.items() if key not in ("properties", "enum", "const", "default"))
        return all(map(is_strict, rest))
    if isinstance(schema, list | tuple):
        return all(map(is_strict, schema))
    return True
