"""Chunks as Haystack documents, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from haystack import Document
from haystack.document_stores.in_memory import InMemoryDocumentStore
from hypothesis import given, settings

from cantle import Chunk, MDocument
from cantle.errors import DocumentError, OptionError
from cantle.testing import hostile_documents, markdown_documents, texts
from cantle_haystack import CantleDocumentSplitter, WrongTypeError, from_documents, to_documents

GUIDE = "# Guide\n\nFor skippers.\n\n## Berths\n\n" + "Nine metres at A1. Twelve metres at B1. " * 6


def same(one: list[Chunk], other: list[Chunk]) -> bool:
    return one == other and [c.to_dict() for c in one] == [c.to_dict() for c in other]


@settings(max_examples=40)
@given(markdown_documents())
def test_there_and_back(text: str) -> None:
    document = MDocument(text, "markdown", {"lang": "en", "tags": ["a"]}, "guide")
    for strategy in ("structural-context", "recursive"):
        chunks = document.chunk(strategy, max_size=80, overlap=20, explain=True)
        for prefix in ("content", "meta"):
            made = to_documents(chunks, prefix=prefix)
            assert [one.id for one in made] == [chunk.key for chunk in chunks]
            assert same(from_documents(made), list(chunks))
            assert [c.own_metadata for c in from_documents(made)] == [c.own_metadata for c in chunks]


@settings(max_examples=40)
@given(texts())
def test_through_dictionaries_and_json(text: str) -> None:
    chunks = MDocument(text, "text", {}, "a").chunk("recursive", max_size=40, overlap=9)
    for flatten in (True, False):
        rows = [document.to_dict(flatten=flatten) for document in to_documents(chunks)]
        rows = json.loads(json.dumps(rows, ensure_ascii=False))
        assert same(from_documents([Document.from_dict(row) for row in rows]), list(chunks))


@pytest.mark.parametrize("number", range(len(hostile_documents())))
def test_hostile_documents(number: int) -> None:
    hostile = hostile_documents()[number]
    parent = Document(id="parent", content=hostile.text, meta={"file_path": "\ud83d", "cantle": "mine", "": [None]})
    component = CantleDocumentSplitter("recursive", kind=hostile.kind, max_size=200, overlap=30)
    made = component.run([parent])["documents"]
    assert len({document.id for document in made}) == len(made)
    for document, chunk in zip(made, from_documents(made), strict=True):
        assert document.id == chunk.key
        assert chunk.metadata == {"file_path": "\ud83d", "cantle": "mine", "": [None]}
        assert hostile.text[chunk.start : chunk.end] == chunk.content == document.content


def test_through_a_store_on_disk(tmp_path: Path) -> None:
    chunks = MDocument.from_markdown(GUIDE, source="guide").chunk("structural-context", max_size=90, overlap=30)
    for chunk in chunks:
        chunk.embedding = [0.1, 1 / 3]
    store = InMemoryDocumentStore()
    store.write_documents(to_documents(chunks))
    store.save_to_disk(str(tmp_path / "store.json"))
    found = InMemoryDocumentStore.load_from_disk(str(tmp_path / "store.json")).filter_documents()
    back = sorted(from_documents(found), key=lambda chunk: chunk.index)
    assert same(back, list(chunks))
    assert back[0].embedding == [0.1, 1 / 3]


def test_as_the_splitter_gives_them() -> None:
    document = MDocument.from_markdown("One.\f\n\n" + GUIDE, source="guide.md", metadata={"source": "guide.md"})
    chunks = document.chunk("structural-context", max_size=90, overlap=30)
    component = CantleDocumentSplitter("structural-context", kind="markdown", max_size=90, overlap=30)
    wanted = component.run([Document(id="guide.md", content=document.text, meta=document.metadata)])["documents"]
    assert to_documents(chunks) == wanted
    assert {one.meta["page_number"] for one in wanted} == {1, 2}


def test_pages_of_chunks_alone() -> None:
    pages = ["Harbour 1\n\nLow water at six.", "Harbour 2\n\nHigh water at noon."]
    told = MDocument.from_pdf_text(pages, source="a.pdf").chunk("structural-context", max_size=40)
    assert [one.meta["page_number"] for one in to_documents(list(told))] == [1, 2]
    not_told = MDocument("One.\fTwo.", source="a").chunk("recursive", max_size=5)
    assert all("page_number" not in one.meta for one in to_documents(list(not_told)))
    assert [one.meta["page_number"] for one in to_documents(from_documents(to_documents(told)))] == [1, 2]


def test_some_of_the_chunks_keep_their_keys() -> None:
    chunks = MDocument("a\nb\na\nc", source="d").chunk("recursive", max_size=2, overlap=0)
    assert [one.id for one in to_documents(reversed(list(chunks)))] == [chunk.key for chunk in chunks][::-1]
    assert to_documents([chunks[2]])[0].id == chunks[2].key
    assert same(from_documents(to_documents([chunks[2]])), [chunks[2]])


def test_chunks_of_several_documents() -> None:
    one, other = (MDocument(GUIDE, source=s).chunk("recursive", max_size=90, overlap=30) for s in "ab")
    made = to_documents([*one, *other])
    assert {document.meta["source_id"] for document in made} == {"a", "b"}
    ids = {document.id: document.meta["source_id"] for document in made}
    entries = [(d.meta["source_id"], ids[e["doc_id"]]) for d in made for e in d.meta["_split_overlap"]]
    assert entries
    assert all(a == b for a, b in entries)
    twice = to_documents([*one, *one])
    assert len({document.id for document in twice}) == len(twice)


def test_a_vector_is_in_its_field_alone() -> None:
    chunk = Chunk("text", 0, 4)
    chunk.embedding = [0.25, 0.5]
    document = to_documents([chunk])[0]
    assert document.embedding == [0.25, 0.5]
    assert "0.25" not in document.meta["cantle"]
    assert from_documents([document])[0].embedding == [0.25, 0.5]
    document = Document(id="a", content="text", meta=document.meta, embedding=[1.0])
    assert from_documents([document])[0].embedding == [1.0]


def test_nothing() -> None:
    assert to_documents([]) == []
    assert to_documents(MDocument("").chunk("recursive")) == []
    assert from_documents([]) == []


@pytest.mark.parametrize("given", [[1], ["text"], [Document(content="a")]], ids=str)
def test_only_chunks(given: Any) -> None:
    with pytest.raises(WrongTypeError, match="to_documents takes chunks"):
        to_documents(given)


def test_one_thing_is_no_list() -> None:
    document = Document(content="a")
    for wrong in (None, document, {"documents": [document]}):
        with pytest.raises(WrongTypeError, match=r"takes a list of Haystack documents.*result\['documents'\]"):
            from_documents(wrong)  # type: ignore[arg-type]
    for missing in (None, MDocument("a").chunk("recursive")[0]):
        with pytest.raises(WrongTypeError, match=r"takes what chunk\(\) gives"):
            to_documents(missing)  # type: ignore[arg-type]


def test_another_prefix() -> None:
    with pytest.raises(OptionError, match="prefix must be 'content'"):
        to_documents([], prefix="both")  # type: ignore[arg-type]


def test_what_is_no_chunk() -> None:
    made = to_documents(MDocument(GUIDE, source="guide").chunk("recursive", max_size=60))[0]
    with pytest.raises(DocumentError, match="was not cut by cantle"):
        from_documents([Document(content="a")])
    with pytest.raises(DocumentError, match="is not the one that was cut"):
        from_documents([Document(id=made.id, content="Another text", meta=made.meta)])
    with pytest.raises(DocumentError, match="has no text"):
        from_documents([Document(id="a", meta=made.meta)])
    with pytest.raises(DocumentError, match="is no record"):
        from_documents([Document(content=made.content, meta={**made.meta, "cantle": "{}"})])
    with pytest.raises(WrongTypeError, match="from_documents takes Haystack documents"):
        from_documents(["text"])  # type: ignore[list-item]


def test_lists_of_a_strategy_come_back_where_a_store_drops_lists() -> None:
    chunks = list(MDocument("# A\n\nOne.\n\n# B\n\n- two\n", "markdown", {"n": 1}, "a").chunk("structural-context"))
    assert any(isinstance(value, list) for value in chunks[0].metadata.values())
    kept = []
    for document in to_documents(chunks):
        assert not any(isinstance(value, list | dict) for value in document.meta.values())
        kept.append(document)
    assert from_documents(kept) == chunks


def test_a_prefix_of_the_document_is_not_embedded() -> None:
    document = Document(content="# A\n\nOne.\n\n## B\n\nTwo.\n", meta={"source": "a", "prefix": "mine"})
    splitter = CantleDocumentSplitter("structural-context", kind="markdown", max_size=16, prefix="meta")
    made = splitter.run([document])["documents"]
    assert [document.meta["prefix"] for document in made] == ["", "# A\n\n"]
    for document, chunk in zip(made, from_documents(made), strict=True):
        assert document.meta["prefix"] + (document.content or "") == chunk.text
        assert chunk.metadata["prefix"] == "mine"
