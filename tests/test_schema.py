"""The options of strategies as JSON Schema."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum, IntEnum, StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NewType, Optional, TypedDict, TypeVar, Union

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import cantle
from cantle import Registry, Sized, option, registry
from cantle.cli import cli
from cantle.errors import CantleError, MissingDependencyError, OptionError, UnknownStrategyError
from cantle.lengths import LengthLike
from cantle.plugins import BUILTIN
from cantle.schema import json_schema
from cantle.schema.forms import form_of
from cantle.strategy import describe, make, snake_case

if TYPE_CHECKING:
    from nowhere import Client  # type: ignore[import-not-found]

BUILT_IN = Registry({name.rpartition(".")[2]: name for name in BUILTIN}).strategies()
Json = dict[str, "Json"] | list["Json"] | str | None


def accepts(schema: Mapping[str, Any], value: Any) -> bool:
    jsonschema = pytest.importorskip("jsonschema")
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


# -- cantle's own strategies ------------------------------------------------------------------------


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_option_is_there_with_what_is_said_about_it(name: str) -> None:
    schema = json_schema(name)
    cls = BUILT_IN[name]
    assert json.loads(json.dumps(schema)) == schema
    assert (schema["title"], schema["type"], schema["additionalProperties"]) == (name, "object", False)
    assert schema["description"].startswith((cls.__doc__ or "").partition("\n")[0])
    assert "x-python-only" not in schema
    assert list(schema["properties"]) == [o.name for o in describe(cls)]
    for o in describe(cls):
        said = schema["properties"][o.name]
        assert said["description"] == o.doc
        assert said.get("x-unit", "") == o.unit
        assert said.get("x-unused", False) is not o.used
        assert (o.name in schema.get("required", ())) is (o.default == "required") is ("default" not in said)
        for alias in said.get("x-aliases", ()):
            assert snake_case({alias: 1}) == {o.name: 1}
    assert json_schema(cls) == schema


@pytest.mark.parametrize("name", BUILT_IN)
def test_the_schema_is_one_and_takes_the_defaults(name: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    given_options = {"max_size": 100} if "required" in schema else {}
    defaults = {key: said["default"] for key, said in schema["properties"].items() if "default" in said}
    for options in (given_options, {**defaults, **given_options}):
        assert accepts(schema, options)
        make(BUILT_IN[name], options)
    assert not accepts(schema, {**given_options, "no_such_option": 1})
    assert not accepts(schema, {**given_options, "max_size": "large"})


def made(form: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that a form takes, and that the options of strategies are made for."""
    if "enum" in form:
        return st.sampled_from(form["enum"])
    if "anyOf" in form:
        return st.one_of(*(made(part) for part in form["anyOf"]))
    kind = form["type"]
    if kind == "array" and "prefixItems" in form:
        return st.tuples(*(made(part) for part in form["prefixItems"])).map(list)
    if kind == "array":
        return st.lists(made(form["items"]), max_size=4)
    if kind == "string":
        examples = form.get("examples")
        return st.text(max_size=4) | (st.sampled_from(examples) if examples else st.just("#"))
    low, above, high = form.get("minimum"), form.get("exclusiveMinimum"), form.get("maximum")
    whole = st.integers(low if above is None else int(above) + 1, high)
    if kind == "number":
        real = st.floats(low if above is None else above, high, exclude_min=above is not None)
        return whole | real.filter(lambda number: abs(number) != float("inf") and number == number)
    return {"boolean": st.booleans(), "null": st.none(), "integer": whole}[kind]


