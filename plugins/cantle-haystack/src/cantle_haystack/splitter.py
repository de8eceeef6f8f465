"""The document splitter."""

import asyncio
from collections.abc import Mapping
from typing import Any, Self

from haystack import Document, component, default_from_dict, default_to_dict, logging

from cantle import Chunks, Strategy
from cantle.adapters import Cutter, Keys
from cantle.errors import DocumentError, OptionError

from .errors import WrongTypeError
from .packing import Prefix, check_prefix, pieces
from .pages import Pages, first_page

# No `from __future__ import annotations`: older releases of Haystack read the types of `run` as they stand.

__all__ = ["CantleDocumentSplitter"]

logger = logging.getLogger(__name__)


@component
class CantleDocumentSplitter:
    """Splits documents with a strategy of cantle.

    ```python
    from haystack import Document
    from cantle_haystack import CantleDocumentSplitter

    splitter = CantleDocumentSplitter("recursive", max_size=800, overlap=80)
    pieces = splitter.run([Document(content=text, meta={"file_path": "guide.md"})])["documents"]
    ```

    Each piece is a `Document` whose id is the chunk's key, so that a second run over the same text gives the same ids;
    whose content is what to embed; and whose meta are the parent's, what the strategy adds, and: `source_id` (the id of
    the parent), `split_id` (its number in the parent, from 0), `split_idx_start` (where its content begins in the
    parent's, in code points), `page_number`, `_split_overlap` (when the strategy repeats text), `chunk_id`,
    `heading_path` (when it has one), and `cantle`, the record from which `from_documents` makes the chunk again. Lists
    and dictionaries that the strategy adds are in that record, since stores such as Chroma drop them.

    Args:
        strategy: A name, a class or an instance. None takes the strategy for the document's kind.
        kind: The kind of all documents, such as `markdown`. Without it, it is the `document_kind` in a document's meta
            (`CantleFileConverter` writes it), else the one that the strategy is for, else `text`.
        extract: Metadata to extract for each chunk, as for `MDocument.chunk`.
        prefix: Where the context goes that some strategies put in front of a chunk: `content`, or `meta` under the
            name `prefix`, for a document embedder with `meta_fields_to_embed=["prefix"], embedding_separator=""`.
        options: The strategy's options as a mapping; they may also be given as keywords.
        more_options: The strategy's options.

    Raises `UnknownStrategyError` and `OptionError`, all errors of cantle.
    """

    def __init__(
        self,
        strategy: str | type[Strategy] | Strategy | None = None,
        *,
        kind: str | None = None,
        extract: Mapping[str, Any] | None = None,
        prefix: Prefix = "content",
        options: Mapping[str, Any] | None = None,
        **more_options: Any,
    ) -> None:
        check_prefix(prefix)
        self._prefix: Prefix = prefix
        self._cutter = Cutter(strategy=strategy, options=_merged(options, more_options), kind=kind, extract=extract)

    def warm_up(self) -> None:
        """Do nothing, as Haystack's own splitter mostly does: what a strategy needs is loaded by the first run."""

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Split documents.

        Documents with no or blank text give no pieces. Raises `WrongTypeError` (a `TypeError`) for what is no list of
        documents, and `DocumentError` (a `ValueError`) for a document whose content is None, or is not what the
        strategy needs.
        """
        _check(documents)
        keys = Keys()
        made: list[Document] = []
        for document in documents:
            made += self._pieces(document, self._cutter.cut(self._source(document)), keys)
        return {"documents": made}

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Like `run`, without blocking the event loop: in an asynchronous pipeline it is this that runs."""
        _check(documents)
        keys = Keys()
        made: list[Document] = []
        for document in documents:
            chunks = await self._cutter.acut(self._source(document))
            made += await asyncio.to_thread(self._pieces, document, chunks, keys)
        return {"documents": made}

    def to_dict(self) -> dict[str, Any]:
        """The component as a dictionary. Raises `OptionError` for a strategy or option that has no name."""
        made: dict[str, Any] = default_to_dict(self, **self._cutter.config(), prefix=self._prefix)
        return made

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The component that `to_dict` made this dictionary of. Options may also stand beside `strategy`."""
        made: Self = default_from_dict(cls, data)
        return made

    def _source(self, document: Document) -> Any:
        assert document.content is not None
        return self._cutter.document(document.content, document.meta, id=document.id)

    def _pieces(self, document: Document, chunks: Chunks, keys: Keys) -> list[Document]:
        if not len(chunks):
            logger.warning("Document {id} has no text to split. It gives no documents.", id=document.id)
            return []
        pages = Pages(chunks.source.text, first_page(document.meta))
        numbers = [pages.of(chunk) for chunk in chunks]
        return pieces(chunks, keys.of(chunks), [document.id] * len(chunks), numbers, self._prefix)


def _merged(options: Mapping[str, Any] | None, more: dict[str, Any]) -> dict[str, Any]:
    if options is None:
        return more
    if not isinstance(options, Mapping):
        raise OptionError(f"options must be a mapping of names to values, got {options!r}.")
    twice = sorted(set(options) & set(more), key=str)
    if twice:
        raise OptionError(f"{twice[0]!r} is given twice, in options and as a keyword. Give it once.")
    return {**options, **more}


def _check(documents: Any) -> None:
    if not isinstance(documents, list) or not all(isinstance(document, Document) for document in documents):
        raise WrongTypeError(f"documents must be a list of Haystack documents, got {documents!r:.100}.")
    for document in documents:
        if document.content is None:
            raise DocumentError(
                f"document {document.id!r} has no text (its content is None), so there is nothing to split. "
                "Leave it out, for instance with a MetadataRouter, or convert it to text first."
            )
