"""One retrieval flow in LangChain, LlamaIndex and Haystack, each with its own store: the same chunks are found."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import permutations
from typing import Any, NamedTuple

import pytest

pytest.importorskip("cantle_haystack", exc_type=ImportError)
pytest.importorskip("cantle_llama_index", exc_type=ImportError)
pytest.importorskip("haystack", exc_type=ImportError)
pytest.importorskip("llama_index.core", exc_type=ImportError)

import cantle_haystack
import cantle_langchain
import cantle_llama_index
from cantle import Chunk, MDocument

GUIDE = """# Harbour guide

Vessels report on channel twelve before they pass the outer buoy.

## Berths

| Berth | Depth | Length |
|---|---|---|
| North | 7.5 m | 120 m |
| South | 5.2 m | 80 m |
| Fish | 3.1 m | 40 m |

### Fees

The fee goes by gross tonnage. Fishing boats pay half.

## Pilots

A pilot is compulsory for vessels of more than sixty metres. A pilot is compulsory for dangerous goods 🚢.
"""
TIDES = """Spring tides come with new and full moon. Neap tides come between.

High water is later every day, since the moon has moved on. Winds from the sea raise the water, a high barometer
lowers it; no table knows of either. Ask the harbour office when in doubt.
"""
TEXTS = {"guide.md": GUIDE, "tides.txt": TIDES}
REPEATED = {**TEXTS, "tides.txt": TIDES * 3}
QUESTIONS = [
    "which vessels need a pilot",
    "depth of the north berth",
    "when are spring tides",
    "what do fishing boats pay",
]
CASES: list[tuple[str, dict[str, Any]]] = [
    ("structural-context", {"kind": "markdown", "max_size": 60, "length_function": "cl100k_base"}),
    ("markdown", {"max_size": 160, "overlap": 0}),
    ("recursive", {"max_size": 120, "overlap": 30}),
    ("sentence", {"max_size": 25, "overlap": 8, "length_function": "words"}),
    ("token", {"max_size": 32, "overlap": 8}),
]


class Found(NamedTuple):
    key: str
    start: int
    end: int
    text: str


def embed(text: str) -> list[float]:
    """Words, and less so their parts, each at a place that its hash says; of length one."""
    vector = [0.0] * 256
    for word in re.findall(r"\w+", text.lower()):
        for part, weight in [(word, 1.0), *((word[i : i + 3], 0.1) for i in range(len(word) - 2))]:
            vector[sha256(part.encode()).digest()[0]] += weight
    size = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / size for x in vector]


def in_langchain(
    strategy: str, options: dict[str, Any], texts: dict[str, str] = TEXTS
) -> tuple[list[Any], list[list[Found]]]:
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.vectorstores import InMemoryVectorStore

    class Hashed(Embeddings):
        def embed_documents(self, texts: list[str]) -> list[list[float]]:
            return [embed(text) for text in texts]

        def embed_query(self, text: str) -> list[float]:
            return embed(text)

    given = [Document(page_content=text, metadata={"source": name}) for name, text in texts.items()]
    pieces = cantle_langchain.CantleTextSplitter(strategy, **options).split_documents(given)
    store = InMemoryVectorStore(Hashed())
    store.add_documents(pieces)

    def place(piece: Document) -> Found:
        metadata = piece.metadata
        return Found(str(piece.id), metadata["start_index"], metadata["end_index"], piece.page_content)

    return pieces, [[place(piece) for piece in store.similarity_search(question, k=3)] for question in QUESTIONS]


def in_llama_index(
    strategy: str, options: dict[str, Any], texts: dict[str, str] = TEXTS
) -> tuple[list[Any], list[list[Found]]]:
    from llama_index.core import Document, VectorStoreIndex
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.schema import MetadataMode, TextNode

    class Hashed(BaseEmbedding):
        def _get_query_embedding(self, query: str) -> list[float]:
            return embed(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return embed(query)

        def _get_text_embedding(self, text: str) -> list[float]:
            return embed(text)

    given = [Document(text=text, metadata={"source": name}) for name, text in texts.items()]
    nodes = cantle_llama_index.CantleNodeParser(strategy, **options).get_nodes_from_documents(given)
    retriever = VectorStoreIndex(nodes, embed_model=Hashed()).as_retriever(similarity_top_k=3)

    def place(node: Any) -> Found:
        assert isinstance(node, TextNode)
        assert node.start_char_idx is not None
        assert node.end_char_idx is not None
        return Found(node.node_id, node.start_char_idx, node.end_char_idx, node.get_content(MetadataMode.EMBED))

    return nodes, [[place(found.node) for found in retriever.retrieve(question)] for question in QUESTIONS]


def in_haystack(
    strategy: str, options: dict[str, Any], texts: dict[str, str] = TEXTS
) -> tuple[list[Any], list[list[Found]]]:
    from haystack import Document
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    given = [Document(content=text, meta={"source": name}) for name, text in texts.items()]
    pieces = cantle_haystack.CantleDocumentSplitter(strategy, **options).run(given)["documents"]
    store = InMemoryDocumentStore(embedding_similarity_function="cosine")
    store.write_documents([_embedded(piece) for piece in pieces])

    def place(piece: Document) -> Found:
        chunk = cantle_haystack.from_documents([piece])[0]
        assert chunk.start == piece.meta["split_idx_start"]
        return Found(piece.id, chunk.start, chunk.end, piece.content or "")

    return pieces, [[place(piece) for piece in store.embedding_retrieval(embed(q), top_k=3)] for q in QUESTIONS]


def _embedded(piece: Any) -> Any:
    from haystack import Document

    return Document.from_dict({**piece.to_dict(flatten=False), "embedding": embed(piece.content)})


@pytest.fixture(params=CASES, ids=lambda case: case[0])
def case(request: pytest.FixtureRequest) -> tuple[str, dict[str, Any]]:
    found: tuple[str, dict[str, Any]] = request.param
    return found


def test_the_same_chunks_are_found_in_all_three(case: tuple[str, dict[str, Any]]) -> None:
    langchain, llama_index, haystack = in_langchain(*case)[1], in_llama_index(*case)[1], in_haystack(*case)[1]
    for ours, theirs, others in zip(langchain, llama_index, haystack, strict=True):
        assert len(ours) == 3
        assert ours == theirs == others
        for found in ours:
            name = found.key.partition(":")[0]
            assert found.text.endswith(TEXTS[name][found.start : found.end])


def test_all_pieces_have_the_same_ids_and_offsets(case: tuple[str, dict[str, Any]]) -> None:
    strategy, options = case
    documents, nodes, pieces = (
        in_langchain(*case, REPEATED)[0],
        in_llama_index(*case, REPEATED)[0],
        in_haystack(*case, REPEATED)[0],
    )
    keys = [str(document.id) for document in documents]
    assert keys == [node.node_id for node in nodes] == [piece.id for piece in pieces]
    assert len(keys) == len({*keys}) > 4
    chunks = cantle_langchain.from_documents(documents)
    assert chunks == cantle_llama_index.from_nodes(nodes) == cantle_haystack.from_documents(pieces)
    options = {name: value for name, value in options.items() if name != "kind"}
    kind = "markdown" if strategy in ("structural-context", "markdown") else "text"
    direct = [
        chunk
        for name, text in REPEATED.items()
        for chunk in MDocument(text, kind, {"source": name}, name).chunk(strategy, **options)
    ]
    assert direct == chunks
    assert [chunk.key for chunk in direct] == keys


def _round(way: tuple[str, ...], chunks: list[Chunk]) -> list[Chunk]:
    for framework in way:
        if framework == "langchain":
            chunks = cantle_langchain.from_documents(cantle_langchain.to_documents(chunks))
        elif framework == "llama-index":
            chunks = cantle_llama_index.from_nodes(cantle_llama_index.to_nodes(chunks))
        else:
            chunks = cantle_haystack.from_documents(cantle_haystack.to_documents(chunks))
    return chunks


@pytest.mark.parametrize("way", list(permutations(("langchain", "llama-index", "haystack"))), ids="-".join)
def test_chunks_go_round_through_all_three(way: tuple[str, ...]) -> None:
    for chunks in _all_sorts():
        back = _round(way, chunks)
        assert back == chunks
        assert [chunk.key for chunk in back] == [chunk.key for chunk in chunks]
        assert [chunk.id for chunk in back] == [chunk.id for chunk in chunks]


def _all_sorts() -> Iterator[list[Chunk]]:
    about = {"lang": "en", "tags": ["a", "b"], "prefix": "mine", "start_index": "x", "split_id": -1, "cantle": "own"}
    for strategy, options in CASES:
        given = {name: value for name, value in options.items() if name != "kind"}
        yield list(MDocument(GUIDE, "markdown", about, "guide.md").chunk(strategy, explain=True, **given))
    pdf = MDocument.from_pdf_text(
        ["Head\n\nOne page of text that\nis hyphen-\nated. 1", "Head\n\nTwo 2"], source="a.pdf"
    )
    yield list(pdf.chunk("structural-context", max_size=60))
    embedded = list(MDocument(TIDES, "text", {}, "t").chunk("recursive", max_size=60, overlap=0))
    for chunk in embedded:
        chunk.embedding = embed(chunk.text)
    yield embedded
