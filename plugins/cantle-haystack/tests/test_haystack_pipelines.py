"""The components in pipelines: saved as YAML, asynchronous, with stores and retrievers."""

import asyncio
import inspect
import math
import re
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Any

import haystack
import pytest
from haystack import Document, Pipeline, component
from haystack.components.retrievers import SentenceWindowRetriever
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever, InMemoryEmbeddingRetriever
from haystack.components.writers import DocumentWriter
from haystack.core.errors import DeserializationError
from haystack.dataclasses import ByteStream
from haystack.document_stores.in_memory import InMemoryDocumentStore
from haystack.document_stores.types import DuplicatePolicy

from cantle import MDocument
from cantle.errors import OptionError
from cantle_haystack import CantleDocumentSplitter, CantleFileConverter, from_documents

# No `from __future__ import annotations`: older releases of Haystack read the types of `run` as they stand.

AsyncPipeline = getattr(haystack, "AsyncPipeline", Pipeline)
"""Newer releases have one class for both."""

# Newer releases load only what they are told to trust.
TRUSTING: dict[str, Any] = (
    {"allowed_modules": ["cantle_haystack"]}
    if "allowed_modules" in inspect.signature(Pipeline.loads).parameters
    else {}
)

GUIDE = """# Harbour guide

For skippers who come for the first time. Call on channel twelve before you enter.

## Berths

Nine metres at A1 to A8, and twelve at B1. Boats of more than twelve metres lie alongside the quay.

## Tides

Low water at six in the morning. High water at noon, half an hour later each day.
"""


@component
class Embedder:
    """Words, each at a place that its hash says; of length one."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        return {
            "documents": [
                Document(id=d.id, content=d.content, meta=d.meta, embedding=embed(d.content or "")) for d in documents
            ]
        }


def embed(text: str) -> list[float]:
    vector = [0.0] * 256
    for word in re.findall(r"\w+", text.lower()):
        vector[sha256(word.encode()).digest()[0]] += 1
    size = math.sqrt(sum(x * x for x in vector)) or 1.0
    return [x / size for x in vector]


def indexing(store: InMemoryDocumentStore, **options: Any) -> Pipeline:
    pipeline = Pipeline()
    pipeline.add_component("converter", CantleFileConverter())
    pipeline.add_component("splitter", CantleDocumentSplitter(**options))
    pipeline.add_component("embedder", Embedder())
    pipeline.add_component("writer", DocumentWriter(store, policy=DuplicatePolicy.SKIP))
    for sender, receiver in (("converter", "splitter"), ("splitter", "embedder"), ("embedder", "writer")):
        pipeline.connect(sender, receiver)
    return pipeline


def stream(text: str = GUIDE, name: str = "guide.md") -> ByteStream:
    return ByteStream(text.encode(), meta={"file_path": name})


# -- written down ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "parameters"),
    [
        (CantleDocumentSplitter(), {"prefix": "content"}),
        (
            CantleDocumentSplitter("recursive", max_size=9, separators=("\n", " ")),
            {"strategy": "recursive", "options": {"max_size": 9, "separators": ["\n", " "]}, "prefix": "content"},
        ),
        (
            CantleDocumentSplitter(kind="markdown", extract={"title": True}, prefix="meta", length_function="words"),
            {
                "kind": "markdown",
                "extract": {"title": True},
                "options": {"length_function": "words"},
                "prefix": "meta",
            },
        ),
    ],
    ids=["nothing", "options", "all"],
)
def test_to_dict_and_back(made: CantleDocumentSplitter, parameters: dict[str, Any]) -> None:
    data = {"type": "cantle_haystack.splitter.CantleDocumentSplitter", "init_parameters": parameters}
    assert made.to_dict() == data
    again = CantleDocumentSplitter.from_dict(made.to_dict())
    assert again.to_dict() == data
    parents = [Document(content=GUIDE)]
    assert again.run(parents) == made.run(parents)


def test_the_converter_as_a_dictionary() -> None:
    made = CantleFileConverter(kind="text", encoding="cp1252", front_matter="keep", store_full_path=True)
    assert made.to_dict() == {
        "type": "cantle_haystack.converter.CantleFileConverter",
        "init_parameters": {"kind": "text", "encoding": "cp1252", "front_matter": "keep", "store_full_path": True},
    }
    assert CantleFileConverter.from_dict(made.to_dict()).to_dict() == made.to_dict()


def test_what_has_no_name_cannot_be_saved() -> None:
    with pytest.raises(OptionError, match="option 'length_function' is len, which cannot be written down"):
        CantleDocumentSplitter(max_size=9, length_function=len).to_dict()


def test_a_pipeline_as_yaml() -> None:
    pipeline = Pipeline()
    pipeline.add_component("converter", CantleFileConverter())
    pipeline.add_component("splitter", CantleDocumentSplitter("structural-context", max_size=90, overlap=20))
    pipeline.connect("converter.documents", "splitter.documents")
    written = pipeline.dumps()
    again = Pipeline.loads(written, **TRUSTING)
    assert again.dumps() == written
    given = {"converter": {"sources": [stream()]}}
    assert again.run(given) == pipeline.run(given)


YAML = """
components:
  splitter:
    type: cantle_haystack.splitter.CantleDocumentSplitter
    init_parameters:
      strategy: recursive
      max_size: 40
      overlap: 0
