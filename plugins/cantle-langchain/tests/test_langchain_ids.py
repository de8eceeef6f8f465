"""Ids that are UUIDs, for stores that take no others."""

from __future__ import annotations

import asyncio
import pickle
from typing import Any
from uuid import UUID

import pytest
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from cantle import MDocument
from cantle.adapters import key_uuid
from cantle.errors import OptionError
from cantle_langchain import CantleTextSplitter, document_key, from_documents, to_documents

TEXT = "One two three. Four five six. One two three."


def test_a_uuid_stands_for_each_key() -> None:
    given: dict[str, Any] = {"strategy": "sentence", "max_size": 16, "overlap": 0}
    documents = [Document(page_content=TEXT, metadata={"source": "a"}) for _ in range(2)]
    named = CantleTextSplitter(**given).split_documents(documents)
    splitter = CantleTextSplitter(**given, ids="uuid")
    found = splitter.split_documents(documents)
    assert [piece.id for piece in found] == [key_uuid(str(piece.id)) for piece in named]
    assert {UUID(piece.id).version for piece in found} == {5}
    assert len({piece.id for piece in found}) == len(found) == 6
    assert [piece.metadata for piece in found] == [piece.metadata for piece in named]
    assert from_documents(found) == from_documents(named)
    assert pickle.loads(pickle.dumps(splitter)).split_documents(documents) == found
    assert asyncio.run(splitter.atransform_documents(documents)) == found
    assert "ids='uuid'" in repr(splitter)
    assert "ids" not in repr(CantleTextSplitter(**given))


def test_of_chunks() -> None:
    chunks = MDocument(TEXT, source="a").chunk("sentence", max_size=16, overlap=0)
    found = to_documents(chunks, ids="uuid")
    assert [piece.id for piece in found] == [key_uuid(chunk.key) for chunk in chunks]
    assert from_documents(found) == list(chunks)


def test_in_the_indexing_api(embedding: Any) -> None:
    records = InMemoryRecordManager("docs")
    records.create_schema()
    store = InMemoryVectorStore(embedding)
    splitter = CantleTextSplitter("sentence", max_size=16, overlap=0, ids="uuid")

    def update(text: str) -> dict[str, int]:
        pieces = splitter.create_documents([text], [{"source": "a"}])
        done = index(pieces, records, store, cleanup="full", source_id_key="source", key_encoder=document_key)
        assert set(store.store) == {piece.id for piece in pieces}
        return dict(done)

    assert update(TEXT)["num_added"] == 3
    assert update("New here. " + TEXT) == {"num_added": 1, "num_updated": 0, "num_skipped": 3, "num_deleted": 0}


@pytest.mark.parametrize("ids", ["UUID", None, ["key"]])
def test_what_ids_may_be(ids: Any) -> None:
    for make in (lambda: CantleTextSplitter(ids=ids), lambda: to_documents([], ids=ids)):
        with pytest.raises(OptionError, match="ids must be 'key' or 'uuid'"):
            make()
