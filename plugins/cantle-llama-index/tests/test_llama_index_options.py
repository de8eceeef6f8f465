"""Arguments of `CantleNodeParser`: options, strategies as objects, what is wrong; serialisation, pickling, copies."""

from __future__ import annotations

import copy
import json
import pickle
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from llama_index.core import Document

from cantle import Chunk, registry
from cantle.errors import OptionError, UnknownStrategyError
from cantle_llama_index import CantleNodeParser


def document(text: str, **metadata: Any) -> Document:
    return Document(text=text, id_="guide", metadata=metadata)


def test_options_by_keyword_and_by_dictionary(guide: str) -> None:
    by_keyword = CantleNodeParser("recursive", max_size=80, overlap=10)
    by_dictionary = CantleNodeParser("recursive", options={"overlap": 10, "max_size": 80})
    assert by_keyword([document(guide)]) == by_dictionary([document(guide)])
    assert by_keyword.to_dict() == by_dictionary.to_dict()
    assert str(by_keyword.to_dict()) == str(by_dictionary.to_dict())
    with pytest.raises(OptionError, match="max_size is given both"):
        CantleNodeParser("recursive", options={"max_size": 80}, max_size=80)
    with pytest.raises(OptionError, match="options must be a mapping"):
        CantleNodeParser("recursive", options=[("max_size", 80)])  # type: ignore[arg-type]


def test_wrong_arguments_are_told_at_once() -> None:
    with pytest.raises(OptionError, match="Did you mean 'max_size'"):
        CantleNodeParser("recursive", chunk_size=100)
    with pytest.raises(UnknownStrategyError, match="recursve"):
        CantleNodeParser("recursve")
    with pytest.raises(OptionError, match="kind"):
        CantleNodeParser("recursive", kind=3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="documents or nodes, got 'text'"):
        CantleNodeParser("recursive", max_size=10)._parse_nodes(["text"])  # type: ignore[list-item]


def test_fields_may_be_assigned_to(guide: str) -> None:
    parser = CantleNodeParser("recursive", max_size=80)
    before = parser([document(guide)])
    parser.options["max_size"] = 200
    wider = parser([document(guide)])
    assert len(wider) < len(before)
    assert parser.to_dict()["options"] == {"max_size": 200}
    parser.strategy, parser.options = "sentence", {"max_size": 80}
    assert parser([document(guide)]) == CantleNodeParser("sentence", max_size=80)([document(guide)])


@dataclass(frozen=True, kw_only=True)
class Halves:
    """A strategy of the user's own, which no plugin offers."""

    name: ClassVar[str] = "halves"

    def split(self, source: Any) -> list[Chunk]:
        middle = len(source.text) // 2
        return [Chunk(source.text[:middle], 0, middle), Chunk(source.text[middle:], middle, len(source.text))]


@pytest.mark.parametrize("given", [Halves, Halves()], ids=["class", "instance"])
def test_strategies_as_objects(given: Any) -> None:
    parser = CantleNodeParser(given)
    assert [node.text for node in parser([document("abcd")])] == ["ab", "cd"]
    assert [node.text for node in pickle.loads(pickle.dumps(parser))([document("abcd")])] == ["ab", "cd"]
    with pytest.raises(OptionError, match="disable_cache=True"):
        parser.to_dict()


def test_strategies_of_plugins_as_objects(guide: str) -> None:
    made = registry().make("recursive", {"max_size": 80})
    parser = CantleNodeParser(made)
    assert parser.to_dict()["strategy"] == "recursive"
    assert parser.to_dict()["options"] == {"max_size": 80}
    assert CantleNodeParser.from_dict(parser.to_dict())([document(guide)]) == parser([document(guide)])


def test_functions_as_options_are_not_dropped(guide: str) -> None:
    parser = CantleNodeParser("recursive", max_size=40, length_function=lambda text: len(text) * 2)
    assert parser([document(guide)])
    with pytest.raises(OptionError, match="length_function"):
        parser.to_dict()
    with pytest.raises(OptionError, match="options of CantleNodeParser does not pickle"):
        pickle.dumps(parser)
    copied = copy.deepcopy(parser)
    assert copied([document(guide)]) == parser([document(guide)])


@pytest.mark.parametrize(
    "parser",
    [
        CantleNodeParser(),
        CantleNodeParser("recursive", max_size=80, overlap=5, length_function="cl100k_base"),
        CantleNodeParser("structural-context", kind="markdown", max_size=140, include_prev_next_rel=False),
        CantleNodeParser(kind="markdown", include_metadata=False, include_parent_child_rel=False),
    ],
    ids=["plain", "tokens", "structural", "kind"],
)
def test_serialisation(parser: CantleNodeParser, guide: str) -> None:
    nodes = parser([document(guide)])
    data = parser.to_dict()
    assert data["class_name"] == "CantleNodeParser"
    assert json.loads(json.dumps(data)) == data
    others = [
        CantleNodeParser.from_dict(data),
        CantleNodeParser.from_json(parser.to_json()),
        CantleNodeParser.model_validate(parser.model_dump()),
        CantleNodeParser.model_validate_json(parser.model_dump_json()),
        pickle.loads(pickle.dumps(parser)),
        copy.copy(parser),
        copy.deepcopy(parser),
    ]
    for other in others:
        assert other.to_dict() == data
        assert other([document(guide)]) == nodes


@pytest.mark.parametrize("wrong", ["keywords", ["keywords"], {"keywords": 5}])
def test_what_to_extract_is_checked_at_once(wrong: Any) -> None:
    with pytest.raises(OptionError, match="extract"):
        CantleNodeParser(extract=wrong)
