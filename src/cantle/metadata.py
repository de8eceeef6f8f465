"""`extract`: metadata for chunks that exist already, of one document or of several together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from .chunks import Chunks
from .document import MDocument
from .errors import OptionError
from .extraction import Given, extract_async, extract_now
from .plugins import Registry, host_of

__all__ = ["aextract", "extract"]

Some = TypeVar("Some", bound="Chunks | Sequence[Chunks]")


def extract(chunks: Some, fields: Mapping[str, Any], *, plugins: Registry | None = None) -> Some:
    """Extract metadata from chunks that exist already, and return what was given.

    `chunks` is what `chunk()` returned, or a list of such results, for several documents together. The metadata of
    these very chunks is extended. `fields` maps fields to options (or True), `plugins` is the registry to use, as in
    `MDocument.chunk(extract=...)`.

    Of several documents a title is each document's own; those whose chunks have the same `docId` (or `doc_id`) in their
    metadata count as one document, and get one title. Extractors of a model make their calls for all documents at once.
    Fields come in the same order as in `chunk()`: each is extracted from all documents before the next.

    Raises `OptionError` and `ExtractionError`; what is wrong with `fields` is told before anything is extracted. What
    was extracted before an extractor fails stays in the metadata.
    """
    given, host = _given(chunks), host_of(plugins)
    if plugins is None:
        extract_now(host, given, fields)
    else:
        with host.in_use():
            extract_now(host, given, fields)
    return chunks


async def aextract(chunks: Some, fields: Mapping[str, Any], *, plugins: Registry | None = None) -> Some:
    """Like `extract`, for extractors that wait; other ones run in a thread."""
    given, host = _given(chunks), host_of(plugins)
    if plugins is None:
        await extract_async(host, given, fields)
    else:
        with host.in_use():
            await extract_async(host, given, fields)
    return chunks


def _given(chunks: Any) -> list[Given]:
    """The documents with their chunks; who is given twice is in once."""
    results = [chunks] if isinstance(chunks, Chunks) else chunks
    if not isinstance(results, list | tuple):
        raise OptionError(
            f"chunks must be Chunks, as chunk() returns them, or a list of several, got {type(chunks).__name__}."
        )
    for i, result in enumerate(results):
        if not isinstance(result, Chunks):
            raise OptionError(
                f"chunks must be Chunks, as chunk() returns them, or a list of several, got {type(result).__name__} at "
                f"position {i}. Single chunks do not know their document: give the Chunks that they are in."
            )
    return [(_document(result), result) for result in {id(result): result for result in results}.values()]


def _document(chunks: Chunks) -> MDocument:
    source = chunks.source
    if isinstance(source, MDocument):
        return source
    return MDocument(source.text, source.kind, source.metadata, source.source, source.body)
