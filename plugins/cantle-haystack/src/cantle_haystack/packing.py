"""Chunks as Haystack documents, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from haystack import Document

from cantle import Chunk, Chunks
from cantle.adapters import PATH, Keys, pack, unpack
from cantle.errors import DocumentError, OptionError

from .errors import WrongTypeError
from .pages import Pages, told_page

__all__ = ["Prefix", "check_prefix", "from_documents", "pieces", "to_documents"]

Prefix = Literal["content", "meta"]
"""Where a chunk's prefix goes."""


def to_documents(chunks: Iterable[Chunk], *, prefix: Prefix = "content") -> list[Document]:
    """The chunks as Haystack documents, in the same order, as `CantleDocumentSplitter` gives them.

    `chunks` is the result of `chunk()` or any iterable of chunks, of several documents too. The id is the chunk's key;
    where two chunks have the same one, the number at its end counts on. `source_id` is the chunk's `source`.
    `page_number` is there when the strategy tells the page, or when `chunks` comes with its document, by whose form
    feeds pages are counted. `prefix` is that of `CantleDocumentSplitter`.

    Raises `DocumentError` for metadata that cannot be written down, `OptionError` for another `prefix`.
    """
    check_prefix(prefix)
    pages = Pages(chunks.source.text) if isinstance(chunks, Chunks) else None
    if isinstance(chunks, Chunk) or not isinstance(chunks, Iterable):
        raise WrongTypeError(f"to_documents takes what chunk() gives, or a list of Chunk, got {chunks!r:.100}.")
    items = list(chunks)
    for item in items:
        if not isinstance(item, Chunk):
            raise WrongTypeError(f"to_documents takes chunks, got {item!r:.100}. Cut a text with MDocument.chunk().")
    keys = Keys().of(items)
    numbers = [told_page(chunk) if pages is None else pages.of(chunk) for chunk in items]
    return pieces(items, keys, [chunk.source for chunk in items], numbers, prefix)


def from_documents(documents: Iterable[Document]) -> list[Chunk]:
    """The chunks that the documents hold, in the same order; each equals the one that it was made of.

    `embedding` is that of the document, so a chunk has the vector that an embedder gave it since. Raises
    `DocumentError` for a document that cantle did not cut, or whose content or record was changed.
    """
    if isinstance(documents, Document | Mapping) or not isinstance(documents, Iterable):
        raise WrongTypeError(
            f"from_documents takes a list of Haystack documents, got {documents!r:.100}. Of a component's result that "
            "is result['documents']."
        )
    chunks = []
    for document in documents:
        if not isinstance(document, Document):
            raise WrongTypeError(f"from_documents takes Haystack documents, got {document!r:.100}.")
        if document.content is None:
            raise DocumentError(
                f"document {document.id!r} has no text, so it holds no chunk. Give what the splitter made."
            )
        chunk = unpack(document.content, document.meta)
        if document.embedding is not None:
            chunk.embedding = list(document.embedding)
        chunks.append(chunk)
    return chunks


def pieces(
    chunks: Sequence[Chunk],
    keys: Sequence[str],
    source_ids: Sequence[str],
    numbers: Sequence[int | None],
    prefix: Prefix,
) -> list[Document]:
    """The documents of chunks, with the id, the `source_id` and the `page_number` of each."""
    overlaps = _overlaps(chunks, keys, prefix)
    made = []
    for chunk, key, source_id, number, overlap in zip(chunks, keys, source_ids, numbers, overlaps, strict=True):
        shown: dict[str, Any] = {
            "source_id": source_id,
            "split_id": chunk.index,
            "split_idx_start": chunk.start,
            "page_number": number,
            "_split_overlap": overlap,
            "chunk_id": chunk.id,
            "heading_path": PATH.join(chunk.path) or None,
            "prefix": _shown_prefix(chunk) if prefix == "meta" else None,
        }
        content = chunk.content if prefix == "meta" else chunk.text
        embedding = None if chunk.embedding is None else [float(number) for number in chunk.embedding]
        meta = pack(chunk, shown, key=key, flat=True, embedding=False)  # a document has a field for it
        made.append(Document(id=key, content=content, meta=meta, embedding=embedding))
    return made


def _shown_prefix(chunk: Chunk) -> str | None:
    """An empty one too where the document has something under this name, which would be embedded instead."""
    return chunk.prefix if chunk.prefix or "prefix" in chunk.metadata else None


def _overlaps(chunks: Sequence[Chunk], keys: Sequence[str], prefix: Prefix) -> Sequence[list[dict[str, Any]] | None]:
    """For each chunk what it has in common with its neighbours, as `DocumentSplitter` writes it.

    The range is in the content of the other document. None where no chunk of the same source overlaps another.
    """
    overlapping = {chunk.source for chunk in chunks if chunk.overlap}
    made: list[list[dict[str, Any]] | None] = [[] if chunk.source in overlapping else None for chunk in chunks]
    for i in range(1, len(chunks)):
        before, chunk = chunks[i - 1], chunks[i]
        mine, theirs = made[i], made[i - 1]
        if not chunk.overlap or mine is None or theirs is None:
            continue
        if before.source != chunk.source or before.index != chunk.index - 1:
            continue
        repeated = chunk.content[: chunk.overlap]
        at = _place(before, chunk)
        if before.content[at : at + len(repeated)] != repeated:  # put together anew: it is there in other words
            continue
        if prefix == "content":
            at += len(before.prefix)
        mine.append({"doc_id": keys[i - 1], "range": (at, at + len(repeated))})
        begin = len(chunk.prefix) if prefix == "content" else 0
        theirs.append({"doc_id": keys[i], "range": (begin, begin + len(repeated))})
    return made


def _place(before: Chunk, chunk: Chunk) -> int:
    """Where in the content of the chunk before the repeated part begins."""
    if before.exact and chunk.exact:
        return chunk.start - before.start
    return max(0, before.content.rfind(chunk.content[: chunk.overlap]))


def check_prefix(prefix: object) -> None:
    """Raise `OptionError` when it is no place for a prefix."""
    if prefix not in ("content", "meta"):
        raise OptionError(
            f"prefix must be 'content' (in front of the content) or 'meta' (in the metadata, for an embedder with "
            f"meta_fields_to_embed=['prefix'] and embedding_separator=''), got {prefix!r}."
        )
