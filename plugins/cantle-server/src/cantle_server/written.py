"""JSON as every answer has it: without blanks, ending with a newline."""

from __future__ import annotations

from typing import Any

from cantle.commands import to_json

__all__ = ["json_line"]


def json_line(value: Any) -> bytes:
    """The value as one line. Lone surrogates are escaped: it is valid UTF-8, whatever was sent."""
    return f"{to_json(value, compact=True)}\n".encode()
