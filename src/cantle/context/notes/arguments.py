"""What `contextualize` is given as chunks: `Chunks`, some of them in a list, or dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...chunk import Chunk
from ...chunks import Chunks
from ...errors import OptionError

__all__ = ["as_chunks"]


def as_chunks(chunks: Any) -> Any:
    """`Chunks` for a list or tuple of `Chunk` objects, as a slice of `Chunks` is one; all else as it is.

    They are numbered anew. What is left out of the document is what the whole result leaves out. Raises `OptionError`
    where the objects are not all of one result, and for what is no sequence.
    """
    if chunks is None or isinstance(chunks, Chunks):
        return chunks
    if isinstance(chunks, str | bytes) or not isinstance(chunks, Sequence):
        raise OptionError(
            "chunks must be Chunks, or a list of dictionaries as ContextRetrievalChunker gives them, "
            f"got {type(chunks).__name__}."
        )
    if not any(isinstance(chunk, Chunk) for chunk in chunks):
        return chunks
    whole = next(chunk._siblings for chunk in chunks if isinstance(chunk, Chunk))
    for i, chunk in enumerate(chunks):
        if not isinstance(chunk, Chunk):
            raise OptionError(f"chunks must be of one kind, got {chunk!r} beside Chunk objects at position {i}.")
        if whole is None or chunk._siblings is not whole:
            raise OptionError(
                "a list of Chunk objects must be a part of one result of chunk(), such as chunks[:3], "
                f"got {chunk!r} at position {i}, which is not. Pass the Chunks of one document at a time."
            )
    assert whole is not None
    part = Chunks(
        whole.source,
        chunks,
        dropped=lambda: whole.dropped,
        config_hash=whole.config_hash,
        unique_paths=whole.unique_paths,
    )
    part.strategy = whole.strategy
    return part
