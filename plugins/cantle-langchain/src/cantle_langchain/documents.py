"""Chunks as LangChain's documents, and back."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from langchain_core.documents import Document

from cantle import Chunk
from cantle.adapters import PATH, Keys, key_uuid, pack, unpack
from cantle.errors import OptionError

__all__ = ["Ids", "check_ids", "document_key", "from_documents", "packed", "to_documents"]

Ids = Literal["key", "uuid"]
"""What the ids of documents are."""


def check_ids(ids: object) -> None:
    """Raises `OptionError` for what does not say what ids are."""
    if ids not in ("key", "uuid"):
        raise OptionError(f"ids must be 'key' or 'uuid' (for stores that take nothing else, as Qdrant), got {ids!r}.")


def to_documents(chunks: Iterable[Chunk], *, ids: Ids = "key") -> list[Document]:
    """The chunks of one or more results of `chunk()` as documents; `from_documents` gives them back.

    `page_content` is the chunk's `text` (what to embed, prefix included) and `id` its `key`; where two would have the
    same, since several documents have one `source`, the number at its end counts on. With `ids="uuid"` it is the UUID
    that stands for this key, as Qdrant and Weaviate want it. The metadata are the chunk's, and:
    `start_index` and `end_index`, where its content is in the source, in code points, end exclusive; `chunk_id`,
    `chunk_index`; `heading_path`, its path as one string, if it has one; `source`, the chunk's, if the metadata have
    none; and `cantle`, a string that `from_documents` needs. In that string are also an embedding that a chunk has, and
    lists and dictionaries that the strategy added, since not every store takes them.
    """
    if isinstance(chunks, Chunk) or not isinstance(chunks, Iterable):
        raise OptionError(f"to_documents takes the chunks that chunk() gives, or a list of Chunk, got {chunks!r:.100}.")
    listed = list(chunks)
    for i, chunk in enumerate(listed):
        if not isinstance(chunk, Chunk):
            raise OptionError(f"to_documents takes objects of cantle.Chunk, got {chunk!r:.100} at position {i}.")
    check_ids(ids)
    return packed(listed, Keys(), ids)


def packed(chunks: Sequence[Chunk], keys: Keys, ids: Ids) -> list[Document]:
    """The chunks as documents, with the next of these keys."""
    return [_document(chunk, key, ids) for chunk, key in zip(chunks, keys.of(chunks), strict=True)]


def _document(chunk: Chunk, key: str, ids: Ids) -> Document:
    shown = {
        "start_index": chunk.start,
        "end_index": chunk.end,
        "chunk_id": chunk.id,
        "chunk_index": chunk.index,
        "heading_path": PATH.join(chunk.path) or None,
        # The indexing API tells by it what belongs together.
        "source": None if chunk.metadata.get("source") is not None else chunk.source,
    }
    id = key_uuid(key) if ids == "uuid" else key
    return Document(page_content=chunk.text, id=id, metadata=pack(chunk, shown, key=key, flat=True))


def from_documents(documents: Iterable[Document]) -> list[Chunk]:
    """The chunks that `CantleTextSplitter` or `to_documents` made these documents of, each equal to what it was.

    They may come from a vector store or a retriever, in any order; what was added to their metadata since stays in the
    chunk's. Raises `DocumentError` for a document that cantle did not make, or whose text was changed since.
    """
    if isinstance(documents, Document) or not isinstance(documents, Iterable):
        raise OptionError(f"from_documents takes a list of documents, got {documents!r:.100}.")
    return [_chunk(document) for document in documents]


def _chunk(document: Document) -> Chunk:
    if not isinstance(document, Document):
        raise OptionError(
            f"LangChain's documents are wanted, got {document!r:.100}. Search with scores gives pairs: take the first "
            "of each."
        )
    return unpack(document.page_content, document.metadata)


def document_key(document: Document) -> str:
    """The key of the chunk in a document, or its UUID where that is the document's id.

    It is what `key_encoder` of LangChain's indexing API takes.

    It stands for source and text, not for the place: a chunk that only moved, since something was inserted before it,
    keeps its key. So it is not embedded again, and what the store has of it stays as it is, `start_index` too.
    `key_encoder="sha256"` instead writes all that moved once more. Raises `DocumentError` as `from_documents` does.
    """
    key = _chunk(document).key
    uuid = key_uuid(key)
    return uuid if document.id == uuid else key
