"""Where a JSON Schema leads: its references, and what else it says of the same value."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from cantle.errors import OptionError

__all__ = ["References"]

_DATA = ("enum", "const", "default", "examples")
"""Keywords whose values are data, not schemas."""

_LISTS = ("allOf", "anyOf", "oneOf")
_SINGLE = ("not", "if", "then", "else")
_REFS = ("$ref", "$dynamicRef")


class References:
    """Those of a schema of plain JSON values.

    Raises `OptionError` for one that leads out of the schema, since nothing is ever fetched, and for those that go in a
    circle, which no value can be checked against.
    """

    def __init__(self, schema: dict[str, Any]) -> None:
        from jsonschema_specifications import REGISTRY  # type: ignore[import-untyped] # the drafts; fetches nothing
        from referencing import Resource
        from referencing.jsonschema import DRAFT202012

        self._schema = schema
        self._resolver = REGISTRY.resolver_with_root(Resource.from_contents(schema, default_specification=DRAFT202012))
        self._nodes = {id(node): node for node in _nodes(schema)}
        for node in self._nodes.values():
            for ref in _refs(node):
                self._look_up(ref)
        self._inner_first = list(self._ordered())

    def _look_up(self, ref: str) -> Any:
        from referencing.exceptions import Unresolvable

        try:
            return self._resolver.lookup(ref).contents
        except (Unresolvable, ValueError) as error:
            raise OptionError(
                f"schema refers to {ref[:200]!r}, which is not in it. Nothing is fetched: put it under $defs, and "
                'refer to "#/$defs/NAME".'
            ) from error

    def _alike(self, node: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """The schemas within this one that are about the same value as `node`."""
        found: list[Any] = [self._look_up(ref) for ref in _refs(node)]
        for key in _LISTS:
            found += node[key] if isinstance(node.get(key), list) else []
        found += [node.get(key) for key in _SINGLE]
        if isinstance(several := node.get("dependentSchemas"), dict):
            found += several.values()
        return (one for one in found if id(one) in self._nodes)

    def _ordered(self) -> Iterator[int]:
        """The keys of `_nodes`, each behind those that are about the same value. Raises `OptionError` for a circle."""
        ended: set[int] = set()
        for start in self._nodes.values():
            path = [] if id(start) in ended else [(id(start), self._alike(start))]
            on_path = {id(start)}
            while path:
                following = next(path[-1][1], None)
                if following is None:
                    key, _ = path.pop()
                    on_path.discard(key)
                    ended.add(key)
                    yield key
                elif id(following) in on_path:
                    raise OptionError(
                        "schema refers to itself in a circle, without going into a property or an item on the way, so "
                        f"that no value can be checked: {', '.join(_refs(following)) or str(following):.200}."
                    )
                elif id(following) not in ended:
                    on_path.add(id(following))
                    path.append((id(following), self._alike(following)))

    def is_object(self) -> bool:
        """Whether the schema says that the value is an object: by itself, by what it refers to, or in all variants."""
        found: dict[int, bool] = {}

        def says(node: dict[str, Any]) -> bool:
            kind = node.get("type")
            if kind is not None:
                return kind in ("object", ["object"])
            if any(found.get(id(one), False) for one in (*map(self._look_up, _refs(node)), *_listed(node, "allOf"))):
                return True
            variants = [some for key in ("anyOf", "oneOf") if (some := _listed(node, key))]
            if any(all(found.get(id(one), False) for one in some) for some in variants):
                return True
            return "properties" in node

        for key in self._inner_first:
            found[key] = says(self._nodes[key])
        return found[id(self._schema)]

    def names(self, key: str) -> bool:
        """Whether the schema of an object names this property, or a pattern that it matches."""
        waiting, seen = [self._schema], set[int]()
        while waiting:
            node = waiting.pop()
            if id(node) in seen:
                continue
            seen.add(id(node))
            if key in (node.get("properties") or ()):
                return True
            if any(re.search(pattern, key) for pattern in node.get("patternProperties") or ()):
                return True
            waiting += self._alike(node)
        return False


def _listed(node: dict[str, Any], key: str) -> list[Any]:
    found = node.get(key)
    return found if isinstance(found, list) else []


def _refs(node: dict[str, Any]) -> list[str]:
    return [ref for key in _REFS if isinstance(ref := node.get(key), str)]


def _nodes(value: Any) -> Iterator[dict[str, Any]]:
    """Every object that may be a schema, the outermost first."""
    if isinstance(value, list):
        for one in value:
            yield from _nodes(one)
    elif isinstance(value, dict):
        yield value
        for key, one in value.items():
            if key not in _DATA:
                yield from _nodes(one)
