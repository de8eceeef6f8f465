"""`CantleNodeParser` as LlamaIndex's node parsers are: nodes, offsets, relationships, options, serialisation."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import pytest
from llama_index.core import Document, Settings
from llama_index.core.callbacks import CallbackManager, CBEventType, LlamaDebugHandler
from llama_index.core.node_parser import HierarchicalNodeParser, NodeParser, get_leaf_nodes
from llama_index.core.schema import (
    ImageDocument,
    ImageNode,
    IndexNode,
    MetadataMode,
    NodeRelationship,
    TextNode,
    TransformComponent,
)
from PIL import Image

from cantle import Chunk, MDocument
from cantle.errors import OptionError
from cantle_llama_index import CantleNodeParser, from_nodes

STRATEGIES = [
    "recursive",
    "character",
    "sentence",
    "token",
    "markdown",
    "semantic-markdown",
    "structural-context",
    "lines",
]


def options_of(strategy: str) -> dict[str, Any]:
    if strategy == "lines":
        pytest.importorskip("cantle_example")
        return {"every": 2}
    return {"max_size": 30 if strategy == "token" else 90}


def document(text: str, **metadata: Any) -> Document:
    return Document(text=text, id_="guide", metadata=metadata)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_nodes_are_the_chunks_with_their_offsets(strategy: str, guide: str) -> None:
    options = options_of(strategy)
    nodes = CantleNodeParser(strategy, **options).get_nodes_from_documents([document(guide)])
    kind = "markdown" if strategy in ("markdown", "semantic-markdown") else "text"
    chunks = MDocument(guide, kind, source="guide").chunk(strategy, **options)
    assert len(nodes) == len(chunks) > 2
    for node, chunk in zip(nodes, chunks, strict=True):
        assert isinstance(node, TextNode)
        assert node.id_ == chunk.key
        assert (node.start_char_idx, node.end_char_idx) == (chunk.start, chunk.end)
        assert node.get_content(metadata_mode=MetadataMode.EMBED) == chunk.text
        if chunk.exact and not chunk.prefix:
            assert guide[chunk.start : chunk.end] == node.text
    assert from_nodes(nodes) == list(chunks)


def test_is_a_node_parser_and_a_transformation(guide: str) -> None:
    parser = CantleNodeParser("recursive", max_size=100)
    assert isinstance(parser, NodeParser)
    assert isinstance(parser, TransformComponent)
    assert parser([document(guide)]) == parser.get_nodes_from_documents([document(guide)])
    assert CantleNodeParser.from_defaults("recursive", max_size=100)([document(guide)]) == parser([document(guide)])
    assert CantleNodeParser.class_name() == "CantleNodeParser"


def test_repeated_texts_have_the_offsets_where_they_stand() -> None:
    text = "Give way.\n\nGive way.\n\nGive way.\n\n"
    nodes = CantleNodeParser("recursive", max_size=10)([document(text)])
    assert [(node.start_char_idx, node.end_char_idx) for node in nodes] == [(0, 9), (11, 20), (22, 31)]
    assert len({node.id_ for node in nodes}) == 3
    assert [node.id_.rpartition(":")[2] for node in nodes] == ["0", "1", "2"]


def test_document_order_and_source(guide: str) -> None:
    parser = CantleNodeParser("recursive", max_size=100)
    one, other = Document(text=guide, id_="one"), Document(text=guide, id_="other")
    nodes = parser([one, other])
    for mine, owner in ((nodes[: len(nodes) // 2], one), (nodes[len(nodes) // 2 :], other)):
        assert {node.ref_doc_id for node in mine} == {owner.id_}
        assert mine[0].source_node == owner.as_related_node_info()
        assert mine[0].prev_node is None
        assert mine[-1].next_node is None
        for before, after in pairwise(mine):
            assert before.next_node is not None
            assert before.next_node.node_id == after.id_
            assert before.next_node.hash == after.hash
            assert after.prev_node is not None
            assert after.prev_node.node_id == before.id_
    assert len({node.id_ for node in nodes}) == len(nodes)


def test_no_previous_and_next(guide: str) -> None:
    nodes = CantleNodeParser("recursive", max_size=100, include_prev_next_rel=False)([document(guide)])
    assert all(set(node.relationships) == {NodeRelationship.SOURCE} for node in nodes)


def test_parent_and_children_are_those_of_the_sections(guide: str) -> None:
    nodes = CantleNodeParser("structural-context", kind="markdown", max_size=140)([document(guide)])
    by_path = {node.metadata["heading_path"]: node for node in reversed(nodes)}
    top, berths = by_path["Harbour guide"], by_path["Harbour guide > Berths"]
    fees = by_path["Harbour guide > Berths > Fees"]
    assert top.parent_node is None
    assert berths.parent_node is not None
    assert berths.parent_node.node_id == top.id_
    assert fees.parent_node is not None
    assert fees.parent_node.node_id == berths.id_
    for node in nodes:
        for child in node.child_nodes or []:
            found = next(other for other in nodes if other.id_ == child.node_id)
            assert found.parent_node is not None
            assert found.parent_node.node_id == node.id_
    chunks = MDocument(guide, "markdown", source="guide").chunk("structural-context", max_size=140)
    for node, relation in zip(nodes, chunks.relations(), strict=True):
        assert [child.node_id for child in node.child_nodes or []] == list(relation.children)
    alone = CantleNodeParser("structural-context", kind="markdown", max_size=140, include_parent_child_rel=False)
    assert all(node.parent_node is None and node.child_nodes is None for node in alone([document(guide)]))


def test_relationships_where_two_documents_have_one_source(guide: str) -> None:
    parser = CantleNodeParser("structural-context", kind="markdown", max_size=140)
    twins = [Document(text=guide, id_=name, metadata={"source": "same"}) for name in ("one", "two")]
    nodes = parser(twins)
    ids = [node.id_ for node in nodes]
    assert len(set(ids)) == len(ids)
    half = len(ids) // 2
    for mine in (nodes[:half], nodes[half:]):
        own = {node.id_ for node in mine}
        for node in mine:
            related = [*(node.child_nodes or []), *filter(None, [node.parent_node, node.prev_node, node.next_node])]
            assert {info.node_id for info in related} <= own


def test_metadata_of_the_document_are_in_each_node(guide: str) -> None:
    given = document(guide, lang="en", tags=["a", "b"])
    before = given.model_dump()
    nodes = CantleNodeParser("recursive", max_size=100)([given])
    assert given.model_dump() == before
    for i, node in enumerate(nodes):
        assert node.metadata["lang"] == "en"
        assert node.metadata["tags"] == ["a", "b"]
        assert node.metadata["chunk_index"] == i
        assert node.metadata["chunk_id"].startswith(f"guide#{i}-")
    nodes[0].metadata["tags"].append("c")
    assert given.metadata["tags"] == nodes[1].metadata["tags"] == ["a", "b"]
    bare = CantleNodeParser("recursive", max_size=100, include_metadata=False)([given])
    assert all("lang" not in node.metadata and "tags" not in node.metadata for node in bare)
    assert [node.id_ for node in bare] == [node.id_ for node in nodes]


def test_what_models_see(guide: str) -> None:
    given = document(guide, lang="en", secret="x", document_kind="markdown")
    given.excluded_llm_metadata_keys = ["secret"]
    given.text_template = "<{metadata_str}>\n{content}"
    given.metadata_template = "{key}={value}"
    node = CantleNodeParser("markdown", max_size=200)([given])[0]
    assert node.get_content(metadata_mode=MetadataMode.EMBED) == node.text
    llm = node.get_content(metadata_mode=MetadataMode.LLM)
    assert llm == f"<lang=en\nheading_path=Harbour guide>\n{node.text}".strip()
    node.metadata["title"] = "T"  # an extractor of LlamaIndex does so: what it adds is embedded, as with other nodes
    assert node.get_content(metadata_mode=MetadataMode.EMBED) == f"<title=T>\n{node.text}".strip()


def test_a_prefix_is_metadata_for_both_models(guide: str) -> None:
    given = document(guide, lang="en")
    nodes = CantleNodeParser("structural-context", kind="markdown", max_size=140)([given])
    prefixed = [node for node in nodes if "prefix" in node.metadata]
    assert len(prefixed) >= 3
    for node in prefixed:
        chunk = from_nodes([node])[0]
        assert node.text == chunk.content == guide[node.start_char_idx : node.end_char_idx]
        assert node.metadata["prefix"] == chunk.prefix
        for mode in (MetadataMode.EMBED, MetadataMode.LLM):
            assert node.get_content(metadata_mode=mode) == chunk.text


def test_nodes_are_cut_again(guide: str) -> None:
    nodes = CantleNodeParser("structural-context", kind="markdown", max_size=200)([document(guide, lang="en")])
    again = CantleNodeParser("recursive", max_size=40)(nodes)
    assert len(again) > len(nodes)
    assert {node.ref_doc_id for node in again} == {"guide"}  # as with LlamaIndex's own: the document, not the node
    assert all("prefix" not in node.metadata and node.metadata["lang"] == "en" for node in again)
    assert all(node.get_content(metadata_mode=MetadataMode.EMBED) == node.text for node in again)
    assert all(before.next_node.node_id == after.id_ for before, after in pairwise(again))
    assert len({node.id_ for node in again}) == len(again)
    paths = {node.metadata["heading_path"] for node in nodes}
    assert {node.metadata["heading_path"] for node in again} == paths
    texts = {node.id_: node.text for node in nodes}
    assert all(any(node.text in text for text in texts.values()) for node in again)


def test_in_a_hierarchy(guide: str) -> None:
    sizes = {
        "large": CantleNodeParser("recursive", max_size=300, include_parent_child_rel=False),
        "small": CantleNodeParser("recursive", max_size=80, include_parent_child_rel=False),
    }
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=["large", "small"], node_parser_map=sizes)
    nodes = parser.get_nodes_from_documents([document(guide)])
    leaves = get_leaf_nodes(nodes)
    assert leaves
    assert all(len(node.text) <= 80 and node.parent_node is not None for node in leaves)


@pytest.mark.parametrize("text", ["All the same.\n" * 60, "Short."], ids=["repeated", "short"])
@pytest.mark.parametrize("metadata", [{"source": "a"}, {}], ids=["named", "unnamed"])
def test_no_two_nodes_of_a_hierarchy_have_the_same_id(text: str, metadata: dict[str, Any]) -> None:
    names = {"large": 240, "middle": 120, "small": 30}
    sizes: dict[str, Any] = {
        name: CantleNodeParser("recursive", max_size=size, overlap=0, include_parent_child_rel=False)
        for name, size in names.items()
    }
    parser = HierarchicalNodeParser.from_defaults(node_parser_ids=list(names), node_parser_map=sizes)
    nodes = parser.get_nodes_from_documents([Document(text=text, metadata=metadata)])
    by_id = {node.node_id: node for node in nodes}
    assert len(by_id) == len(nodes)
    for node in get_leaf_nodes(nodes):
        middle = by_id[node.parent_node.node_id]  # type: ignore[union-attr]
        large = by_id[middle.parent_node.node_id]  # type: ignore[union-attr]
        assert len({node.node_id, middle.node_id, large.node_id}) == 3
        assert node.text in middle.text
        assert middle.text in large.text


def test_empty_documents_give_no_nodes() -> None:
    parser = CantleNodeParser("recursive", max_size=50)
    assert parser([Document(text=""), Document(text=" \n\n "), Document(text_resource=None), TextNode(text="")]) == []
    assert parser([]) == []


def test_images_pass(tmp_path: Path) -> None:
    parser = CantleNodeParser("recursive", max_size=50)
    path = str(tmp_path / "a.png")
    Image.new("RGB", (2, 2)).save(path)
    bare, read = ImageDocument(image_path=path, id_="a"), ImageDocument(image_path=path, text="A ferry.", id_="b")
    bare.metadata = {"page": 1}
    image, text = parser([bare, read])
    assert isinstance(image, ImageNode)
    assert (image.image_path, image.ref_doc_id, image.metadata) == (path, "a", {"page": 1})
    assert image.id_ == parser([bare])[0].id_
    assert isinstance(text, TextNode)
    assert text.text == "A ferry."


def test_other_nodes_are_cut_by_their_text() -> None:
    nodes = CantleNodeParser("recursive", max_size=10)(
        [IndexNode(text="One two.\n\nThree four.", index_id="i", id_="n")]
    )
    assert [node.text for node in nodes] == ["One two.", "Three", "four."]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffBOM.\n\nNext.",
        "a\x00b\n\n\x1f c",
        "\u202eright\u202c to left\n\nleft",
        "\ud800 alone\n\n\udfff too",
        "e\u0301" * 40,
        "👩‍👩‍👧 " * 30,
        "{0} {x!r} {{}} %s\n\n{",
        "\r\n\r\nA\r\n\r\nB\r",
    ],
    ids=["bom", "nul", "bidi", "surrogates", "accents", "emoji", "braces", "crlf"],
)
@pytest.mark.parametrize("strategy", ["recursive", "structural-context"])
def test_any_text(strategy: str, text: str) -> None:
    given = document("# {title}\n\n" + text)
    nodes = CantleNodeParser(strategy, kind="markdown", max_size=24)([given])
    chunks = MDocument(given.text, "markdown", source="guide").chunk(strategy, max_size=24)
    assert [node.get_content(metadata_mode=MetadataMode.EMBED) for node in nodes] == chunks.texts
    assert from_nodes(nodes) == list(chunks)
    assert from_nodes([TextNode.from_json(node.to_json()) for node in nodes]) == list(chunks)


def test_source_of_documents_without_a_name(guide: str) -> None:
    parser = CantleNodeParser("recursive", max_size=100)
    first, second = parser([Document(text=guide)]), parser([Document(text=guide)])
    assert [node.id_ for node in first] == [node.id_ for node in second]  # the documents' ids are random ones
    assert first[0].id_.startswith("sha256-")
    named = parser([Document(text=guide, metadata={"file_path": "a/b.md", "page_label": "3"})])
    assert named[0].id_.startswith("a/b.md#page=3:")


def test_ids_by_a_function(guide: str) -> None:
    parser = CantleNodeParser("recursive", max_size=100, id_func=numbered)
    nodes = parser([document(guide)])
    assert [node.id_ for node in nodes] == [f"guide-{i}" for i in range(len(nodes))]
    assert nodes[0].next_node is not None
    assert nodes[0].next_node.node_id == "guide-1"
    assert from_nodes(nodes)[0].key.startswith("guide:")
    with pytest.raises(OptionError, match=r"from_dict\(data, id_func="):
        CantleNodeParser.from_dict(parser.to_dict())
    assert CantleNodeParser.from_dict(parser.to_dict(), id_func=numbered)([document(guide)]) == nodes
    assert pickle.loads(pickle.dumps(parser))([document(guide)]) == nodes


def numbered(i: int, owner: Any) -> str:
    return f"{owner.id_}-{i}"


def test_async_is_the_same_and_lets_others_run(guide: str) -> None:
    parser = CantleNodeParser("structural-context", kind="markdown", max_size=140)
    documents = [Document(text=guide * 40, id_=f"d{i}") for i in range(3)]

    async def both() -> tuple[Any, Any, int]:
        turns = 0
        done = asyncio.Event()

        async def count() -> None:
            nonlocal turns
            while not done.is_set():
                turns += 1
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        called = await parser.acall(documents)
        done.set()
        await counting
        return called, await parser.aget_nodes_from_documents(documents), turns

    called, gotten, turns = asyncio.run(both())
    assert called == gotten == parser(documents)
    assert turns > len(documents)


def test_async_cuts_outside_of_the_event_loop() -> None:
    seen: set[int] = set()

    @dataclass(frozen=True, kw_only=True)
    class Watched:
        name: ClassVar[str] = "watched"

        def split(self, source: Any) -> list[Chunk]:
            seen.add(threading.get_ident())
            return [Chunk(source.text, 0, len(source.text))]

    assert asyncio.run(CantleNodeParser(Watched()).acall([document("text")]))[0].text == "text"
    assert seen
    assert threading.get_ident() not in seen


def test_many_threads(guide: str) -> None:
    parser = CantleNodeParser("structural-context", kind="markdown", max_size=140)
    expected = parser([document(guide)])
    with ThreadPoolExecutor(4) as pool:
        assert all(nodes == expected for nodes in pool.map(parser, [[document(guide)]] * 12))


def test_events_and_progress(guide: str, capsys: pytest.CaptureFixture[str]) -> None:
    watcher = LlamaDebugHandler(print_trace_on_end=False)
    parser = CantleNodeParser("recursive", max_size=100, callback_manager=CallbackManager([watcher]))
    nodes = parser.get_nodes_from_documents([document(guide)], show_progress=True)
    started, ended = watcher.get_event_pairs(CBEventType.NODE_PARSING)[0]
    assert started.payload is not None
    assert len(started.payload["documents"]) == 1
    assert ended.payload is not None
    assert ended.payload["nodes"] == nodes
    assert "Parsing nodes" in capsys.readouterr().err


def test_as_the_parser_of_all_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    parser = CantleNodeParser("recursive", max_size=100)
    monkeypatch.setattr(Settings, "_node_parser", None)
    monkeypatch.setattr(Settings, "_transformations", None)
    Settings.node_parser = parser
    assert Settings.node_parser is parser
    assert Settings.transformations == [parser]


def test_the_framework_is_loaded_when_it_is_used() -> None:
    code = (
        "import sys, cantle_llama_index as c; assert not any(m.startswith('llama_index') for m in sys.modules);"
        "assert 'CantleReader' in dir(c); c.CantleReader; assert 'llama_index.core' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    import cantle_llama_index

    with pytest.raises(AttributeError, match="no attribute 'Parser'"):
        cantle_llama_index.Parser  # noqa: B018
