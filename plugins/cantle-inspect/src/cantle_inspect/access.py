"""Who may see what: filters over metadata, and roles that stand for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Access", "read_roles"]

Rule = Mapping[str, Sequence[str]]
"""Every key must have one of its values."""


@dataclass(frozen=True)
class Access:
    """What may be seen: what fits at least one of `rules` of the role (None: there is no role), and `where`."""

    where: Mapping[str, tuple[str, ...]]
    rules: tuple[Mapping[str, tuple[str, ...]], ...] | None = None
    role: str | None = None

    @classmethod
    def of(cls, where: Mapping[str, str | Iterable[str]] | None = None) -> Access:
        """A filter: key -> a value, or several of which one must hold."""
        return cls({key: (value,) if isinstance(value, str) else tuple(value) for key, value in (where or {}).items()})

    def allows(self, metadata: Mapping[str, Any]) -> bool:
        """Whether something with this metadata may be seen. What lacks a key of a filter may not."""
        if not _fits(self.where, metadata):
            return False
        return self.rules is None or any(_fits(rule, metadata) for rule in self.rules)


def _fits(rule: Rule, metadata: Mapping[str, Any]) -> bool:
    return all(_is_one_of(metadata.get(key), values) for key, values in rule.items())


def _is_one_of(value: Any, wanted: Sequence[str]) -> bool:
    if isinstance(value, list):
        return any(_is_one_of(item, wanted) for item in value)
    return value is not None and (str(value) in wanted or "*" in wanted)


def read_roles(path: str | Path) -> dict[str, tuple[Mapping[str, tuple[str, ...]], ...]]:
    """The roles of a YAML file: name -> its rules, one of which must fit."""
    import yaml

    with Path(path).open(encoding="utf-8") as file:
        found = yaml.safe_load(file)
    roles: dict[str, tuple[Mapping[str, tuple[str, ...]], ...]] = {}
    for name, rules in found.items():
        roles[name] = tuple(
            {key: (values,) if isinstance(values, str) else tuple(values) for key, values in rule.items()}
            for rule in (rules if isinstance(rules, list) else [rules])
        )
    return roles
