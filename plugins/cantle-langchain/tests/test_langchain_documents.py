"""Chunks as documents and back, also through what LangChain and its store write."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from langchain_core.documents import Document
from langchain_core.load import dumps, loads
from langchain_core.vectorstores import InMemoryVectorStore

from cantle import Chunk, Chunks, MDocument
from cantle.errors import DocumentError, OptionError
from cantle.testing import markdown_documents, texts
from cantle_langchain import CantleTextSplitter, document_key, from_documents, to_documents

pytestmark = pytest.mark.filterwarnings("ignore:The function `loads?` is in beta")


def chunked(guide: str, **options: Any) -> Chunks:
    document = MDocument.from_markdown(guide, metadata={"lang": "en", "tags": ["a", "b"]}, source="guide.md")
    return document.chunk("structural-context", max_size=120, explain=True, **options)


def _written(document: Document) -> Document:
    return Document.model_validate_json(document.model_dump_json())


def _dumped(document: Document) -> Document:
    newer = "allowed_objects" in inspect.signature(loads).parameters
    found = loads(dumps(document), **({"allowed_objects": [Document]} if newer else {}))
    assert isinstance(found, Document)
    return found


def test_documents_of_chunks_are_those_of_the_splitter(guide: str) -> None:
    splitter = CantleTextSplitter("structural-context", kind="markdown", max_size=120, explain=True)
    metadata = {"lang": "en", "tags": ["a", "b"], "source": "guide.md"}
    document = MDocument.from_markdown(guide, metadata=metadata, source="guide.md")
    chunks = document.chunk("structural-context", max_size=120, explain=True)
    assert to_documents(chunks) == splitter.create_documents([guide], [metadata])


@pytest.mark.parametrize("through", [None, _written, _dumped], ids=["itself", "pydantic", "langchain"])
def test_chunks_come_back(guide: str, through: Any) -> None:
    chunks = chunked(guide)
    chunks[0].embedding = [0.25, -1.0]
    documents = to_documents(chunks)
    back = from_documents(documents if through is None else map(through, documents))
    assert back == list(chunks)
    assert [(chunk.id, chunk.key, chunk.text) for chunk in back] == [(c.id, c.key, c.text) for c in chunks]
    assert any(chunk.prefix for chunk in back)
    assert any(chunk.cut for chunk in back)
    assert back[0].embedding == [0.25, -1.0]


def test_chunks_come_back_from_a_store_and_from_its_file(guide: str, tmp_path: Path, embedding: Any) -> None:
    chunks = chunked(guide)
    store = InMemoryVectorStore(embedding)
    assert store.add_documents(to_documents(chunks)) == [chunk.key for chunk in chunks]
    keys = [chunk.key for chunk in chunks]
    assert from_documents(store.get_by_ids(keys)) == list(chunks)
    store.dump(str(tmp_path / "store.json"))
    loaded = InMemoryVectorStore.load(str(tmp_path / "store.json"), embedding)
    assert from_documents(loaded.get_by_ids(keys)) == list(chunks)
    hits = from_documents(loaded.similarity_search("channel twelve", k=2))
    assert hits[0] in list(chunks)
    assert "channel twelve" in hits[0].content


def test_some_chunks_keep_their_keys() -> None:
    chunks = MDocument.from_text("same\n\nsame\n\nsame", source="s").chunk("recursive", max_size=4, overlap=0)
    assert len(chunks) == 3
    documents = to_documents(chunks[1:])
    assert [document.id for document in documents] == [chunk.key for chunk in chunks[1:]]
    assert from_documents(reversed(documents)) == [chunks[2], chunks[1]]
    assert [chunk.key for chunk in from_documents(documents)] == [chunk.key for chunk in chunks[1:]]


def test_no_two_documents_have_one_id() -> None:
    parts = [MDocument.from_text("same", source="s").chunk() for _ in range(3)]
    ids = [document.id for document in to_documents(chunk for chunks in parts for chunk in chunks)]
    assert len(set(ids)) == 3


def test_no_chunks_are_no_documents() -> None:
    assert to_documents([]) == []
    assert from_documents([]) == []


def test_metadata_of_ours_are_strings_and_numbers_which_every_store_takes(guide: str) -> None:
    chunks = MDocument.from_markdown(guide, metadata={"tags": ["a"]}, source="g").chunk("structural-context")
    assert all(isinstance(chunk.metadata["blocks"], list) for chunk in chunks)
    for document, chunk in zip(to_documents(chunks), chunks, strict=True):
        assert document.metadata.pop("tags") == ["a"]  # the document's own stay as they are
        assert all(isinstance(value, str | int) for value in document.metadata.values())
        assert json.loads(document.metadata["cantle"])["start"] == document.metadata["start_index"] == chunk.start


def test_what_is_added_to_the_metadata_stays(guide: str) -> None:
    (document, *_) = to_documents(chunked(guide))
    document.metadata["score"] = 0.5
    assert from_documents([document])[0].metadata["score"] == 0.5


def test_a_document_without_a_source_gets_that_of_the_chunk() -> None:
    (document,) = to_documents(MDocument.from_text("Text.", source="a.txt").chunk())
    assert document.metadata["source"] == "a.txt"
    assert from_documents([document])[0].metadata == {}
    (document,) = to_documents(MDocument.from_text("Text.", metadata={"source": "mine"}, source="a.txt").chunk())
    assert document.metadata["source"] == "mine"


def test_a_document_that_is_not_ours_or_was_changed_is_refused(guide: str) -> None:
    (document, *_) = to_documents(chunked(guide))
    changed = Document(page_content=document.page_content + "!", metadata=document.metadata)
    for function in (document_key, lambda one: from_documents([one])):
        with pytest.raises(DocumentError, match=r"is not the one that was cut"):
            function(changed)
        with pytest.raises(DocumentError, match=r"was not cut by cantle"):
            function(Document(page_content="Text.", metadata={"source": "a"}))
        with pytest.raises(OptionError, match="take the first of each"):
            function((document, 0.5))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="takes a list of documents"):
        from_documents(document)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match=r"objects of cantle\.Chunk, got 'a' at position 0"):
        to_documents("abc")  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="or a list of Chunk"):
        to_documents(Chunk("a", 0, 1))  # type: ignore[arg-type]


def test_the_key_is_that_of_the_chunk(guide: str) -> None:
    chunks = chunked(guide)
    assert [document_key(document) for document in to_documents(chunks)] == [chunk.key for chunk in chunks]
    (document, *_) = to_documents(chunks)
    assert document_key(Document(page_content=document.page_content, metadata=document.metadata)) == chunks[0].key


def test_lone_surrogates_survive() -> None:
    (chunk,) = MDocument.from_text("a\ud800b", source="s\udfff").chunk()
    assert from_documents(to_documents([chunk])) == [chunk]


@settings(max_examples=60, deadline=None)
@given(texts())
def test_any_chunk_comes_back(text: str) -> None:
    chunks = MDocument.from_text(text, source="s").chunk("recursive", max_size=10, overlap=2, explain=True)
    assert from_documents(to_documents(chunks)) == list(chunks)


@settings(max_examples=30, deadline=None)
@given(markdown_documents())
def test_any_chunk_of_markdown_comes_back_from_json(text: str) -> None:
    chunks = MDocument.from_markdown(text, source="s").chunk("structural-context", max_size=60)
    if text.isascii():
        assert from_documents(map(_written, to_documents(chunks))) == list(chunks)
    assert from_documents(to_documents(chunks)) == list(chunks)
