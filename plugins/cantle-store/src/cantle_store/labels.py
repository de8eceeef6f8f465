"""What filters look into: keys and values of metadata, one a row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from unicodedata import normalize

__all__ = ["labels"]


def labels(metadata: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keys with the values that filters can name, as `cantle.access` spells them."""
    found = {}
    for key, value in metadata.items():
        for item in value if isinstance(value, list | tuple) else [value]:
            if item is not None and not isinstance(item, Mapping | list | tuple):
                text = str(item).lower() if isinstance(item, bool) else str(item)
                found[normalize("NFC", str(key)), normalize("NFC", text)] = None
    return list(found)
