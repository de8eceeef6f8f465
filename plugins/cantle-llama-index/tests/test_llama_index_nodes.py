"""`to_nodes` and `from_nodes`: chunks through LlamaIndex's nodes and stores, and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llama_index.core import Document
from llama_index.core.schema import BaseNode, MetadataMode, NodeRelationship, NodeWithScore, TextNode
from llama_index.core.storage.docstore import SimpleDocumentStore
from llama_index.core.vector_stores.utils import metadata_dict_to_node, node_to_metadata_dict

from cantle import Chunk, MDocument
from cantle.errors import DocumentError, OptionError
from cantle_llama_index import CantleNodeParser, from_nodes, to_nodes

STRATEGIES: list[tuple[str, dict[str, Any]]] = [
    ("recursive", {"max_size": 90, "overlap": 20}),
    ("markdown", {"headers": [("#", "Title"), ("##", "Section")]}),
    ("semantic-markdown", {"max_size": 60}),
    ("structural-context", {"max_size": 140, "overlap": 30, "explain": True}),
]


@pytest.mark.parametrize(("strategy", "options"), STRATEGIES, ids=[name for name, _ in STRATEGIES])
def test_there_and_back(strategy: str, options: dict[str, Any], guide: str) -> None:
    document = MDocument.from_markdown(guide, metadata={"lang": "en", "tags": ["a"], "n": {"x": 1}}, source="g.md")
    chunks = document.chunk(strategy, **options)
    nodes = to_nodes(chunks)
    assert [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes] == chunks.texts
    ways: list[list[BaseNode]] = [
        list(nodes),
        [TextNode.from_json(node.to_json()) for node in nodes],
        [TextNode.model_validate_json(node.model_dump_json()) for node in nodes],
        [metadata_dict_to_node(node_to_metadata_dict(node, remove_text=True), text=node.text) for node in nodes],
        [Document(text=node.text, metadata=node.metadata) for node in nodes],
    ]
    for way in ways:
        back = from_nodes(way)
        assert back == list(chunks)
        assert [chunk.key for chunk in back] == [chunk.key for chunk in chunks]
        assert [chunk.id for chunk in back] == [chunk.id for chunk in chunks]
        assert [chunk.own_metadata for chunk in back] == [chunk.own_metadata for chunk in chunks]
        assert [node.metadata for node in to_nodes(back)] == [node.metadata for node in nodes]


def test_relationships(guide: str) -> None:
    chunks = MDocument.from_markdown(guide, metadata={"lang": "en"}, source="g.md").chunk(
        "structural-context", max_size=140
    )
    nodes = to_nodes(chunks)
    parsed = CantleNodeParser("structural-context", kind="markdown", max_size=140)(
        [Document(text=guide, id_="g.md", metadata={"lang": "en"})]
    )
    assert [node.id_ for node in nodes] == [node.id_ for node in parsed] == [chunk.key for chunk in chunks]
    for one, other in zip(nodes, parsed, strict=True):
        assert one.ref_doc_id == other.ref_doc_id == "g.md"
        for kind in ("prev_node", "next_node", "parent_node", "child_nodes"):
            assert getattr(one, kind) == getattr(other, kind)
    assert nodes[0].source_node is not None
    assert nodes[0].source_node.metadata == {"lang": "en"}


def test_some_of_the_chunks(guide: str) -> None:
    chunks = MDocument.from_markdown(guide, source="g.md").chunk("recursive", max_size=90)
    nodes = to_nodes([chunks[0], chunks[1], chunks[3]])
    assert nodes[0].next_node is not None
    assert nodes[0].next_node.node_id == nodes[1].id_
    assert nodes[1].next_node is None
    assert nodes[2].prev_node is None
    assert [node.id_ for node in nodes] == [chunks[0].key, chunks[1].key, chunks[3].key]
    assert to_nodes([]) == []
    nameless = to_nodes(MDocument.from_text("One.\n\nTwo.").chunk("recursive", max_size=5))
    assert all(NodeRelationship.SOURCE not in node.relationships for node in nameless)


def test_two_documents_of_one_source() -> None:
    one, other = (MDocument.from_text("Same.", source="s").chunk("recursive", max_size=9) for _ in range(2))
    nodes = to_nodes([*one, *other])
    assert nodes[0].id_ != nodes[1].id_
    assert from_nodes(nodes) == [*one, *other]


def test_with_scores_and_embeddings(guide: str) -> None:
    chunks = MDocument.from_markdown(guide, source="g.md").chunk("recursive", max_size=90)
    chunks[0].embedding = [0.25, 1.0]
    nodes = to_nodes(chunks)
    assert nodes[0].embedding == [0.25, 1.0]
    nodes[1].embedding = [1.0, 0.5]
    back = from_nodes([NodeWithScore(node=node, score=0.5) for node in nodes])
    assert back[0] == chunks[0]
    assert back[1].embedding == [1.0, 0.5]
    assert back[2:] == chunks[2:]


def test_metadata_of_the_same_names_come_back() -> None:
    own = {"prefix": "mine", "chunk_id": 7, "heading_path": ["x"], "cantle": "theirs", "excluded": None}
    document = MDocument.from_markdown("# A {x}\n\n## B\n\n" + "Some words. " * 30, metadata=own, source="s")
    chunks = document.chunk("structural-context", max_size=100)
    nodes = to_nodes(chunks)
    assert any(node.metadata["prefix"] != "mine" for node in nodes)
    assert from_nodes(nodes) == list(chunks)
    assert all(chunk.metadata == {**chunk.own_metadata, **own} for chunk in from_nodes(nodes))


@pytest.mark.parametrize(
    ("prefix", "content", "apart"),
    [
        ("# A\n\n", "b", True),
        ("# A", "b", True),
        ("# {A} {0}\n\n", "  b {x}", True),
        ("A: \t\u2003", "b", True),
        (" A\n", "b", False),
        ("A\n", "b\n", False),
        (" \n", "b", False),
        ("A\n", " ", False),
        ("\x1f", "b", False),
        ("A\n\n", "", False),
        ("", " b ", False),
    ],
)
def test_what_is_embedded_is_the_text(prefix: str, content: str, apart: bool) -> None:
    chunk = Chunk(content, 0, len(content), prefix=prefix, metadata={"k": "{v}"})
    node = to_nodes([chunk])[0]
    assert ("prefix" in node.metadata) is apart
    assert node.get_content(metadata_mode=MetadataMode.EMBED) == prefix + content
    assert node.text == (content if apart else prefix + content)
    assert from_nodes([node]) == [chunk]
    assert TextNode.from_json(node.to_json()).get_content(metadata_mode=MetadataMode.EMBED) == prefix + content


@settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.text(max_size=12), st.text(max_size=12), st.dictionaries(st.text(max_size=6), st.text(max_size=6), max_size=3)
)
def test_what_is_embedded_is_the_text_always(prefix: str, content: str, metadata: dict[str, Any]) -> None:
    chunk = Chunk(content, 3, 3 + len(content), prefix=prefix, metadata=metadata, path=("{t}", content))
    node = to_nodes([chunk])[0]
    assert node.get_content(metadata_mode=MetadataMode.EMBED) == prefix + content
    assert from_nodes([node]) == [chunk]
    assert from_nodes([TextNode.from_dict(json.loads(node.to_json()))]) == [chunk]


def test_flat_metadata(guide: str) -> None:
    document = MDocument.from_markdown(guide, metadata={"lang": "en", "n": 3}, source="g.md")
    for strategy, options in STRATEGIES:
        chunks = document.chunk(strategy, **options)
        nodes = to_nodes(chunks)
        rows = [node_to_metadata_dict(node, flat_metadata=True) for node in nodes]  # raises where one is not flat
        back = [metadata_dict_to_node(json.loads(json.dumps(row))) for row in rows]
        assert back == nodes
        assert from_nodes(back) == list(chunks)


def test_through_a_docstore(guide: str, tmp_path: Path) -> None:
    chunks = MDocument.from_markdown(guide, source="g.md").chunk("structural-context", max_size=140)
    store = SimpleDocumentStore()
    store.add_documents(to_nodes(chunks))
    store.persist(str(tmp_path / "docstore.json"))
    loaded = SimpleDocumentStore.from_persist_path(str(tmp_path / "docstore.json"))
    assert from_nodes(loaded.get_nodes([chunk.key for chunk in chunks])) == list(chunks)
    info = loaded.get_ref_doc_info("g.md")
    assert info is not None
    assert info.node_ids == [chunk.key for chunk in chunks]


def test_what_cantle_did_not_make_is_refused(guide: str) -> None:
    with pytest.raises(DocumentError, match="not cut by cantle"):
        from_nodes([TextNode(text="x")])
    node = to_nodes(MDocument.from_text(guide).chunk("recursive", max_size=90))[0]
    node.set_content(node.text + "!")
    with pytest.raises(DocumentError, match="no longer hold"):
        from_nodes([node])
    with pytest.raises(OptionError, match="list of nodes"):
        from_nodes(node)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="LlamaIndex's nodes, got 3"):
        from_nodes([3])  # type: ignore[list-item]
    with pytest.raises(OptionError, match="got Chunk"):
        to_nodes(Chunk("a", 0, 1))  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="at position 1"):
        to_nodes([Chunk("a", 0, 1), "b"])  # type: ignore[list-item]
