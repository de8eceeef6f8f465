"""What the adapters to other frameworks share: texts as documents, with a name and a kind, and a strategy for them."""

from __future__ import annotations

import asyncio
import json
import pickle
import threading
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import pytest

from cantle import Chunk, Source, option
from cantle.adapters import KIND, RECORD, Cutter, Keys, key_uuid, pack
from cantle.errors import DocumentError, ExtractionError, OptionError, UnknownStrategyError

# -- Cutter: what a document is called ---------------------------------------------------------------

RANDOM = "0b7e1a52-3c55-4f0e-9a0d-0a1b2c3d4e5f"

HIGH, LOW = "\ud83d", "\ude00"
"""Two code points that must never become one."""


@pytest.mark.parametrize(
    ("given", "id", "named"),
    [
        ({"source": "a", "file_path": "b"}, "i", "a"),
        ({"file_path": "b", "url": "c"}, "i", "b"),
        ({"url": "c", "file_name": "d"}, "i", "c"),
        ({"file_name": "d"}, "i", "d"),
        ({"source": "", "file_path": None, "url": "c"}, "i", "c"),
        ({"source": 7}, "", "7"),
        ({"source": "a", "page": 0}, "", "a#page=0"),
        ({"source": "a", "page_label": "iv", "page_number": 4}, "", "a#page=iv"),
        ({"source": "a", "page": None, "page_label": "", "page_number": 4}, "", "a#page=4"),
        ({"source": "a", "page": True}, "", "a"),
        ({"source": "a", "page": [1]}, "", "a"),
        ({}, "i", "i"),
        ({"page": 3}, "i", "i"),
        ({}, RANDOM, "sha256-982d9e3eb996f559"),
        ({}, RANDOM.upper(), RANDOM.upper()),
        ({}, RANDOM.replace("-4f", "-5f"), RANDOM.replace("-4f", "-5f")),
        ({"page": 3}, RANDOM, "sha256-982d9e3eb996f559#page=3"),
        ({"source": "3", "file_path": "a.pdf", "total_pages": 9}, RANDOM, "a.pdf#page=3"),
        ({"source": 3, "file_path": "a.pdf", "page": 3}, "", "a.pdf#page=3"),
        ({"source": "3"}, RANDOM, "3"),
        ({"source": "3", "file_path": ""}, RANDOM, "3"),
        (None, "", "sha256-982d9e3eb996f559"),
        ({"source": HIGH + LOW}, "", HIGH + LOW),
    ],
)
def test_the_name_of_a_document(given: dict[str, Any] | None, id: str, named: str) -> None:
    assert Cutter().document("text", given, id=id).source == named


def test_a_text_that_is_cut_again_does_not_take_over_the_record() -> None:
    text = "Low water at six. High water at noon."
    chunk = Chunk(text, 0, len(text), metadata={"topic": "tides"})
    made = pack(chunk, {"start_index": 0, "topic": "shown"})
    document = Cutter().document(chunk.text, made)
    assert document.metadata == {"topic": "tides"}
    for mine in ("mine", '{"v":1}', '{"v":1,"added":["a"],"kept":{"b":1},"source":"x","hash":"00"}'):
        document = Cutter().document("text", {RECORD: mine, "a": 1}, id="x")
        assert document.metadata == {RECORD: mine, "a": 1}
        assert document.source == "x"


@pytest.mark.parametrize("named", [{"source": "a"}, {}])
def test_pieces_that_are_cut_again_one_by_one_share_no_key(named: dict[str, Any]) -> None:
    cutter = Cutter(strategy="recursive", options={"max_size": 60, "overlap": 0})
    finer = Cutter(strategy="recursive", options={"max_size": 20, "overlap": 0})
    levels = [[Cutter(strategy="recursive").document("All the same.\n" * 40, named)]]
    keys: list[str] = []
    for level in (cutter, finer, finer):
        below = []
        for document in levels[-1]:
            chunks = level.cut(document)
            for chunk, key in zip(chunks, Keys().of(chunks), strict=True):
                keys.append(key)
                below.append(level.document(chunk.text, pack(chunk, {}, key=key)))
        levels.append(below)
    assert len(keys) == len(set(keys)) > 80
    assert {document.metadata.get("source") for document in levels[-1]} == {named.get("source")}


