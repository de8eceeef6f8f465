"""Places in a list, as a word that is handed back for what follows."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from ..errors import Problem

__all__ = ["read_cursor", "write_cursor"]


def write_cursor(*place: Any) -> str:
    """The word of a place."""
    return (
        base64.urlsafe_b64encode(json.dumps(place, separators=(",", ":")).encode("ascii")).decode("ascii").rstrip("=")
    )


def read_cursor(word: str | None, *kinds: type) -> tuple[Any, ...] | None:
    """The place of a word. Raises `Problem` 422 for one that nobody was given."""
    if word is None:
        return None
    try:
        data = base64.b64decode(word.encode("ascii") + b"=" * (-len(word) % 4), altchars=b"-_", validate=True)
        place = json.loads(data.decode("ascii"))
        good = isinstance(place, list) and len(place) == len(kinds) and all(map(_is, place, kinds))
    except (ValueError, binascii.Error, RecursionError):
        good = False
    if not good:
        raise Problem(422, "invalid_cursor", "cursor is not one that this service gave. Leave it out to begin anew.")
    return tuple(place)


def _is(value: Any, kind: type) -> bool:
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62
    return isinstance(value, kind)
