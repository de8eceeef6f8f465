"""What whoever asks may see: a filter, a role, several roles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import OptionError
from .roles import Roles, read_roles
from .rules import Rule, fits, spelled

__all__ = ["Access"]


@dataclass(frozen=True)
class Access:
    """What may be seen: what fits `where` and at least one of the `rules` of the roles (None: there is no role).

    `role` is the role, where one was asked for by `role`; `names` are the roles that were given by `names`.
    """

    where: Rule
    rules: tuple[Rule, ...] | None = None
    role: str | None = None
    names: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        where: Mapping[str, Any] | None = None,
        *,
        role: str | None = None,
        names: Iterable[str] | None = None,
        roles: str | Path | Mapping[str, Any] | None = None,
    ) -> Access:
        """A filter `where` (key -> a value, or several of which one must hold), roles, or both: then both must hold.

        `role` is one role, `names` are those of somebody who has several and sees what any of them sees: nothing, when
        the list is empty. `roles` says what they mean: a file of roles, what `read_roles` made of one, or a mapping as
        `Roles.of` takes it. Raises `OptionError` for a key without a value and for a role that `roles` do not have.
        """
        if where is not None and not isinstance(where, Mapping):
            raise OptionError(f"where must be a mapping of keys to values such as {{'dept': 'hr'}}, got {where!r}.")
        rule = _asked(where or {})
        if names is not None:
            if role is not None:
                raise OptionError(f"role={role!r} and names are both given. Put all roles into names.")
            wanted = _checked(names)
            known = _known(roles, wanted[0]) if wanted else Roles({})
            return cls(rule, tuple(one for name in wanted for one in known.rules(name)), None, wanted)
        if role is None:
            return cls(rule)
        return cls(rule, _known(roles, role).rules(role), role)

    def allows(self, metadata: Mapping[str, Any]) -> bool:
        """Whether a document with this metadata may be seen. One that lacks a key of a filter may not."""
        if not fits(self.where, metadata):
            return False
        return self.rules is None or any(fits(rule, metadata) for rule in self.rules)

    @property
    def of_role(self) -> Access:
        """The roles alone, without `where`: what whoever asks may see at all."""
        return Access({}, self.rules, self.role, self.names)

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys of the metadata that are looked at, in order."""
        rules = [self.where, *(self.rules or ())]
        return tuple(dict.fromkeys(key for rule in rules for key in rule))


def _asked(where: Mapping[Any, Any]) -> Rule:
    rule: dict[str, tuple[str, ...]] = {}
    for key, given in where.items():
        if not isinstance(key, str):
            raise OptionError(f"A key of where must be text, got {key!r}. Write it as metadata have it, in quotes.")
        composed = normalize("NFC", key)
        if composed in rule:
            raise OptionError(f"The filter {key!r} is there twice, composed and decomposed. Keep one.")
        rule[composed] = _values(key, given)
    return rule


def _values(key: str, given: Any) -> tuple[str, ...]:
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping)
    values = list(given) if several else [given]
    for value in values:
        if isinstance(value, bytes | Mapping | list | tuple | set | frozenset):
            raise OptionError(
                f"The filter {key!r} has the value {value!r}. It takes a text, a number, true or false, or a list "
                "of them."
            )
    found = tuple(spelled(value) for value in values)
    if not found or not all(found):
        raise OptionError(f"The filter {key!r} has no value, so nothing could fit it. Give one, or leave {key!r} out.")
    return found


def _checked(names: Any) -> tuple[str, ...]:
    if isinstance(names, str | Mapping) or not isinstance(names, Iterable):
        raise OptionError(f"names must be a list of names of roles, got {names!r}. For a single one write [{names!r}].")
    given = tuple(names)
    for name in given:
        if not isinstance(name, str):
            raise OptionError(f"names must be a list of names of roles, and {name!r} is none.")
    return tuple(dict.fromkeys(given))


def _known(roles: str | Path | Mapping[str, Any] | None, role: str) -> Roles:
    if roles is None:
        raise OptionError(f"Nothing says what the role {role!r} may see. Give a file of roles.")
    if isinstance(roles, str | Path):
        return read_roles(roles)
    return roles if isinstance(roles, Roles) else Roles.of(roles)