def test_the_uuid_of_a_key() -> None:
    assert key_uuid("a:00:1") == "8428cdd7-8529-5533-b21e-c05948b23178"
    assert key_uuid(HIGH + LOW) != key_uuid("\U0001f600")


def test_the_metadata_are_a_copy() -> None:
    mine: dict[str, Any] = {"tags": ["a"]}
    document = Cutter().document("text", mine)
    document.metadata["tags"].append("b")  # type: ignore[index,union-attr,unused-ignore]
    assert mine == {"tags": ["a"]}


def deep() -> list[Any]:
    made: list[Any] = []
    for _ in range(100_000):
        made = [made]
    return made


@pytest.mark.parametrize("value", [threading.Lock(), deep()], ids=["lock", "deep"])
def test_metadata_that_cannot_be_copied(value: Any) -> None:
    with pytest.raises(DocumentError, match="the metadata of 'a' cannot be copied"):
        Cutter().document("text", {"source": "a", "value": value})


# -- Cutter: kinds and strategies --------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Halves:
    """Not offered by any plugin."""

    name: ClassVar[str] = "halves"
    more: int = option(0, "Nothing.")

    def split(self, source: Source) -> list[Chunk]:
        half = len(source.text) // 2
        return [Chunk(source.text[:half], 0, half), Chunk(source.text[half:], half, len(source.text))]


class Sneaky:
    """No dataclass."""

    name = "recursive"

    def split(self, source: Source) -> list[Chunk]:
        return [Chunk(source.text, 0, len(source.text))]


@pytest.mark.parametrize(
    ("cutter", "given", "kind"),
    [
        (Cutter(), {}, "text"),
        (Cutter(), {KIND: "markdown"}, "markdown"),
        (Cutter(), {KIND: ""}, "text"),
        (Cutter(), {KIND: 3}, "text"),
        (Cutter(kind="html"), {KIND: "markdown"}, "html"),
        (Cutter(strategy="markdown"), {}, "markdown"),
        (Cutter(strategy="json"), {}, "json"),
        (Cutter(strategy="recursive"), {KIND: "latex"}, "latex"),
        (Cutter(strategy=Halves), {}, "text"),
    ],
    ids=lambda value: f"{value.strategy!r:.12}-{value.kind}" if isinstance(value, Cutter) else str(value),
)
def test_the_kind_of_a_document(cutter: Cutter, given: Mapping[str, Any], kind: str) -> None:
    assert cutter.document("text", given).kind == kind


def test_each_kind_has_its_strategy() -> None:
    cutter, text = Cutter(options={"max_size": 60}), "# Tides\n\nLow water at six.\n\n# Berths\n\nNine of them."
    assert cutter.cut(cutter.document(text, {KIND: "markdown"}))[0].path == ("Tides",)
    assert cutter.cut(cutter.document(text))[0].path == ()


@pytest.mark.parametrize("strategy", ["recursive", Halves, Halves(), None], ids=str)
def test_a_cutter_cuts_as_chunk_does(strategy: Any) -> None:
    cutter = Cutter(strategy=strategy, options={} if isinstance(strategy, Halves | type) else {"max_size": 30})
    document = cutter.document("Low water at six in the morning. High water at noon.", {"a": 1}, id="d")
    wanted = document.chunk(strategy, **cutter.options)
    assert cutter.cut(document) == wanted
    assert asyncio.run(cutter.acut(document)) == wanted
    assert wanted.config_hash == cutter.cut(document).config_hash


def test_extract() -> None:
    cutter = Cutter(strategy="recursive", options={"max_size": 60}, extract={"title": True})
    assert "document_title" in cutter.cut(cutter.document("Tides\n\nLow water at six."))[0].metadata
    assert "document_title" in asyncio.run(cutter.acut(cutter.document("Tides\n\nLow water at six.")))[0].metadata