def options_of(schema: Mapping[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    required = schema.get("required", [])
    values = {name: made(form) for name, form in schema["properties"].items()}
    return st.fixed_dictionaries(
        {name: values[name] for name in required},
        optional={name: value for name, value in values.items() if name not in required},
    )


@pytest.mark.parametrize("name", BUILT_IN)
def test_what_the_schema_takes_is_taken_or_refused_as_an_option(name: str) -> None:
    schema = json_schema(name)
    outcomes = set()

    @settings(max_examples=60, deadline=None)
    @given(options_of(schema))
    def check(options: dict[str, Any]) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cantle.errors.CantleWarning)
            try:
                make(BUILT_IN[name], options)
            except CantleError:  # wrong together, a name that is none, or a package that is not there
                outcomes.add(False)
            else:
                outcomes.add(True)

    check()
    assert True in outcomes


@pytest.mark.parametrize("name", BUILT_IN)
def test_one_option_at_a_time_is_taken(name: str) -> None:
    """Choices and bounds are those that the strategy checks: in both directions."""
    schema = json_schema(name)
    needed = {"max_size": 100} if "required" in schema else {}
    for key, form in schema["properties"].items():
        parts = form.get("anyOf", [form])
        if {"type": "null"} not in parts and None not in form.get("enum", ()):
            with pytest.raises(CantleError):
                make(BUILT_IN[name], {**needed, key: None})
        for part in parts:
            good, bad = edges(part)
            for value in good:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", cantle.errors.CantleWarning)
                    try:
                        make(BUILT_IN[name], {"overlap": 0, **needed, key: value})
                    except MissingDependencyError:
                        continue
            for value in bad:
                with pytest.raises(CantleError):
                    make(BUILT_IN[name], {**needed, key: value})


def edges(form: Mapping[str, Any]) -> tuple[list[Any], list[Any]]:
    """Values just inside and just outside of what a form takes."""
    if "enum" in form:
        return list(form["enum"]), ["no such choice"]
    bad = [form["minimum"] - 0.5] if "minimum" in form else []
    bad += [form["exclusiveMinimum"]] if "exclusiveMinimum" in form else []
    bad += [form["maximum"] + 0.5] if "maximum" in form else []
    good = [form[key] for key in ("minimum", "maximum") if key in form]
    good += [form["exclusiveMinimum"] + 1] if "exclusiveMinimum" in form else []
    return good, bad


DEEP: Any = []
for _ in range(100):
    DEEP = [DEEP]
ANY_JSON = [
    *(None, True, False, 0, -1, 3, 10**400, -1.5, 1e308, 5e-324, "", "x", "\ud800", "\x00", "1"),
    *([], [1], [None], [[]], [1, 2], [2, 1], [10**400, 1], ["a", 1], [["a", "b"]], [["a"]], [[1, 2]], [True, False]),
    *({}, {"a": 1}, {"a": {"b": []}}, [{}], DEEP),
]


@pytest.mark.parametrize("name", BUILT_IN)
def test_any_json_is_taken_or_refused_as_an_option(name: str) -> None:
    schema = json_schema(name)
    needed = {"max_size": 100} if "required" in schema else {}
    for key in schema["properties"]:
        for value in ANY_JSON:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", cantle.errors.CantleWarning)
                try:
                    make(BUILT_IN[name], {**needed, key: value})
                except CantleError:
                    continue
            as_none = (key, value) == ("language", "")
            assert as_none or accepts(schema, {**needed, key: value}), (key, value)


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


# -- doors ------------------------------------------------------------------------------------------


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


def test_what_is_no_strategy() -> None:
    with pytest.raises(UnknownStrategyError, match="Did you mean 'recursive'"):
        json_schema("recursve")
    with pytest.raises(OptionError, match="must be the name of a strategy or a class, got 3"):
        json_schema(3)  # type: ignore[arg-type]


def test_the_command_writes_it() -> None:
    result = CliRunner().invoke(cli, ["strategies", "token", "--json-schema"])
    assert json.loads(result.stdout) == json_schema("token")
    result = CliRunner().invoke(cli, ["strategies", "--json-schema"])
    assert json.loads(result.stdout) == {name: json_schema(name) for name in registry().strategies()}
    result = CliRunner().invoke(cli, ["strategies", "--json-schema", "--json"])
    assert (result.exit_code, "Leave one out" in result.stderr) == (2, True)


def test_the_command_shows_choices() -> None:
    shown = " ".join(CliRunner().invoke(cli, ["strategies", "sentence"]).stdout.split())
    assert "One of: en, pt, es, fr, de, it, any." in shown
    assert "One of: rules, punkt." in shown


def test_options_carry_what_is_said_about_them() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(Sized):
        name: ClassVar[str] = "mine"
        mode: str = option(MISSING, "How.", choices=["a", "b"])

    assert describe(Mine)[0] == ("mode", "str", "required", "", "How.", True, ("a", "b"))
    assert json_schema(Mine)["required"] == ["mode"]
    assert json_schema(Mine)["properties"]["mode"] == {"enum": ["a", "b"], "description": "How."}
    assert [f.name for f in fields(Mine) if f.metadata["choices"]] == ["separator_position", "mode"]
