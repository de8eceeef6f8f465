"""JSON Schema of the options of strangers' strategies: fields of any type."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NewType, Optional, TypedDict, TypeVar, Union

import pytest

import cantle
from cantle import Registry, Sized, option
from cantle.lengths import LengthLike
from cantle.schema import json_schema
from cantle.schema.forms import form_of
from cantle.strategy import describe

if TYPE_CHECKING:
    from nowhere import Client  # type: ignore[import-not-found]

Json = dict[str, "Json"] | list["Json"] | str | None


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    jsonschema = pytest.importorskip("jsonschema")
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


# -- strategies of others ---------------------------------------------------------------------------

Level = NewType("Level", int)
Text = TypeVar("Text", bound=str)


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Depth(IntEnum):
    FLAT = 1


class Plain(Enum):
    A = "a"


class Window(TypedDict):
    size: int
    step: float | None


class Tree(TypedDict, total=False):
    value: int
    left: Tree
    right: Tree
    first: list[Tree]
    second: dict[str, Tree]
    third: Tree | None


class Partial(TypedDict, total=False):
    size: int
    call: Callable[[], None]


class NeedsObject(TypedDict):
    call: Callable[[], None]


PAIR = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "number"}], "minItems": 2, "maxItems": 2}


@dataclass(frozen=True)
class Strange:
    """Options of every kind.

    And a second paragraph.
    """

    name: ClassVar[str] = "strange"

    needed: int
    client: Client
    maybe_client: Client | None = None
    wide: Client | str | None = None
    mode: Literal["a", "b"] | None = None
    numbers: tuple[int, ...] = (1, 2)
    pair: tuple[str, float] | None = None
    names: frozenset[str] = frozenset({"b", "a"})
    table: Mapping[str, int | list[str]] = field(default_factory=dict)
    call: Callable[[str], int] = len
    path: Path | str = "x"
    length: LengthLike | None = None
    anything: Any = None
    loose: int = None  # type: ignore[assignment]
    limit: float = float("inf")
    made: int = field(default=3, init=False)
    tried: list[int] = option([1], "Which to try.", "tries", least=0, most=9)
    picked: str | list[str] = option("x", "What to pick.", choices=("x", "y"))

    def split(self, source: Any) -> Any:
        return []


def test_a_strangers_strategy() -> None:
    schema = json_schema(Strange)
    forms = {
        name: {key: value for key, value in form.items() if key not in ("x-aliases", "examples")}
        for name, form in schema["properties"].items()
    }
    assert schema["description"] == "Options of every kind.\n\nAnd a second paragraph."
    assert schema["required"] == ["needed", "client"]
    assert schema["x-python-only"] == ["client", "maybe_client", "call"]
    assert forms == {
        "needed": {"type": "integer"},
        "wide": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "mode": {"enum": ["a", "b", None], "default": None},
        "numbers": {"type": "array", "items": {"type": "integer"}, "default": [1, 2]},
        "pair": {"anyOf": [PAIR, {"type": "null"}], "default": None},
        "names": {"type": "array", "items": {"type": "string"}, "default": ["a", "b"]},
        "table": {
            "type": "object",
            "additionalProperties": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}]},
            "default": {},
        },
        "path": {"type": "string", "default": "x"},
        "length": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "anything": {"default": None},
        "loose": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "limit": {"type": "number"},
        "tried": {
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": 9},
            "default": [1],
            "description": "Which to try.",
            "x-unit": "tries",
        },
        "picked": {
            "anyOf": [{"enum": ["x", "y"]}, {"type": "array", "items": {"type": "string"}}],
            "default": "x",
            "description": "What to pick.",
        },
    }
    assert "words" in schema["properties"]["length"]["examples"]
    assert "x-aliases" not in schema["properties"]["wide"]


class Handmade:
    """No dataclass."""

    name = "handmade"

    def __init__(self, size: int, /, every: int = 2, *, tags: Sequence[str] = (), raw=None, **more: Any) -> None:  # type: ignore[no-untyped-def]
        self.every = every

    def split(self, source: Any) -> Any:
        return []


class Nothing:
    name = "nothing"

    def split(self, source: Any) -> Any:
        return []


def test_strategies_that_are_no_dataclasses() -> None:
    schema = json_schema(Handmade)
    assert schema["additionalProperties"] is True
    assert schema["properties"] == {
        "every": {"type": "integer", "default": 2},
        "tags": {"type": "array", "items": {"type": "string"}, "default": []},
        "raw": {"default": None},
    }
    assert json_schema(Nothing) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "nothing",
        "type": "object",
        "properties": {},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("kind", "form"),
    [
        (Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045
        (Union[int, float], {"type": "number"}),  # noqa: UP007
        (list | tuple, {"type": "array"}),
        (list[Any], {"type": "array"}),
        (dict, {"type": "object"}),
        (dict[str, Any], {"type": "object"}),
        (dict[Literal["a"], int], {
            "type": "object",
            "propertyNames": {"enum": ["a"]},
            "additionalProperties": {"type": "integer"},
        }),
        (dict[int, str], None),
        (dict[str, Callable[[], None]], None),
        (list[Callable[[], None]], None),
        (list[Callable[[], None]] | str, {"type": "string"}),
        (tuple[int, Path], None),
        (Annotated[int, "metres"], {"type": "integer"}),
        (Level, {"type": "integer"}),
        (Text, {"type": "string"}),
        (TypeVar("AnyKind"), {}),
        (TypeVar("Either", int, str), {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (Literal[1, "a", None], {"enum": [1, "a", None]}),
        (Literal[b"a"], None),
        (Colour, {"enum": ["red", "blue"]}),
        (Depth, {"enum": [1]}),
        (Plain, None),
        (Window, {
            "type": "object",
            "properties": {"size": {"type": "integer"}, "step": {"anyOf": [{"type": "number"}, {"type": "null"}]}},
            "additionalProperties": False,
            "required": ["size", "step"],
        }),
        (Partial, {"type": "object", "properties": {"size": {"type": "integer"}}, "additionalProperties": False}),
        (NeedsObject, None),
        (Path, None),
        (bytes, None),
        (complex, None),
        (object, {}),
        (str | Any, {}),
        ("int | Missing", {"type": "integer"}),
        ("Missing[int].part | None", {"type": "null"}),
        ("not an annotation", None),
        ("__import__('os').system('true')", None),
        ([], None),
        (3, None),
    ],
)  # fmt: skip
def test_types(kind: Any, form: Any) -> None:
    assert form_of(kind, globals()) == form


def test_types_that_contain_themselves_end() -> None:
    form = form_of(Json, globals())
    assert accepts(form or {}, {"a": [{"b": None}, "x"]})
    assert not accepts(form or {}, 1)
    tree = form_of(Tree, globals())
    assert tree is not None
    assert accepts(tree, {"left": {"left": {}}})
    assert not accepts(tree, {"first": 1})
    assert not accepts(tree, {"value": "x"})
    assert len(json.dumps(tree)) < 2000


def test_names_are_looked_up_in_the_registry_that_is_given() -> None:
    class Plugin:
        @cantle.hookimpl
        def register_strategies(self) -> list[type[Any]]:
            return [Strange]

        @cantle.hookimpl
        def register_length_functions(self) -> dict[str, Any]:
            return {"vowels": lambda text: sum(text.count(vowel) for vowel in "aeiou")}

    mine = Registry({"mine": Plugin()})
    assert json_schema("strange", registry=mine) == json_schema(Strange, registry=mine)
    assert "vowels" in json_schema("strange", registry=mine)["properties"]["length"]["examples"]
    assert "vowels" not in json_schema(Strange)["properties"]["length"]["examples"]


def test_options_carry_what_is_said_about_them() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(Sized):
        name: ClassVar[str] = "mine"
        mode: str = option(MISSING, "How.", choices=["a", "b"])

    assert describe(Mine)[0] == ("mode", "str", "required", "", "How.", True, ("a", "b"))
    assert json_schema(Mine)["required"] == ["mode"]
    assert json_schema(Mine)["properties"]["mode"] == {"enum": ["a", "b"], "description": "How."}
    assert [f.name for f in fields(Mine) if f.metadata["choices"]] == ["separator_position", "mode"]
