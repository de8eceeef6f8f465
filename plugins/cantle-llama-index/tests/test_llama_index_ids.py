"""Ids that are UUIDs, for stores that take no others."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from llama_index.core import Document
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.ingestion.pipeline import get_transformation_hash
from llama_index.core.schema import ImageDocument
from PIL import Image

from cantle import MDocument
from cantle.adapters import key_uuid
from cantle.errors import OptionError
from cantle_llama_index import CantleNodeParser, from_nodes, to_nodes

TEXT = "# One\n\nTwo three.\n\n## Four\n\nFive six.\n\n## Four\n\nFive six.\n"
GIVEN: dict[str, Any] = {"strategy": "structural-context", "kind": "markdown", "max_size": 40}


def test_a_uuid_stands_for_each_key() -> None:
    documents = [Document(text=TEXT, metadata={"source": "a"}, id_=name) for name in "ab"]
    named = CantleNodeParser(**GIVEN)(documents)
    parser = CantleNodeParser(**GIVEN, ids="uuid")
    found = parser(documents)
    uuids = {node.id_: key_uuid(node.id_) for node in named}
    assert [node.id_ for node in found] == list(uuids.values())
    assert {UUID(node.id_).version for node in found} == {5}
    assert len({node.id_ for node in found}) == len(found) == 6
    for one, other in zip(found, named, strict=True):
        assert one.metadata == other.metadata
        for mine, theirs in ((one.next_node, other.next_node), (one.parent_node, other.parent_node)):
            assert (mine and mine.node_id) == (theirs and uuids[theirs.node_id])
    assert from_nodes(found) == from_nodes(named)
    for again in (pickle.loads(pickle.dumps(parser)), CantleNodeParser.from_dict(parser.to_dict())):
        assert [node.id_ for node in again(documents)] == [node.id_ for node in found]
    assert [node.id_ for node in IngestionPipeline(transformations=[parser]).run(documents=documents)] == [
        node.id_ for node in found
    ]


def test_the_cache_tells_them_apart() -> None:
    documents = [Document(text=TEXT, metadata={"source": "a"})]
    hashes = {get_transformation_hash(documents, CantleNodeParser(**GIVEN, ids=ids)) for ids in ("key", "uuid")}
    assert len(hashes) == 2


def test_images_too(tmp_path: Path) -> None:
    path = str(tmp_path / "a.png")
    Image.new("RGB", (2, 2)).save(path)
    (node,) = CantleNodeParser(ids="uuid")([ImageDocument(image_path=path, id_="a")])
    assert node.id_ == key_uuid("a:image")


def test_a_function_goes_first() -> None:
    parser = CantleNodeParser(**GIVEN, ids="uuid", id_func=lambda i, document: f"{document.node_id}-{i}")
    assert [node.id_ for node in parser([Document(text=TEXT, id_="a")])] == ["a-0", "a-1", "a-2"]


def test_of_chunks() -> None:
    chunks = MDocument(TEXT, "markdown", source="a").chunk("structural-context", max_size=40)
    found = to_nodes(chunks, ids="uuid")
    assert [node.id_ for node in found] == [key_uuid(chunk.key) for chunk in chunks]
    assert from_nodes(found) == list(chunks)


@pytest.mark.parametrize("ids", ["UUID", None, ["key"]])
def test_what_ids_may_be(ids: Any) -> None:
    for make in (lambda: CantleNodeParser(ids=ids), lambda: to_nodes([], ids=ids)):
        with pytest.raises(OptionError, match="ids must be 'key' or 'uuid'"):
            make()
