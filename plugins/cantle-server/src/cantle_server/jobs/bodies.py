"""Large bodies read in a worker: the event loop is not held up by what a stranger makes of them."""

from __future__ import annotations

from typing import Any

from ..bodies import parse_json
from ..errors import Problem

__all__ = ["MOST_VALUES", "parse_large"]

MOST_VALUES = 100_000
"""Values in a body: texts may be long, but metadata and vectors have not so many parts."""


def parse_large(data: bytes) -> Any:
    """The value of a request body. Raises `Problem` (400) for what is no JSON, or has too many values."""
    value = parse_json(data)
    count, level = 1, [value]
    while level:
        level = [
            item
            for one in level
            if isinstance(one, dict | list)
            for item in (one.values() if isinstance(one, dict) else one)
        ]
        count += len(level)
        if count > MOST_VALUES:
            raise Problem(400, "too_complex", f"The JSON has more than {MOST_VALUES:,} values. Send less at once.")
    return value
