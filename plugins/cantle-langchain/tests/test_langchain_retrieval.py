"""From files to an answer's sources, in LangChain's in-memory store."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from cantle_langchain import CantleLoader, CantleTextSplitter, from_documents


def test_from_a_file_to_the_place_in_it(tmp_path: Path, guide: str, embedding: Any) -> None:
    path = tmp_path / "guide.md"
    path.write_text(guide, encoding="utf-8", newline="\n")
    (document,) = CantleLoader(path).load()
    splitter = CantleTextSplitter("structural-context", max_size=120)
    store = InMemoryVectorStore(embedding)
    pieces = splitter.split_documents([document])
    assert store.add_documents(pieces) == [piece.id for piece in pieces]
    assert embedding.asked == [chunk.text for chunk in from_documents(pieces)]

    (hit,) = store.as_retriever(search_kwargs={"k": 1}).invoke("On which channel do I call the tower?")
    (chunk,) = from_documents([hit])
    assert hit.id == chunk.key
    assert chunk.path == ("Harbour", "Pilots")
    assert document.page_content[chunk.start : chunk.end] == chunk.content
    assert "channel twelve" in chunk.content

    found = store.similarity_search("fee", k=9, filter=lambda piece: piece.metadata["heading_path"] == "Harbour > Fees")
    assert found
    assert all("fee" in piece.page_content for piece in found)


def test_small_pieces_are_searched_and_large_ones_returned(guide: str, embedding: Any) -> None:
    retrievers = pytest.importorskip("langchain_classic.retrievers")
    retriever = retrievers.ParentDocumentRetriever(
        vectorstore=InMemoryVectorStore(embedding),
        docstore=InMemoryStore(),
        parent_splitter=CantleTextSplitter("markdown", max_size=150, overlap=0),
        child_splitter=CantleTextSplitter("recursive", max_size=40, overlap=0),
    )
    retriever.add_documents([Document(page_content=guide, metadata={"source": "g"})])
    (parent, *_) = from_documents(retriever.invoke("channel twelve"))
    assert parent.path == ("Harbour", "Pilots")
    assert guide[parent.start : parent.end] == parent.content
    (child, *_) = retriever.vectorstore.similarity_search("channel twelve", k=1)
    assert from_documents([child])[0].content in parent.content
    assert child.metadata["heading_path"] == "Harbour > Pilots"


def test_a_part_of_a_chain(guide: str) -> None:
    splitter = CantleTextSplitter(max_size=60)
    cut = RunnableLambda(splitter.split_documents, afunc=splitter.atransform_documents)
    chain = cut | RunnableLambda(lambda pieces: [piece.page_content for piece in pieces])
    documents = [Document(page_content=guide)]
    assert chain.invoke(documents) == splitter.split_text(guide)
    assert asyncio.run(chain.ainvoke(documents)) == splitter.split_text(guide)
    assert chain.batch([documents] * 3) == [splitter.split_text(guide)] * 3


def test_import_loads_no_langchain() -> None:
    code = (
        "import sys, cantle_langchain; assert 'CantleLoader' in dir(cantle_langchain)\n"
        "assert not [name for name in sys.modules if name.startswith(('langchain_', 'langsmith', 'pydantic'))]\n"
        "from cantle_langchain import CantleTextSplitter\n"
        "assert 'langchain_text_splitters' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)