connections: []
"""


def test_options_beside_the_strategy_in_yaml() -> None:
    pipeline = Pipeline.loads(YAML, **TRUSTING)
    made = pipeline.run({"splitter": {"documents": [Document(content=GUIDE)]}})["splitter"]["documents"]
    assert [document.content for document in made] == MDocument(GUIDE).chunk("recursive", max_size=40, overlap=0).texts


def test_yaml_in_a_new_process(tmp_path: Path) -> None:
    (tmp_path / "pipeline.yaml").write_text(YAML, encoding="utf-8")
    code = (
        "import sys; from haystack import Pipeline; "
        f"p = Pipeline.load(open(sys.argv[1]), **{TRUSTING!r}); print(p.get_component('splitter').to_dict())"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "pipeline.yaml")]
    said = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout
    assert "'max_size': 40" in said


def test_a_mistake_in_yaml_says_what_is_meant() -> None:
    with pytest.raises(DeserializationError) as caught:
        Pipeline.loads(YAML.replace("max_size", "chunk_size"), **TRUSTING)
    assert "Did you mean 'max_size'" in str(caught.value.__cause__)


# -- runs -------------------------------------------------------------------------------------------


def test_asynchronous() -> None:
    pipeline = AsyncPipeline()
    pipeline.add_component("converter", CantleFileConverter())
    pipeline.add_component("splitter", CantleDocumentSplitter(max_size=90, overlap=20))
    pipeline.connect("converter", "splitter")
    given = {"converter": {"sources": [stream()]}}
    made = asyncio.run(pipeline.run_async(given))
    assert made["splitter"]["documents"] == pipeline.run(given)["splitter"]["documents"]
    assert len(made["splitter"]["documents"]) > 2


def test_it_takes_documents_from_other_components() -> None:
    from haystack.components.converters import TextFileToDocument
    from haystack.components.preprocessors import DocumentCleaner

    pipeline = Pipeline()
    pipeline.add_component("converter", TextFileToDocument())
    pipeline.add_component("cleaner", DocumentCleaner(remove_empty_lines=False, remove_extra_whitespaces=False))
    pipeline.add_component("splitter", CantleDocumentSplitter("markdown", max_size=120))
    pipeline.connect("converter", "cleaner")
    pipeline.connect("cleaner", "splitter")
    made = pipeline.run({"converter": {"sources": [stream()]}})["splitter"]["documents"]
    assert {document.meta["heading_path"].partition(" > ")[0] for document in made} == {"Harbour guide"}


def test_from_a_file_to_the_hit() -> None:
    store = InMemoryDocumentStore()
    pipeline = indexing(store, strategy="structural-context", max_size=110)
    given = {"converter": {"sources": [stream()]}}
    written = pipeline.run(given)["writer"]["documents_written"]
    assert written == store.count_documents() > 2
    retriever = InMemoryEmbeddingRetriever(store, top_k=1)
    hit = retriever.run(query_embedding=embed("when is low water and high water"))["documents"][0]
    chunk = from_documents([hit])[0]
    assert chunk.path == ("Harbour guide", "Tides")
    assert GUIDE[chunk.start : chunk.end] == chunk.content
    assert hit.id == chunk.key
    wanted = MDocument.from_markdown(GUIDE, source="guide.md").chunk("structural-context", max_size=110)
    assert {document.id for document in store.filter_documents()} == {chunk.key for chunk in wanted}


def test_a_second_run_writes_only_what_is_new() -> None:
    store = InMemoryDocumentStore()
    options = {"strategy": "markdown", "max_size": 120, "overlap": 0}
    first = indexing(store, **options).run({"converter": {"sources": [stream()]}})["writer"]["documents_written"]
    assert first > 2
    assert indexing(store, **options).run({"converter": {"sources": [stream()]}})["writer"]["documents_written"] == 0
    more = stream("# News\n\nThe quay is closed.\n\n" + GUIDE)
    assert indexing(store, **options).run({"converter": {"sources": [more]}})["writer"]["documents_written"] == 1


def test_filters_find_our_meta() -> None:
    store = InMemoryDocumentStore()
    indexing(store, max_size=110).run({"converter": {"sources": [stream()]}})
    filters = {"field": "meta.heading_path", "operator": "==", "value": "Harbour guide > Tides"}
    assert {d.meta["heading_path"] for d in store.filter_documents(filters)} == {"Harbour guide > Tides"}


# -- windows ----------------------------------------------------------------------------------------


def windows(store: InMemoryDocumentStore, query: str, size: int) -> list[str]:
    pipeline = Pipeline()
    pipeline.add_component("find", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("widen", SentenceWindowRetriever(store, window_size=size))
    pipeline.connect("find.documents", "widen.retrieved_documents")
    found: list[str] = pipeline.run({"find": {"query": query}})["widen"]["context_windows"]
    return found


@pytest.mark.parametrize("overlap", [0, 20])
@pytest.mark.parametrize("strategy", ["recursive", "markdown", "character"])
def test_windows_are_the_text(strategy: str, overlap: int) -> None:
    store = InMemoryDocumentStore()
    options = {"max_size": 60, "overlap": overlap, "strip_whitespace": False, "separator_position": "end"}
    options |= {"separator": "\n"} if strategy == "character" else {}
    component = CantleDocumentSplitter(strategy, kind="markdown", **options)
    made = component.run([Document(content=GUIDE, meta={"file_path": "guide.md"})])["documents"]
    store.write_documents(made)
    window = windows(store, "alongside quay", 1)[0]
    assert "alongside" in window
    assert window in GUIDE
    assert windows(store, "alongside quay", 99) == [GUIDE[made[0].meta["split_idx_start"] :]]


def test_windows_of_chunks_with_prefixes() -> None:
    store = InMemoryDocumentStore()
    component = CantleDocumentSplitter("structural-context", kind="markdown", max_size=70, prefix="meta")
    made = component.run([Document(content=GUIDE, meta={"file_path": "guide.md"})])["documents"]
    assert any(document.meta.get("prefix") for document in made)
    store.write_documents(made)
    window = windows(store, "alongside quay", 99)[0]
    assert "".join(window.split()) == "".join(GUIDE.split())


def test_windows_asynchronous() -> None:
    if not hasattr(SentenceWindowRetriever, "run_async"):
        pytest.skip("this release has no asynchronous one")
    store = InMemoryDocumentStore()
    made = CantleDocumentSplitter("recursive", max_size=60).run([Document(content=GUIDE)])["documents"]
    store.write_documents(made)
    retriever = SentenceWindowRetriever(store, window_size=1)
    found = asyncio.run(retriever.run_async(retrieved_documents=[made[2]]))["context_documents"]
    assert [document.meta["split_id"] for document in found] == [1, 2, 3]


def test_what_embedders_embed() -> None:
    """With the prefix in the content, and with it in the meta: the text of the chunk each time."""
    embedders = pytest.importorskip("haystack.components.embedders")
    if not hasattr(embedders, "MockDocumentEmbedder"):
        pytest.skip("this release has no embedder that runs without a model")
    chunks = MDocument.from_markdown(GUIDE, source="guide.md").chunk("structural-context", max_size=70)
    parent = Document(content=GUIDE, meta={"file_path": "guide.md"})
    for prefix in ("content", "meta"):
        asked: list[str] = []

        def embedding(text: str, asked: list[str] = asked) -> list[float]:
            asked.append(text)
            return embed(text)

        joined = {"meta_fields_to_embed": ["prefix"], "embedding_separator": ""} if prefix == "meta" else {}
        pipeline = Pipeline()
        splitter = CantleDocumentSplitter("structural-context", kind="markdown", max_size=70, prefix=prefix)
        pipeline.add_component("splitter", splitter)
        pipeline.add_component("embedder", embedders.MockDocumentEmbedder(embedding_fn=embedding, **joined))
        pipeline.connect("splitter", "embedder")
        made = pipeline.run({"splitter": {"documents": [parent]}})["embedder"]["documents"]
        assert asked == chunks.texts
        assert [chunk.embedding for chunk in from_documents(made)] == [embed(text) for text in chunks.texts]
