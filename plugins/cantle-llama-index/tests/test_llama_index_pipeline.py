"""`CantleNodeParser` in an `IngestionPipeline`: cache, docstore, workers, persistence; and an index over its nodes."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage
from llama_index.core.ingestion import DocstoreStrategy, IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.postprocessor import PrevNextNodePostprocessor
from llama_index.core.schema import BaseNode, MetadataMode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters, SimpleVectorStore

from cantle.errors import OptionError
from cantle_llama_index import CantleNodeParser, from_nodes


def parser(**options: Any) -> CantleNodeParser:
    return CantleNodeParser("structural-context", kind="markdown", **{"max_size": 140, **options})


def document(text: str, id: str = "guide") -> Document:
    return Document(text=text, id_=id, metadata={"lang": "en"})


class Counting(CantleNodeParser):
    """Counts how often it is called."""

    def __call__(self, nodes: Any, **kwargs: Any) -> list[BaseNode]:
        calls.append(len(nodes))
        return super().__call__(nodes, **kwargs)


calls: list[int] = []


def test_the_cache_knows_strategy_and_options(guide: str) -> None:
    calls.clear()
    pipeline = IngestionPipeline(transformations=[Counting("recursive", max_size=100)])
    first = pipeline.run(documents=[document(guide)])
    assert pipeline.run(documents=[document(guide)]) == first
    assert from_nodes(first) == from_nodes(pipeline.run(documents=[document(guide)]))
    assert calls == [1]
    pipeline.transformations = [Counting("recursive", max_size=101)]
    pipeline.run(documents=[document(guide)])
    pipeline.transformations = [Counting("sentence", max_size=101)]
    pipeline.run(documents=[document(guide)])
    pipeline.transformations = [Counting("sentence", max_size=101, kind="markdown")]
    pipeline.run(documents=[document(guide)])
    pipeline.run(documents=[document(guide + "\nMore.")])
    assert calls == [1] * 5


def test_the_hash_is_the_same_in_each_process(guide: str) -> None:
    code = (
        "from llama_index.core import Document\n"
        "from llama_index.core.ingestion.pipeline import get_transformation_hash\n"
        "from cantle_llama_index import CantleNodeParser\n"
        "made = CantleNodeParser('recursive', overlap=5, length_function='cl100k_base', max_size=30)\n"
        "print(get_transformation_hash([Document(text='x')], made))"
    )
    made = CantleNodeParser("recursive", max_size=30, overlap=5, length_function="cl100k_base")
    expected = get_transformation_hash([Document(text="x")], made)
    for seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env)
        assert run.stdout.split()[-1] == expected


def test_what_has_no_name_works_without_the_cache(guide: str) -> None:
    made = CantleNodeParser("recursive", max_size=100, length_function=lambda text: len(text))
    with pytest.raises(OptionError, match="disable_cache=True"):
        IngestionPipeline(transformations=[made]).run(documents=[document(guide)])
    nodes = IngestionPipeline(transformations=[made], disable_cache=True).run(documents=[document(guide)])
    assert [node.id_ for node in nodes] == [
        node.id_ for node in CantleNodeParser("recursive", max_size=100)([document(guide)])
    ]


def test_the_cache_on_disk(guide: str, tmp_path: Path) -> None:
    calls.clear()
    made = Counting("recursive", max_size=100)
    pipeline = IngestionPipeline(transformations=[made])
    nodes = pipeline.run(documents=[document(guide)])
    pipeline.persist(str(tmp_path))
    fresh = IngestionPipeline(transformations=[made])
    fresh.load(str(tmp_path))
    assert fresh.run(documents=[document(guide)]) == nodes
    assert calls == [1]


def test_the_docstore_on_disk(guide: str, tmp_path: Path) -> None:
    only = DocstoreStrategy.DUPLICATES_ONLY
    pipeline = IngestionPipeline(
        transformations=[parser()], docstore=SimpleDocumentStore(), docstore_strategy=only, disable_cache=True
    )
    assert pipeline.run(documents=[document(guide)])
    pipeline.persist(str(tmp_path))
    other = IngestionPipeline(
        transformations=[parser()], docstore=SimpleDocumentStore(), docstore_strategy=only, disable_cache=True
    )
    other.load(str(tmp_path))
    assert other.run(documents=[document(guide)]) == []  # known already
    assert other.run(documents=[document(guide + "More.\n")])


def pipeline_with(embedding: Any, strategy: DocstoreStrategy) -> tuple[IngestionPipeline, SimpleVectorStore]:
    store = SimpleVectorStore(stores_text=False)
    pipeline = IngestionPipeline(
        transformations=[parser(), embedding],
        docstore=SimpleDocumentStore(),
        vector_store=store,
        docstore_strategy=strategy,
    )
    return pipeline, store


def test_upserts(embedding: Any, guide: str) -> None:
    pipeline, store = pipeline_with(embedding, DocstoreStrategy.UPSERTS)
    first = pipeline.run(documents=[document(guide), document("# Other\n\nText.", "other")])
    assert set(store.data.embedding_dict) == {node.id_ for node in first}
    asked = len(embedding.asked)
    assert pipeline.run(documents=[document(guide)]) == []
    assert len(embedding.asked) == asked
    changed = guide.replace("20 crowns", "25 crowns")
    second = pipeline.run(documents=[document(changed)])
    # One chunk is another one; all others keep their ids, the other document's stays.
    old, new = {node.id_ for node in first if node.ref_doc_id == "guide"}, {node.id_ for node in second}
    assert len(old - new) == len(new - old) == 1
    assert set(store.data.embedding_dict) == new | {node.id_ for node in first if node.ref_doc_id == "other"}


def test_upserts_and_delete(embedding: Any, guide: str) -> None:
    pipeline, store = pipeline_with(embedding, DocstoreStrategy.UPSERTS_AND_DELETE)
    pipeline.run(documents=[document(guide), document("# Other\n\nText.", "other")])
    pipeline.run(documents=[document(guide)])
    assert set(store.data.text_id_to_ref_doc_id.values()) == {"guide"}
    assert len(store.data.embedding_dict) == len(parser()([document(guide)]))


def test_duplicates_only(embedding: Any, guide: str) -> None:
    pipeline, store = pipeline_with(embedding, DocstoreStrategy.DUPLICATES_ONLY)
    first = pipeline.run(documents=[document(guide), document(guide)])
    assert len(first) == len(parser()([document(guide)]))
    assert pipeline.run(documents=[document(guide)]) == []
    assert len(store.data.embedding_dict) == len(first)


def test_what_is_embedded(embedding: Any, guide: str) -> None:
    nodes = IngestionPipeline(transformations=[parser(), embedding]).run(documents=[document(guide)])
    chunks = from_nodes(nodes)
    assert embedding.asked == [chunk.text for chunk in chunks]
    assert any(chunk.prefix for chunk in chunks)
    assert all(chunk.embedding == node.embedding for chunk, node in zip(chunks, nodes, strict=True))


def test_async_and_progress(embedding: Any, guide: str) -> None:
    documents = [document(guide, f"d{i}") for i in range(3)]
    pipeline = IngestionPipeline(transformations=[parser(), embedding], disable_cache=True)
    assert asyncio.run(pipeline.arun(documents=documents)) == pipeline.run(documents=documents, show_progress=True)


@pytest.mark.filterwarnings("ignore:Specified num_workers exceed number of CPUs:UserWarning")
def test_two_workers(guide: str) -> None:
    documents = [document(guide, f"d{i}") for i in range(4)]
    pipeline = IngestionPipeline(transformations=[parser()])
    assert pipeline.run(documents=documents, num_workers=2) == parser()(documents)


def test_an_index(embedding: Any, guide: str, tmp_path: Path) -> None:
    documents = [document(guide), document("# Lighthouse\n\nThe lamp turns once in nine seconds.", "light")]
    index = VectorStoreIndex.from_documents(documents, transformations=[parser()], embed_model=embedding)
    hits = index.as_retriever(similarity_top_k=2).retrieve("How many crowns is a night at the berths?")
    assert "20 crowns" in hits[0].text
    chunk = from_nodes(hits)[0]
    assert chunk.source == "guide"
    assert guide[chunk.start : chunk.end] == chunk.content == hits[0].text
    assert hits[0].node.get_content(metadata_mode=MetadataMode.EMBED) == chunk.text
    again = VectorStoreIndex.from_documents(documents, transformations=[parser()], embed_model=embedding)
    assert set(again.docstore.docs) == set(index.docstore.docs)

    index.storage_context.persist(str(tmp_path))
    loaded = load_index_from_storage(
        StorageContext.from_defaults(persist_dir=str(tmp_path)), embed_model=embedding, transformations=[parser()]
    )
    assert from_nodes(loaded.as_retriever(similarity_top_k=2).retrieve("crowns a night"))[0] == chunk
    filters = MetadataFilters(filters=[ExactMatchFilter(key="heading_path", value="Lighthouse")])
    assert [hit.node.ref_doc_id for hit in loaded.as_retriever(filters=filters).retrieve("crowns a night")] == ["light"]
    loaded.delete_ref_doc("guide", delete_from_docstore=True)
    assert {node.ref_doc_id for node in loaded.docstore.docs.values()} == {"light"}


def test_neighbours_of_a_hit(embedding: Any, guide: str) -> None:
    index = VectorStoreIndex.from_documents([document(guide)], transformations=[parser()], embed_model=embedding)
    hits = index.as_retriever(similarity_top_k=1).retrieve("leading lights white red")
    around = PrevNextNodePostprocessor(docstore=index.docstore, num_nodes=1, mode="both").postprocess_nodes(hits)
    indexes = [hit.node.metadata["chunk_index"] for hit in around]
    middle = hits[0].node.metadata["chunk_index"]
    assert indexes == [middle - 1, middle, middle + 1]