@pytest.mark.parametrize("strategy", ["recursive", None])
def test_a_warning_comes_once(strategy: str | None) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cutter = Cutter(strategy=strategy, options={"language": "python", "separators": ["\n"]})
        for i in range(5):
            cutter.cut(cutter.document(f"x = {i}"))
    assert [str(warning.message)[:25] for warning in caught] == ["separators has no effect "]


def test_wrong_options_are_refused_at_once() -> None:
    with pytest.raises(OptionError, match="Did you mean 'max_size'"):
        Cutter(strategy="recursive", options={"chunk_size": 5})
    with pytest.raises(UnknownStrategyError, match="recursive"):
        Cutter(strategy="recursiv")
    with pytest.raises(OptionError, match="options must be a mapping"):
        Cutter(strategy="recursive", options={1: 2})  # type: ignore[dict-item]
    with pytest.raises(OptionError, match="options must be a mapping"):
        Cutter(strategy="recursive", options=["max_size"])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="kind"):
        Cutter(kind=3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="max_size"):
        Cutter(kind="markdown", options={"max_size": -1})


# -- Cutter: written down ----------------------------------------------------------------------------

CONFIGS = {
    "nothing": (Cutter(), {}),
    "name": (
        Cutter(strategy="recursive", options={"max_size": 5, "separators": ("\n", "")}, kind="text"),
        {"strategy": "recursive", "options": {"max_size": 5, "separators": ["\n", ""]}, "kind": "text"},
    ),
    "extract": (
        Cutter(strategy="semantic-markdown", extract={"keywords": {"keywords": 3}}),
        {"strategy": "semantic-markdown", "extract": {"keywords": {"keywords": 3}}},
    ),
    "length": (Cutter(options={"length_function": "cl100k_base"}), {"options": {"length_function": "cl100k_base"}}),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_config_makes_the_cutter_again(name: str) -> None:
    cutter, wanted = CONFIGS[name]
    assert cutter.config() == wanted
    again = Cutter(**json.loads(json.dumps(wanted)))
    assert again.config() == wanted


def test_classes_and_instances_are_written_by_name() -> None:
    from cantle import registry

    cls = registry().strategies()["recursive"]
    assert Cutter(strategy=cls, options={"max_size": 9}).config() == {
        "strategy": "recursive",
        "options": {"max_size": 9},
    }
    assert Cutter(strategy=cls(max_size=9)).config() == {"strategy": "recursive", "options": {"max_size": 9}}
    assert Cutter(strategy=cls()).config() == {"strategy": "recursive"}


def test_what_has_no_name_is_not_written() -> None:
    for strategy in (Halves, Halves(), Sneaky()):
        with pytest.raises(OptionError, match="cannot be written down, since no plugin offers it"):
            Cutter(strategy=strategy).config()
    with pytest.raises(OptionError, match="option 'length_function' is len, which cannot be written down"):
        Cutter(strategy="recursive", options={"length_function": len}).config()
    with pytest.raises(OptionError, match="extract is dict, which cannot be written down"):
        Cutter(extract={"title": MappingProxyType({})}).config()


def test_a_cutter_pickles_and_serves_threads() -> None:
    cutter: Cutter = pickle.loads(pickle.dumps(Cutter(options={"max_size": 20})))
    text = "Low water at six. High water at noon. Low water again at six."
    wanted = cutter.cut(cutter.document(text)).texts
    found: list[list[str]] = []
    threads = [threading.Thread(target=lambda: found.append(cutter.cut(cutter.document(text)).texts)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 8


@pytest.mark.parametrize(
    "wrong", [{"nosuch": True}, {"keywords": 5}, {"keywords": {"nosuch": 1}}, "keywords", ["title"]]
)
def test_what_to_extract_is_checked_when_a_cutter_is_made(wrong: Any) -> None:
    with pytest.raises((OptionError, ExtractionError), match=r"extract|field"):
        Cutter(extract=wrong)
