"""YAML front matter: the lines from a first `---` to the next `---` or `...`."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any
from unicodedata import normalize

from .errors import CantleWarning
from .warn import warn

__all__ = ["MAX_SIZE", "read"]

MAX_SIZE = 65_536
"""Front matter of more code points than this stays in the text."""

MAX_VALUES = 10_000
MAX_ALIASES = 20
MAX_DEPTH = 32

_OPEN = re.compile(r"---[ \t]*(?:\r\n|\n|\r)")
_CLOSE = re.compile(r"(?:^|(?<=[\n\r]))(?:---|\.\.\.)[ \t]*(?:\r\n|\n|\r|\Z)")


class _Refused(Exception):
    """The front matter is valid YAML that is not taken."""


def read(text: str, name: str) -> tuple[dict[str, Any], int]:
    """The metadata that a text begins with, and where its body begins (0: there is none).

    Every key is a string and every value fits JSON: dates are ISO 8601 strings, binary data is
    base64. What is no mapping, no valid YAML, has a key twice or is suspiciously large stays in the
    text, with a `CantleWarning` that names the file `name`.
    """
    opened = _OPEN.match(text)
    closed = _CLOSE.search(text, opened.end()) if opened else None
    if opened is None or closed is None:
        return {}, 0
    block = text[opened.end() : closed.start()]
    try:
        return _load(block), closed.end()
    except _Refused as refused:
        reason = str(refused)
    warn(
        f"The front matter of {name or 'the document'} was left in the text: {reason}. Correct it, or begin the "
        "document with an empty line if it is none.",
        CantleWarning,
    )
    return {}, 0


def _load(block: str) -> dict[str, Any]:
    if len(block) > MAX_SIZE:
        raise _Refused(f"it has {len(block)} characters, more than {MAX_SIZE}")
    yaml, loader = _loader()
    try:
        value = yaml.load(block, Loader=loader)  # a subclass of the safe loader
        if value is None and not block.strip():
            return {}
        if not isinstance(value, dict):
            what = "holds only comments" if value is None else f"is {_kind(value)}"
            raise _Refused(f"it {what}, not a mapping of names to values")
        plain: dict[str, Any] = _Plain().value(value, 0)
        return plain
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 2}: " if mark is not None else ""
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise _Refused(f"it is not valid YAML ({where}{problem})") from None
    except RecursionError:
        raise _Refused("it is nested too deeply") from None
    except _Refused:
        raise
    except Exception as error:  # 2024-13-45 is a date to YAML, not to Python; `!!int ''` fails in its own ways
        raise _Refused(f"a value cannot be read ({error})") from None


def _kind(value: Any) -> str:
    names: dict[type, str] = {str: "a text", list: "a list"}
    return names.get(type(value), f"a {type(value).__name__}")


@cache
def _loader() -> tuple[Any, Any]:
    """PyYAML and its safe loader, with a bound on aliases: a few lines of them can stand for gigabytes."""
    import yaml

    class Loader(yaml.SafeLoader):
        def __init__(self, stream: Any) -> None:
            super().__init__(stream)
            self.aliases = 0
            self.flattened: set[Any] = set()

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                self.aliases += 1
                if self.aliases > MAX_ALIASES:
                    raise _Refused(f"it uses more than {MAX_ALIASES} aliases")
            return super().compose_node(parent, index)

        def flatten_mapping(self, node: Any) -> None:
            if node not in self.flattened:  # what is merged in may come again, and gives way
                self.flattened.add(node)
                _refuse_twins(node)
            super().flatten_mapping(node)
            if len(node.value) > MAX_VALUES:
                raise _Refused(f"it stands for more than {MAX_VALUES} values")

    return yaml, Loader


def _refuse_twins(node: Any) -> None:
    """Refuse a key that is there twice: which of the values is meant cannot be known, and metadata decide who may see
    a document."""
    seen = set()
    for key, _ in node.value:
        name = (key.tag, normalize("NFC", key.value)) if isinstance(key.value, str) else None
        if name in seen:
            raise _Refused(f"it has the key {key.value!r} twice (line {key.start_mark.line + 2})")
        if name is not None:
            seen.add(name)


class _Plain:
    """Makes values that JSON knows; aliases are written out, within a budget."""

    def __init__(self) -> None:
        self.left = MAX_VALUES

    def value(self, value: Any, depth: int) -> Any:
        self.left -= 1
        if self.left < 0:
            raise _Refused(f"it stands for more than {MAX_VALUES} values")
        if depth > MAX_DEPTH:
            raise _Refused(f"it is nested more than {MAX_DEPTH} deep")
        if isinstance(value, Mapping):
            return {_key(key): self.value(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item, depth + 1) for item in value]
        if isinstance(value, set):
            return sorted(_key(item) for item in value)
        return _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, date):  # datetime is one too
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        str(value)  # ValueError for thousands of digits, which JSON output could not write either
    return value


def _key(key: Any) -> str:
    if key is None or isinstance(key, bool):  # as JSON writes them
        return "null" if key is None else str(key).lower()
    return str(_scalar(key))
