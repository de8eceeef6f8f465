"""Schemas of the field `schema`: JSON Schema, pydantic models, dataclasses."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel, Field, field_validator
from scripted_extraction import Setup

from cantle import MDocument
from cantle.errors import ExtractionError, OptionError
from cantle_llm import ModelWarning
from cantle_llm.extracting.schemas import form_of


class Kind(Enum):
    law = "law"
    novel = "novel"


class Author(BaseModel):
    name: str
    born: datetime.date | None = None


class Book(BaseModel):
    title: str
    kind: Kind = Kind.novel
    authors: list[Author] = Field(default_factory=list)
    page_count: int = Field(0, alias="pageCount")

    @field_validator("title")
    @classmethod
    def not_shouted(cls, title: str) -> str:
        if title.isupper():
            raise ValueError("it shouts")
        return title


@dataclass
class Place:
    name: str
    tags: list[str] = field(default_factory=list)


class Tree(BaseModel):
    label: str
    children: list[Tree] = Field(default_factory=list)


def test_a_pydantic_model(model: Setup) -> None:
    author = {"name": "Ana", "born": "1970-01-02"}
    model.answer = lambda asked: {"title": "Tides", "authors": [author], "pageCount": 3}
    (chunk,) = model.extract("schema", text="x", schema=Book)
    assert chunk.metadata == {"title": "Tides", "kind": "novel", "authors": [author], "pageCount": 3}
    assert chunk.metadata["authors"][0]["born"] == "1970-01-02"
    (asked,) = model.server.requests
    assert asked.schema is not None
    assert set(asked.schema["properties"]) == {"title", "kind", "authors", "pageCount"}


def test_a_model_of_ones_own_checks_more_than_its_schema(model: Setup) -> None:
    model.answer = lambda asked: {"title": "TIDES" if "loud" in asked.prompt else "Tides"}
    with pytest.warns(ModelWarning, match=r"no object for chunk #0-.*At \$\.title: .*it shouts"):
        found = model.extract("schema", text="loud\n\nquiet", schema=Book, metadata_key="book")
    assert [chunk.metadata.get("book", {}).get("title") for chunk in found] == [None, "Tides"]


def test_an_answer_of_no_use_is_asked_for_once_more(model: Setup) -> None:
    model.answer = lambda asked: {"title": "TIDES" if asked.number == 0 else "Tides"}
    (chunk,) = model.extract("schema", text="x", schema=Book, llm=model.client(reasks=1))
    assert chunk.metadata["title"] == "Tides"
    assert len(model.prompts) == 2


def test_a_dataclass(model: Setup) -> None:
    model.answer = lambda asked: {"name": "Faro"}
    (chunk,) = model.extract("schema", text="x", schema=Place)
    assert chunk.metadata == {"name": "Faro", "tags": []}


@dataclass
class Strict:
    name: str

    def __post_init__(self) -> None:
        if self.name == "Atlantis":
            raise KeyError(self.name)


class Raising(BaseModel):
    name: str

    def model_post_init(self, context: Any) -> None:
        if self.name == "Atlantis":
            raise LookupError(f"no \x1b[2J {self.name}")


@pytest.mark.parametrize("schema", [Strict, Raising])
def test_what_a_class_raises_is_a_failure_of_that_chunk(schema: type, model: Setup) -> None:
    model.answer = lambda asked: {"name": asked.prompt}
    with pytest.warns(ModelWarning, match=r"no object for chunk #1-.*does not take it: \w+Error: .*Atlantis") as warned:
        found = model.extract("schema", text="Faro\n\nAtlantis\n\nLagos", schema=schema)
    assert [chunk.metadata for chunk in found] == [{"name": "Faro"}, {}, {"name": "Lagos"}]
    assert "\x1b" not in str(warned[0].message)


@dataclass
class Unfinished:
    name: NoSuchName  # type: ignore[name-defined]  # noqa: F821


class Hostile(BaseModel):
    name: str

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: Any, handler: Any) -> Any:
        raise KeyError("no schema today")


def test_a_model_that_holds_itself(model: Setup) -> None:
    model.answer = lambda asked: {"label": "a", "children": [{"label": "b", "children": []}]}
    (chunk,) = model.extract("schema", text="x", schema=Tree)
    assert chunk.metadata == {"label": "a", "children": [{"label": "b", "children": []}]}


def test_values_are_plain_and_each_chunk_has_its_own(model: Setup) -> None:
    model.answer = lambda asked: {"name": "Faro", "tags": ["a"]}
    first, second = model.extract("schema", text="x\n\nx", schema=Place)
    first.metadata["tags"].append("b")
    assert second.metadata["tags"] == ["a"]


class NoSchema:
    pass


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        (NoSchema, "got <class"),
        (Unfinished, "got <class.*not fully defined"),
        (Hostile, "got <class.*no schema today"),
        (list, 'no "type": "object" at the top'),
        (Book.model_construct(title="x"), "schema must be a JSON Schema of an object"),
        ({"$ref": "#/$defs/no"}, r"\$defs|at the top|refer"),
        ({"$ref": "#"}, "in a circle"),
        ({"type": "object", "$ref": "#"}, "in a circle"),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, 'no "type": "object" at the top'),
        ({"anyOf": []}, r"extract\['schema'\]: schema is no JSON Schema"),
        ({"type": "object", "properties": {"a": {"$ref": "https://example.org/x"}}}, "Nothing is fetched"),
        ({"type": "object", "properties": 5}, r"no JSON Schema: at \$"),
        ({}, 'no "type": "object" at the top'),
        ({"type": "object", "minProperties": float("nan")}, "must be a JSON value, got nan"),
    ],
)
def test_what_is_no_schema_of_an_object(schema: Any, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        form_of(schema)


def test_a_schema_that_holds_itself_is_refused() -> None:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"again": schema}
    with pytest.raises(OptionError, match="contains itself"):
        form_of(schema)


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"type": "object"}}},
        {"$ref": "#a", "$defs": {"x": {"$anchor": "a", "type": "object"}}},
        {"type": "object"},
        {"type": ["object"]},
        {"anyOf": [{"type": "object"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"properties": {"x": {}}}}},
        {"allOf": [{"type": "object"}, {"minProperties": 1}]},
        {"type": "object", "$schema": "https://example.org/unknown"},
    ],
)
def test_schemas_of_objects(schema: dict[str, Any]) -> None:
    assert form_of(schema).schema == schema


OPEN = {"type": "object", "properties": {"topic": {"type": "string"}}}


def test_keys_that_an_open_schema_does_not_name_replace_nothing(model: Setup) -> None:
    document = MDocument("x", metadata={"tenant": "acme", "topic": "old"}, source="s")
    model.answer = lambda asked: {"topic": "new", "tenant": "attacker", "docId": "1", "doc_id": "2", "mood": "calm"}
    with pytest.warns(ModelWarning, match="'docId', 'doc_id', 'tenant', which the schema does not name") as warned:
        (chunk,) = document.chunk(extract={"schema": {"llm": model.client(), "schema": OPEN}})
    assert len(warned) == 1
    assert chunk.metadata == {"tenant": "acme", "topic": "new", "mood": "calm"}
    named = {
        "type": "object",
        "properties": {"tenant": {}, "docId": {}, "topic": {}},
        "patternProperties": {"^doc": {}},
    }
    (chunk,) = document.chunk(extract={"schema": {"llm": model.client(), "schema": named}})
    assert (chunk.metadata["tenant"], chunk.metadata["docId"], chunk.metadata["doc_id"]) == ("attacker", "1", "2")
    (chunk,) = document.chunk(extract={"schema": {"llm": model.client(), "schema": OPEN, "metadata_key": "data"}})
    assert chunk.metadata["tenant"] == "acme"
    assert chunk.metadata["data"]["tenant"] == "attacker"


def test_what_a_class_writes_under_another_name_is_named(model: Setup) -> None:
    class Renamed(BaseModel):
        topic: str = Field(serialization_alias="theme")

    model.answer = lambda asked: {"topic": "new"}
    document = MDocument("x", metadata={"theme": "old"})
    (chunk,) = document.chunk(extract={"schema": {"llm": model.client(), "schema": Renamed}})
    assert chunk.metadata == {"theme": "new"}


def test_a_reference_to_elsewhere_is_an_error_for_any_client() -> None:
    class Own:
        def complete(self, messages: Any, **options: Any) -> str:
            raise AssertionError("paid for")

    schema = {"type": "object", "properties": {"a": {"$ref": "https://example.org/x"}}}
    with pytest.raises(OptionError, match="Nothing is fetched"):
        MDocument("x").chunk(extract={"schema": {"llm": Own(), "schema": schema}})


def test_variants_of_an_object_are_asked_for(model: Setup) -> None:
    model.answer = lambda asked: {"name": "Faro"}
    schema = {"anyOf": [{"type": "object", "required": ["title"]}, {"type": "object", "required": ["name"]}]}
    (chunk,) = model.extract("schema", text="x", schema=schema)
    assert chunk.metadata == {"name": "Faro"}


def test_a_server_that_knows_no_schemas_is_asked_in_words(model: Setup) -> None:
    model.server._refused = {"json_schema", "json_object"}
    model.answer = lambda asked: 'Here it is:\n```json\n{"name": "Faro"}\n```'
    (chunk,) = model.extract("schema", text="x", schema=Place)
    assert chunk.metadata == {"name": "Faro", "tags": []}
    assert model.prompts[-1] == "x"


def test_no_json_at_all(model: Setup) -> None:
    model.answer = lambda asked: "I would rather not."
    with pytest.raises(ExtractionError, match="The answer is no JSON"):
        model.extract("schema", text="x", schema=Place)
