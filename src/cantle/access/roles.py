"""Roles: which documents each of them may see, from a file or from a mapping.

```yaml
intern: {dept: [hr, product], classification: internal}   # both must hold
sre:
  - {dept: sre}                                           # one of the two must hold
  - {classification: internal}
auditor: "*"                                              # everything
```
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from unicodedata import normalize

from ..errors import OptionError
from .rules import ANY, Rule, spelled

__all__ = ["MAX_SIZE", "Roles", "read_roles"]

MAX_SIZE = 262_144
"""Files of roles of more bytes than this are refused."""

MAX_VALUES = 100_000
_EVERYTHING = f'To let it see everything, write "{ANY}".'


class Roles(dict[str, tuple[Rule, ...]]):
    """Role -> its rules, in the order of the `file`. One rule must fit; a rule without keys fits everything.

    Made by `read_roles` from a file, by `Roles.of` from a mapping.
    """

    def __init__(self, roles: dict[str, tuple[Rule, ...]], file: str = "") -> None:
        super().__init__(roles)
        self.file = file

    @classmethod
    def of(cls, roles: Mapping[str, Any], file: str = "") -> Roles:
        """Roles from a mapping such as JSON gives it: name -> "*", a rule, or a list of rules of which one must fit.

        A rule maps keys of the metadata to a value or a list of them: `{"intern": {"dept": ["hr", "product"]}}`. The
        checks are those of a file; `file` is what errors name as the place. `Roles` are taken as they are. Raises
        `OptionError`.
        """
        if isinstance(roles, Roles):
            return cls(dict(roles), file or roles.file)
        return cls(dict(_Reader(file or "roles").roles(roles)), file)

    def to_dict(self) -> dict[str, Any]:
        """The roles as plain values for JSON, which `Roles.of` takes: name -> rules, "*" for one without keys."""
        return {
            name: [{key: list(values) for key, values in rule.items()} or ANY for rule in rules]
            for name, rules in self.items()
        }

    def rules(self, role: str) -> tuple[Rule, ...]:
        """The rules of a role. Raises `OptionError` when there is no such role."""
        found = self.get(role) or self.get(normalize("NFC", role))
        if found is None:
            where = f"{self.file} has" if self.file else "There is"
            raise OptionError(f"{where} no role {role!r}. Known: {', '.join(self) or 'none'}.")
        return found


def read_roles(path: str | Path) -> Roles:
    """The roles of a YAML file: name -> its rules, of which one must fit.

    Raises `OptionError` for whatever could be a mistake: no rule is guessed.
    """
    path = Path(path)
    reader = _Reader(path.as_posix())
    return Roles(dict(reader.roles(reader.loaded(path))), path.as_posix())


class _Reader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.left = MAX_VALUES

    def fail(self, message: str) -> OptionError:
        return OptionError(f"{self.file}: {message}")

    def charge(self, count: int) -> None:
        """Bound what is written out: a few lines of aliases can stand for gigabytes."""
        self.left -= count
        if self.left < 0:
            raise self.fail(f"stands for more than {MAX_VALUES} rules and values. This is no file of roles.")

    def loaded(self, path: Path) -> Any:
        try:
            if path.exists() and not path.is_file():  # reading a pipe might never end
                raise self.fail("is no file.")
            with path.open("rb") as file:
                data = file.read(MAX_SIZE + 1)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise self.fail(f"the file of roles cannot be read: {reason}.") from None
        if len(data) > MAX_SIZE:
            raise self.fail(f"has more than {MAX_SIZE} bytes. This is no file of roles.")
        yaml, loader = _loader()
        try:
            return yaml.load(data.decode("utf-8-sig"), Loader=loader)  # a subclass of the safe loader
        except UnicodeDecodeError as error:
            raise self.fail(f"is not UTF-8 (byte {error.start}). Save it as UTF-8.") from None
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            where = f"line {mark.line + 1}: " if mark is not None else ""
            raise self.fail(f"is no valid YAML: {where}{getattr(error, 'problem', None) or error}.") from None
        except RecursionError:
            raise self.fail("is nested too deeply.") from None
        except Exception as error:  # 2024-13-45 is a date to YAML, not to Python
            raise self.fail(f"a value cannot be read: {error}.") from None

    def roles(self, found: Any) -> Iterator[tuple[str, tuple[Rule, ...]]]:
        if not isinstance(found, Mapping) or not found:
            what = _kind(found) if found or not isinstance(found, Mapping) else "an empty mapping"
            raise self.fail(
                f"is {what}. It must map names of roles to what they may see, as in `employee: {{dept: hr}}`."
            )
        seen: set[str] = set()
        for name, rules in found.items():
            if not isinstance(name, str) or not name:
                raise self.fail(f"the name of a role must be text, got {name!r}. Put it in quotes.")
            composed = normalize("NFC", name)
            self.once(composed, seen, f"role {name!r}")
            seen.add(composed)
            given = rules if isinstance(rules, list | tuple) else [rules]
            if not given:
                raise self.fail(f"role {name!r} has an empty list of rules. {_EVERYTHING}")
            self.charge(len(given))
            yield composed, tuple(self.rule(name, rule) for rule in given)

    def once(self, name: str, seen: Container[str], what: str) -> None:
        """Refuse a second spelling of a name: which of the two is meant cannot be known."""
        if name in seen:
            raise self.fail(f"{what} is there twice. Keep one.")

    def rule(self, role: str, rule: Any) -> Rule:
        if isinstance(rule, str) and rule == ANY:
            return {}
        if rule is None or (isinstance(rule, Mapping) and not rule):
            raise self.fail(f"role {role!r} has an empty rule. {_EVERYTHING}")
        if not isinstance(rule, Mapping):
            raise self.fail(
                f"a rule of role {role!r} is {_kind(rule)}. It must map keys of the metadata to values, as in "
                f"`{{dept: [hr, product]}}`. {_EVERYTHING}"
            )
        made: dict[str, tuple[str, ...]] = {}
        for key, values in rule.items():
            if not isinstance(key, str) or not key:
                raise self.fail(f"a key in the rule of role {role!r} must be text, got {key!r}. Put it in quotes.")
            composed = normalize("NFC", key)
            self.once(composed, made, f"{key!r} in the rule of role {role!r}")
            made[composed] = tuple(self.values(f"{key!r} in the rule of role {role!r}", values))
        return made

    def values(self, what: str, values: Any) -> Iterator[str]:
        given = values if isinstance(values, list | tuple) else [values]
        self.charge(1 + len(given))
        if not given:
            raise self.fail(f'{what} has an empty list of values. Give a value, or "{ANY}" for any.')
        for value in given:
            if isinstance(value, Mapping | list | tuple | set | frozenset | bytes):
                raise self.fail(f"{what} holds {_kind(value)}. Values are texts, numbers, true or false.")
            text = spelled(value.isoformat() if hasattr(value, "isoformat") else value)
            if not text:
                raise self.fail(f'{what} has an empty value. Give one, or "{ANY}" for any.')
            yield text


def _kind(value: Any) -> str:
    if value is None:
        return "empty"
    names: dict[type, str] = {str: "a text", list: "a list", dict: "a mapping", int: "a number", float: "a number"}
    return names.get(type(value), f"a {type(value).__name__}")


@cache
def _loader() -> tuple[Any, Any]:
    """PyYAML and its safe loader, which takes no key twice and no merge keys."""
    import yaml

    class Loader(yaml.SafeLoader):
        def flatten_mapping(self, node: Any) -> None:
            seen = set()
            for key, _ in node.value:
                problem = ""
                if key.tag == "tag:yaml.org,2002:merge":
                    problem = "merge keys (<<) are not taken here; write the keys out"
                elif not isinstance(key, yaml.ScalarNode):
                    problem = "a key must be text"
                elif normalize("NFC", key.value) in seen:
                    problem = f"the key {key.value!r} is there twice"
                if problem:
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(normalize("NFC", key.value))

    return yaml, Loader
