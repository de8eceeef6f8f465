"""JSON out of what a model wrote: tolerant, in linear time, checked against a schema that nothing is fetched for."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest

from cantle.errors import OptionError
from cantle_llm import AnswerError, Client
from cantle_llm.client.references import References
from cantle_llm.client.structured import checked, parsed, plain_schema, valid_value
from cantle_llm.client.written import without_thoughts
from cantle_llm.testing import Asked, ScriptedServer

USER = [{"role": "user", "content": "hello"}]
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        ' \n{"a": 1}\n ',
        '\ufeff{"a": 1}',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```',
        'Here it is:\n```json\n{"a": 1}\n```\nAnything else?',
        'Sure! {"a": 1} I hope this helps {really}.',
        'See [below] and {note}: {"a": 1}',
        'First {"b": 2}, no: {"a": 1}',
        '```json\n{"b": 2}\n```\nNo:\n```json\n{"a": 1}\n```',
        '{"a": 1,}',
        '{"a": 1, "b": [1, 2, ], }',
        'So: {"a": 1, "b": ",}",}.',
        '{"a": 2, "a": 1}',
        '<think>{"a": 2}</think>{"a": 1}',
        '{"a": 1, "b": "\\ud800"}',
    ],
)
def test_json_is_found(text: str) -> None:
    assert valid_value(text, SCHEMA)["a"] == 1


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<think>hm", "empty"),
        ("no", "malformed"),
        ("{", "malformed"),
        ('{"a": NaN}', "malformed"),
        ('{"a": Infinity}', "malformed"),
        ('{"a": 1e999}', "malformed"),
        ('{"a": ' + "9" * 5000 + "}", "malformed"),
        ("9" * 5000, "malformed"),
        ("{'a': 1}", "malformed"),
        ('{"a": "1"}', "invalid"),
        ('[{"a": 1}]', "invalid"),
        ('{"inner": {"a": 1}}', "invalid"),
        ("null", "invalid"),
        ("1", "invalid"),
    ],
)
def test_what_is_no_such_json_says_why(text: str, reason: str) -> None:
    with pytest.raises(AnswerError) as caught:
        valid_value(text, SCHEMA)
    assert caught.value.reason == reason


def test_the_error_names_the_place() -> None:
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": SCHEMA}}}
    with pytest.raises(AnswerError, match=r"At \$\.rows\[1\]\.a: 'x' is not of type 'integer'"):
        checked({"rows": [{"a": 1}, {"a": "x"}]}, schema)


@pytest.mark.parametrize(
    "text",
    [
        "{" * 1_000_000,
        "[" * 1_000_000,
        '{"a":' * 200_000,
        "[" * 300_000 + "]" * 300_000,
        "```" * 300_000,
        "```\n" * 250_000,
        "`" * 1_000_000,
        '"' * 1_000_000,
        '\\"' * 500_000,
        '{"a": "' + '\\"' * 500_000,
        "{" + "," * 1_000_000 + "}",
        "{" + ", " * 500_000 + "}",
        "{," + " " * 1_000_000 + "}",
        "<think>" * 150_000,
        "</think>" * 150_000,
        "\n" * 1_000_000,
        "9" * 1_000_000,
        '{"a": ' + "9" * 1_000_000 + "}",
        "{x}" * 300_000,
    ],
    ids=lambda text: text[:8],
)
def test_a_hostile_answer_takes_linear_time(text: str) -> None:
    began = time.process_time()
    with pytest.raises(AnswerError):
        valid_value(text, SCHEMA)
    assert time.process_time() - began < 5


def test_an_answer_of_many_wrong_values_is_checked_in_time() -> None:
    with pytest.raises(AnswerError):
        checked(["x"] * 200_000, {"type": "array", "items": {"type": "integer"}})


def test_thoughts_are_left_out_of_text() -> None:
    assert without_thoughts("<think>a\nb</think>\n\nIt is so.\n") == "It is so."
    assert without_thoughts("a\nb\n</think>\n\nIt is so.") == "It is so."
    assert without_thoughts("<think>never closed") == ""
    assert without_thoughts("Models write <think> and </think>.") == "Models write <think> and </think>."
    assert without_thoughts("The tag </think> ends it.") == "The tag </think> ends it."
    assert without_thoughts("  plain ") == "plain"


def test_sets_and_tuples_in_a_schema_are_lists() -> None:
    plain, _ = plain_schema({"type": "object", "required": {"b", "a"}, "properties": {"a": {"enum": (1, 2)}}})
    assert plain == {"type": "object", "required": ["a", "b"], "properties": {"a": {"enum": [1, 2]}}}


def loop() -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"a": schema}
    return schema


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ("object", "must be a JSON Schema"),
        (True, "must be a JSON Schema"),
        ({"type": "objekt"}, r"at \$\.type"),
        ({"type": 7}, r"at \$\.type"),
        ({"properties": {1: {}}}, "must have strings as keys, got 1"),
        ({"enum": [float("nan")]}, "must be a JSON value, got nan"),
        ({"enum": [float("inf")]}, "must be a JSON value"),
        ({"enum": [object]}, "must be a JSON value"),
        (loop(), "contains itself"),
        ({"$ref": "https://example.org/schema.json"}, "Nothing is fetched"),
        ({"properties": {"a": {"$ref": "http://127.0.0.1:1/x"}}}, "Nothing is fetched"),
        ({"prefixItems": [{"$ref": "file:///etc/passwd"}]}, "Nothing is fetched"),
        ({"$ref": "#/$defs/none"}, "Nothing is fetched"),
        ({"$ref": "other.json"}, "Nothing is fetched"),
        ({"$dynamicRef": "https://example.org/x#y"}, "Nothing is fetched"),
        ({"$ref": "#"}, "in a circle"),
        ({"type": "object", "$ref": "#"}, "in a circle"),
        ({"type": "object", "allOf": [{"anyOf": [{"$ref": "#"}]}]}, "in a circle"),
        ({"properties": {"a": {"$ref": "#/properties/b"}, "b": {"not": {"$ref": "#/properties/a"}}}}, "in a circle"),
        ({"$ref": "#x", "$defs": {"x": {"$anchor": "x", "if": {"$ref": "#x"}}}}, "in a circle"),
        ({"type": "object", "$schema": 5}, "a string as .schema, got 5"),
        ({"type": "object", "$schema": {"a": 1}}, "a string as .schema"),
    ],
)
def test_a_wrong_schema_is_an_error_before_anything_is_asked(schema: Any, said: str) -> None:
    with (
        ScriptedServer(lambda asked: {}) as server,
        Client("m", base_url=server.url) as client,
        pytest.raises(OptionError, match=said),
    ):
        client.structured(USER, schema)
    assert not server.requests


def test_references_within_a_schema_and_to_the_drafts_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(*args: Any, **more: Any) -> None:
        raise AssertionError("a schema was fetched")

    monkeypatch.setattr(socket, "create_connection", no_network)
    monkeypatch.setattr("urllib.request.urlopen", no_network)
    tree = {
        "$ref": "#/$defs/node",
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
    }
    assert checked({"next": {"next": {}}}, tree)
    with pytest.raises(AnswerError, match=r"\$\.next\.next"):
        checked({"next": {"next": 1}}, tree)
    assert checked({"type": "object"}, {"$ref": "https://json-schema.org/draft/2020-12/schema"})
    # A property may have any name, and data may look like a reference.
    assert checked({"$ref": "x"}, {"properties": {"$ref": {"type": "string"}}})
    assert checked({"$ref": "http://x"}, {"const": {"$ref": "http://x"}})


def test_references_may_come_back_by_a_property_or_an_item() -> None:
    tree = {"type": "object", "properties": {"in": {"$ref": "#"}}, "allOf": [{"items": {"$ref": "#"}}]}
    assert checked({"in": {"in": {}}}, tree)
    twice = {"$defs": {"a": {"type": "object"}}, "allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}
    assert checked({"a": 1}, twice)
    names = ("$ref", "allOf", "not", "anyOf")
    assert checked({"not": "x"}, {"properties": {name: {"type": "string"} for name in names}})


def test_many_references_are_followed_in_time() -> None:
    defs: dict[str, Any] = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 20} for i in range(300)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**defs, "d300": {"type": "object"}}}
    began = time.process_time()
    references = References(schema)
    assert references.is_object()
    assert not references.names("x")
    assert time.process_time() - began < 5


def test_which_keys_a_schema_names() -> None:
    schema = {
        "$ref": "#/$defs/a",
        "$defs": {"a": {"properties": {"one": {"properties": {"inner": {}}}}}},
        "allOf": [{"if": {}, "then": {"properties": {"two": {}}}}],
        "patternProperties": {"^x-": {}},
        "additionalProperties": True,
    }
    references = References(schema)
    assert [key for key in ("one", "two", "x-3", "inner", "ax-", "four") if references.names(key)] == [
        "one",
        "two",
        "x-3",
    ]


def test_parsed_takes_any_value() -> None:
    assert [parsed(text) for text in ("1", "null", '"x"', "[1]", "true")] == [1, None, "x", [1], True]


def test_an_answer_of_no_use_is_asked_for_again_and_the_model_told_why() -> None:
    def answer(asked: Asked) -> Any:
        return {"a": 1} if asked.number else 'no. <b>{"x": 1}</b>'

    with ScriptedServer(answer) as server, Client("m", base_url=server.url, reasks=1) as client:
        assert client.structured([{"role": "system", "content": "Be brief."}, *USER], SCHEMA) == {"a": 1}
    first, second = server.requests
    assert second.prompt == first.prompt
    assert first.system == "Be brief."
    assert second.system.startswith(
        "Be brief.\n\nAn earlier answer could not be used: the answer is JSON of another form"
    )
    assert '"required": ["a"]' in second.system
    assert "<b>" not in second.system
    assert client.usage.calls == 2


def test_check_makes_of_the_answer_what_is_given_back_and_may_turn_it_down() -> None:
    seen: list[Any] = []

    def check(value: Any) -> Any:
        seen.append(value)
        if value["a"] != 3:
            raise AnswerError("invalid", "a must be 3")
        return "three"

    with ScriptedServer([{"a": 1}, {"a": 2}, {"a": 3}]) as server:
        with Client("m", base_url=server.url, reasks=2) as client:
            assert client.structured(USER, SCHEMA, check=check) == "three"
        assert seen == [{"a": 1}, {"a": 2}, {"a": 3}]
    with (
        ScriptedServer([{"a": 1}, {"a": 2}]) as server,
        Client("m", base_url=server.url, reasks=1) as client,
        pytest.raises(AnswerError, match="a must be 3"),
    ):
        client.structured(USER, SCHEMA, check=check)


def test_a_refusal_is_not_asked_for_again() -> None:
    from cantle_llm.testing import Fault

    with (
        ScriptedServer(lambda asked: Fault.refusal()) as server,
        Client("m", base_url=server.url, reasks=5) as client,
        pytest.raises(AnswerError),
    ):
        client.structured(USER, SCHEMA)
    assert len(server.requests) == 1
