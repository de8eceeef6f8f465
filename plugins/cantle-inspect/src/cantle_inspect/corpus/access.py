"""Who may see what: filters over the metadata of documents, and roles that stand for filters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from cantle.errors import OptionError

if TYPE_CHECKING:
    from .roles import Roles

__all__ = ["ANY", "Access", "Rule", "item", "listed", "read_roles", "spelled"]

Rule = Mapping[str, tuple[str, ...]]
"""Key -> values: every key must have one of its values. A rule without keys lets everything through."""

ANY = "*"
"""The value that stands for any value that is there."""


@dataclass(frozen=True)
class Access:
    """What may be seen: what fits `where` and at least one of the `rules` of the role (None: there is no role)."""

    where: Rule
    rules: tuple[Rule, ...] | None = None
    role: str | None = None

    @classmethod
    def of(
        cls,
        where: Mapping[str, Any] | None = None,
        *,
        role: str | None = None,
        roles: str | Path | Roles | None = None,
    ) -> Access:
        """A filter `where` (key -> a value, or several of which one must hold), a role, or both: then both must hold.

        `roles` is a file of roles or what `read_roles` made of one. Raises `OptionError` for a key without a value and
        for a role that `roles` do not have.
        """
        if where is not None and not isinstance(where, Mapping):
            raise OptionError(f"where must be a mapping of keys to values such as {{'dept': 'hr'}}, got {where!r}.")
        rule = {normalize("NFC", key): _values(key, given) for key, given in (where or {}).items()}
        if role is None:
            return cls(rule)
        if roles is None:
            raise OptionError(f"Nothing says what the role {role!r} may see. Give a file of roles.")
        known = read_roles(roles) if isinstance(roles, str | Path) else roles
        return cls(rule, known.rules(role), role)

    def allows(self, metadata: Mapping[str, Any]) -> bool:
        """Whether a document with this metadata may be seen. One that lacks a key of a filter may not."""
        if not _fits(self.where, metadata):
            return False
        return self.rules is None or any(_fits(rule, metadata) for rule in self.rules)

    @property
    def of_role(self) -> Access:
        """The role alone, without `where`: what whoever asks may see at all."""
        return Access({}, self.rules, self.role)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the metadata that are looked at, in order."""
        rules = [self.where, *(self.rules or ())]
        return tuple(dict.fromkeys(key for rule in rules for key in rule))


def _values(key: str, given: Any) -> tuple[str, ...]:
    values = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    found = tuple(spelled(value) for value in values)
    if not found or not all(found):
        raise OptionError(f"The filter {key!r} has no value, so nothing could fit it. Give one, or leave {key!r} out.")
    return found


def _fits(rule: Rule, metadata: Mapping[str, Any]) -> bool:
    return all(_is_one_of(item(metadata, key), values) for key, values in rule.items())


def item(metadata: Mapping[str, Any], key: str) -> Any:
    """The value of a key (in NFC) of the metadata, however the key is composed there; None when it is not there."""
    if key in metadata:
        return metadata[key]
    return next((value for name, value in metadata.items() if normalize("NFC", name) == key), None)


def _is_one_of(value: Any, wanted: Sequence[str]) -> bool:
    if isinstance(value, list | tuple):
        return any(_is_one_of(item, wanted) for item in value)
    if value is None or value == "":
        return False
    return ANY in wanted or (not isinstance(value, Mapping) and spelled(value) in wanted)


def spelled(value: Any) -> str:
    """A value as YAML writes it, which is how filters name it: `true`, `3`, `1.5`; texts in NFC."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return normalize("NFC", str(value))


def listed(value: Any) -> list[str]:
    """The values that filters can name of a value of the metadata: those of a list, one, or none."""
    values = value if isinstance(value, list | tuple) else [value]
    return [text for item in values if not isinstance(item, list | tuple | Mapping) and (text := spelled(item))]


def read_roles(path: str | Path) -> Roles:
    """The roles of a YAML file: name -> its rules, of which one must fit. Raises `OptionError`; see `Roles`."""
    from .roles import read

    return read(Path(path))
