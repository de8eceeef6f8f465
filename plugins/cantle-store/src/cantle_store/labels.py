"""What filters look into: keys and values of metadata, one a row."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any
from unicodedata import normalize

from cantle.access import facts

__all__ = ["NOTHING", "labels", "named"]

NOTHING = ""
"""The value of a key that is there and has none that a filter could name: it hides the document's in a chunk's own."""

_LONGEST = 200
_HASHED = "sha256:"


def labels(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keys with the values that filters can name, as `cantle.access.facts` spells them, `*` for any among them.

    A key without such a value is there with `NOTHING`, which no filter asks for.
    """
    found = facts(metadata)
    keys = dict.fromkeys(normalize("NFC", key) for key in metadata if isinstance(key, str))
    return list(
        dict.fromkeys((named(key), value) for key in keys for value in map(named, found.get(key, ()) or (NOTHING,)))
    )


def named(text: str) -> str:
    """A key or a value as it is kept: long ones as their SHA-256, since an index takes no value of any length."""
    if len(text) <= _LONGEST and not text.startswith(_HASHED):
        return text
    return _HASHED + sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
