"""`extract` and `aextract`: metadata for chunks that exist already, of one document or of several."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from small_plugins import DOC, Plugin, Words, every

from cantle import Chunk, Chunks, MDocument, Registry, Source, aextract, extract
from cantle.errors import ExtractionError, OptionError


def aextract_now(chunks: Any, fields: Any, **options: Any) -> Any:
    return asyncio.run(aextract(chunks, fields, **options))


EITHER = pytest.mark.parametrize("run", [extract, aextract_now])


def several(*documents: MDocument) -> list[Chunks]:
    return [document.chunk(Words(), plugins=Registry({})) for document in documents]


@EITHER
def test_the_metadata_of_these_very_chunks_is_extended(run: Any) -> None:
    chunks = DOC.chunk(Words(), plugins=Registry({}))
    second = chunks[1]

    def seen(document: MDocument, given: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert document is DOC
        assert given is chunks
        return [{"n": chunk.index, **options} for chunk in given]

    assert run(chunks, {"a": {"x": 1}, "b": False}, plugins=Registry({"p": Plugin(a=seen)})) is chunks
    assert second is chunks[1]
    assert second.metadata == {"lang": {"main": "en"}, "n": 1, "x": 1}
    assert chunks.to_dicts()[2]["metadata"] == {"lang": {"main": "en"}, "n": 2, "x": 1}


@EITHER
def test_an_extractor_gets_each_of_several_documents_in_turn_field_by_field(run: Any) -> None:
    calls = []

    def note(field: str) -> Any:
        def extractor(document: MDocument, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            calls.append((field, document.text, len(chunks)))
            return [{field: document.text} for _ in chunks]

        return extractor

    given = several(MDocument("one two"), MDocument(""), MDocument("three"))
    plugins = Registry({"p": Plugin(title=note("title"), summary=note("summary"))})
    assert run(given, {"title": True, "summary": True}, plugins=plugins) is given
    assert calls == [
        (field, text, len(text.split())) for field in ("summary", "title") for text in ("one two", "", "three")
    ]
    assert given[2].metadata == [{"title": "three", "summary": "three"}]


class Together:
    """An extractor that gets all documents at once."""

    together = True

    def __call__(self, documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
        assert isinstance(chunks, Chunks)
        several = isinstance(documents, list)
        return [
            {"of": len(chunks), "text": documents[i].text if several else documents.text} for i in range(len(chunks))
        ]


@EITHER
def test_an_extractor_that_is_together_gets_the_chunks_of_all(run: Any) -> None:
    given = several(MDocument("one two", source="a"), MDocument("three", source="b"))
    ids = [chunk.id for chunks in given for chunk in chunks]
    seen = []

    class Looks(Together):
        def __call__(self, documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            assert [chunk.id for chunk in chunks] == ids
            assert all(chunk.metadata["first"] for chunk in chunks)
            seen.append(chunks)
            return super().__call__(documents, chunks, options)

    plugins = Registry({"p": Plugin(keywords=every(first=True), title=Looks(), zebra=Looks())})
    run(tuple(given), {"title": True, "keywords": True, "zebra": True}, plugins=plugins)
    assert given[0][1].metadata == {"first": True, "of": 3, "text": "one two"}
    assert given[1][0].metadata == {"first": True, "of": 3, "text": "three"}
    assert [chunk.id for chunks in given for chunk in chunks] == ids
    assert seen[0] is seen[1]  # so that an extractor may keep account of a run


@EITHER
def test_of_one_document_it_gets_that_also_from_a_list_or_given_twice(run: Any) -> None:
    (chunks,) = several(MDocument("one two"))
    for given in (chunks, [chunks], [chunks, chunks]):
        assert run(given, {"a": True}, plugins=Registry({"p": Plugin(a=Together())})) is given
    assert chunks[0].metadata == {"of": 2, "text": "one two"}


def test_an_answer_for_all_must_have_one_mapping_a_chunk() -> None:
    class Short(Together):
        def __call__(self, documents: Any, chunks: Chunks, options: Mapping[str, Any]) -> list[dict[str, Any]]:
            return [{}]

    with pytest.raises(ExtractionError, match=r"field 'a' in plugin 'acme' returned 1 mappings for 3 chunks"):
        extract(
            several(MDocument("one two"), MDocument("a")), {"a": True}, plugins=Registry({"acme": Plugin(a=Short())})
        )


def test_chunks_of_a_plain_source() -> None:
    chunks = Chunks(Source("one", "markdown", {"m": 1}, "s"), [Chunk("one", 0, 3)])
    extract(chunks, {"a": True}, plugins=Registry({"p": Plugin(a=Together())}))
    assert chunks[0].metadata == {"m": 1, "of": 1, "text": "one"}


@EITHER
def test_nothing_runs_when_a_field_is_wrong(run: Any) -> None:
    called: list[int] = []
    plugins = Registry({"p": Plugin(a=lambda d, c, o: called.append(1))})
    for given in ([], several(MDocument("one")), several(MDocument("one"), MDocument("two"))):
        with pytest.raises(ExtractionError, match="No plugin extracts the field 'nothing'"):
            run(given, {"a": True, "nothing": True}, plugins=plugins)
    assert called == []


@EITHER
@pytest.mark.parametrize("given", ["text", DOC, None, 5, {"a": 1}, [DOC], ["text"], iter([])])
def test_what_is_no_chunks(run: Any, given: Any) -> None:
    with pytest.raises(
        OptionError, match=r"chunks must be Chunks, as chunk\(\) returns them, or a list of several, got "
    ):
        run(given, {})


def test_single_chunks_are_refused_with_a_hint() -> None:
    with pytest.raises(OptionError, match=r"got Chunk at position 0\. Single chunks do not know their document"):
        extract(several(MDocument("one"))[0][:], {})
