"""Rules over metadata: which values a rule asks for, which values metadata has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from unicodedata import normalize

__all__ = ["ANY", "Rule", "facts", "fits", "item", "listed", "spelled"]

Rule = Mapping[str, tuple[str, ...]]
"""Key -> values: every key must have one of its values. A rule without keys lets everything through."""

ANY = "*"
"""The value that stands for any value that is there."""


def fits(rule: Rule, metadata: Mapping[str, Any]) -> bool:
    """Whether metadata have, for every key of the rule, one of its values."""
    return all(any(value in wanted for value in _named(item(metadata, key))) for key, wanted in rule.items())


def facts(metadata: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """All that rules look at: the keys in NFC, each with the values that a filter can name, `ANY` where there is one.

    A rule fits if and only if for each of its keys a value of it is among the facts of the key: so an index or a
    database can hold them and decide as `Access.allows` does. Keys without a value are left out.
    """
    keys = dict.fromkeys(normalize("NFC", key) for key in metadata if isinstance(key, str))
    found = {key: tuple(dict.fromkeys(_named(item(metadata, key)))) for key in keys}
    return {key: values for key, values in found.items() if values}


def item(metadata: Mapping[str, Any], key: str) -> Any:
    """The value of a key (in NFC) of the metadata, however the key is composed there; None when it is not there."""
    if key in metadata:
        return metadata[key]
    return next(
        (value for name, value in metadata.items() if isinstance(name, str) and normalize("NFC", name) == key), None
    )


def spelled(value: Any) -> str:
    """A value as YAML writes it, which is how filters name it: `true`, `3`, `1.5`; texts in NFC."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    try:
        return normalize("NFC", str(value))
    except ValueError:  # Python writes no decimal number of some thousand digits
        if not isinstance(value, int):
            raise
        return hex(value)


def listed(value: Any) -> list[str]:
    """The values that filters can name of a value of the metadata: those of a list, one, or none."""
    values = value if isinstance(value, list | tuple) else [value]
    return [text for item in values if not isinstance(item, list | tuple | Mapping) and (text := spelled(item))]


def _named(value: Any) -> Iterator[str]:
    """The values that filters can name of a value, those of lists in lists too; `ANY` first for each that is there."""
    left = [value]
    while left:
        value = left.pop()
        if isinstance(value, list | tuple):
            left.extend(reversed(value))
        elif value is not None and value != "":
            yield ANY
            if not isinstance(value, Mapping):
                yield spelled(value)
