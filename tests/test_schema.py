"""The options of strategies as JSON Schema."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import cantle
from cantle import Registry, registry
from cantle.cli import cli
from cantle.errors import CantleError, MissingDependencyError, OptionError, UnknownStrategyError
from cantle.plugins import BUILTIN
from cantle.schema import json_schema
from cantle.strategy import describe, make, snake_case

BUILT_IN = Registry({name.rpartition(".")[2]: name for name in BUILTIN}).strategies()


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


# -- doors ------------------------------------------------------------------------------------------


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
