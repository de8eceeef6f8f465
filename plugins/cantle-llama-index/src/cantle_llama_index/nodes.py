"""Chunks as LlamaIndex's nodes, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Literal

from llama_index.core.schema import BaseNode, MetadataMode, NodeWithScore, ObjectType, RelatedNodeInfo, TextNode

from cantle import Chunk, Chunks
from cantle.adapters import KIND, PATH, RECORD, Keys, key_uuid, pack, unpack
from cantle.errors import OptionError

from .relationships import relate

__all__ = ["PREFIX", "Ids", "check_ids", "from_nodes", "node_of", "to_nodes"]

Ids = Literal["key", "uuid"]
"""What the ids of nodes are."""

PREFIX = "prefix"
"""The key of the metadata under which a chunk's prefix is."""

_VALUE = "{value}"
_TECHNICAL = (RECORD, KIND, "chunk_id", "chunk_index")


def check_ids(ids: object) -> None:
    """Raises `OptionError` for what does not say what ids are."""
    if ids not in ("key", "uuid"):
        raise OptionError(f"ids must be 'key' or 'uuid' (for stores that take nothing else, as Qdrant), got {ids!r}.")


def to_nodes(chunks: Iterable[Chunk], *, ids: Ids = "key") -> list[TextNode]:
    """The chunks of one or more results of `chunk()` as nodes; `from_nodes` gives them back.

    `node.get_content(MetadataMode.EMBED)` is the chunk's `text` (what to embed, prefix included), `node.text` its
    `content` (with the prefix where that has no place in the metadata), `id_` its `key`; where two would have the same,
    since several documents have one `source`, the number at its end counts on. With `ids="uuid"` it is the UUID that
    stands for this key, as Qdrant and Weaviate want it. `start_char_idx` and `end_char_idx` are where the content is in
    the source text, in code points, end exclusive. The metadata are the chunk's and `chunk_id`, `chunk_index`,
    `heading_path` and `prefix`, where it has them, and `cantle`, a string that `from_nodes` needs; lists and
    dictionaries of a strategy are in that string, since many vector stores take none.

    `SOURCE` names the document by the chunk's `source`, if it has one; `PREVIOUS` and `NEXT` are the chunks around it;
    for a `Chunks`, `PARENT` and `CHILD` are those of its `relations()`.
    """
    if isinstance(chunks, Chunk) or not isinstance(chunks, Iterable):
        raise OptionError(f"to_nodes takes the chunks that chunk() gives, or a list of Chunk, got {chunks!r:.100}.")
    listed = list(chunks)
    for i, chunk in enumerate(listed):
        if not isinstance(chunk, Chunk):
            raise OptionError(f"to_nodes takes objects of cantle.Chunk, got {chunk!r:.100} at position {i}.")
    check_ids(ids)
    named = Keys().of(listed)
    nodes = [
        node_of(chunk, key, id=key_uuid(key) if ids == "uuid" else None)
        for chunk, key in zip(listed, named, strict=True)
    ]
    sources = _sources(chunks, listed)
    around = [one.source == other.source and one.index + 1 == other.index for one, other in pairwise(listed)]
    relations = chunks.relations() if isinstance(chunks, Chunks) else ()
    relate(nodes, [sources.get(chunk.source) for chunk in listed], around, relations)
    return nodes


def _sources(chunks: Iterable[Chunk], listed: Sequence[Chunk]) -> dict[str, RelatedNodeInfo]:
    metadata = dict(chunks.source.metadata) if isinstance(chunks, Chunks) else {}
    names = {chunk.source for chunk in listed if chunk.source}
    return {
        name: RelatedNodeInfo(node_id=name, node_type=ObjectType.DOCUMENT, metadata=metadata) for name in sorted(names)
    }


def node_of(chunk: Chunk, key: str, *, id: str | None = None, like: BaseNode | None = None) -> TextNode:
    """The chunk as a node with this key, and this id if it is another one.

    `like` is the document that it was cut from: how its metadata are written for models holds for the node too.
    """
    apart = bool(chunk.prefix) and _fits(chunk)
    shown = {
        "chunk_id": chunk.id,
        "chunk_index": chunk.index,
        "heading_path": PATH.join(chunk.path) or _heading(like, chunk),
        PREFIX: chunk.prefix if apart else None,
    }
    metadata = pack(chunk, shown, key=key, flat=True)
    node = TextNode(
        id_=key if id is None else id,
        text=chunk.content if apart else chunk.text,
        metadata=metadata,
        embedding=None if chunk.embedding is None else [float(number) for number in chunk.embedding],
        start_char_idx=chunk.start,
        end_char_idx=chunk.end,
    )
    if apart:
        # get_content() strips the metadata and puts both into the template: the white space between is in that.
        node.metadata_template = _VALUE
        node.text_template = "{metadata_str}" + chunk.prefix[len(chunk.prefix.rstrip()) :] + "{content}"
        others = [name for name in metadata if name != PREFIX]
        node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys = others, list(others)
        return node
    technical = [name for name in _TECHNICAL if name in metadata]
    hidden, hidden_llm = list(metadata), technical
    if like is not None and not _is_apart(like):
        node.metadata_template, node.metadata_separator = like.metadata_template, like.metadata_separator
        node.text_template = getattr(like, "text_template", node.text_template)
        hidden = _joined(hidden, like.excluded_embed_metadata_keys)
        hidden_llm = _joined(like.excluded_llm_metadata_keys, technical)
    node.excluded_embed_metadata_keys, node.excluded_llm_metadata_keys = hidden, hidden_llm
    return node


def _heading(like: BaseNode | None, chunk: Chunk) -> str | None:
    """The heading path of a node that is cut again: it holds for pieces that have no headings of their own."""
    if like is None or RECORD not in like.metadata or "heading_path" in chunk.metadata:
        return None
    path = like.metadata.get("heading_path")
    return path if isinstance(path, str) else None


def _fits(chunk: Chunk) -> bool:
    """Whether `get_content()`, which strips both ends, gives the chunk's text with the prefix among the metadata."""
    return bool(chunk.prefix.strip()) and chunk.text.strip() == chunk.text


def _is_apart(node: BaseNode) -> bool:
    """Whether the node is one of ours whose templates are for its prefix."""
    return RECORD in node.metadata and node.metadata_template == _VALUE


def _joined(names: Sequence[str], more: Sequence[str]) -> list[str]:
    return list(dict.fromkeys((*names, *more)))


def from_nodes(nodes: Iterable[BaseNode | NodeWithScore]) -> list[Chunk]:
    """The chunks that `CantleNodeParser` or `to_nodes` made these nodes of, each equal to what it was.

    They may come from a docstore, a vector store or a retriever (`NodeWithScore`), in any order; what was added to
    their metadata since stays in the chunk's, and an embedding that a node got since is the chunk's. Raises
    `DocumentError` for a node that cantle did not make, or whose text was changed since.
    """
    if isinstance(nodes, BaseNode | NodeWithScore) or not isinstance(nodes, Iterable):
        raise OptionError(f"from_nodes takes a list of nodes, got {nodes!r:.100}.")
    return [_chunk(node) for node in nodes]


def _chunk(node: BaseNode | NodeWithScore) -> Chunk:
    if isinstance(node, NodeWithScore):
        node = node.node
    if not isinstance(node, BaseNode):
        raise OptionError(f"from_nodes takes LlamaIndex's nodes, got {node!r:.100}.")
    chunk = unpack(node.get_content(metadata_mode=MetadataMode.NONE), node.metadata)
    if chunk.embedding is None and node.embedding is not None:
        chunk.embedding = list(node.embedding)
    return chunk
