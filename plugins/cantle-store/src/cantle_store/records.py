"""What a store hands out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

__all__ = ["Avatar", "Dataset", "Deleted", "Document", "Hit", "StoredChunk", "Synced"]


@dataclass(frozen=True)
class Avatar:
    """Whom datasets belong to; one of a host is the main one."""

    id: str
    name: str
    main: bool
    created: datetime
    updated: datetime


@dataclass(frozen=True)
class Dataset:
    """A dataset; `documents` and `chunks` are counts, `dimension` is the length of its vectors (None: it has none)."""

    id: str
    avatar_id: str
    name: str
    embedder: str | None
    dimension: int | None
    documents: int
    chunks: int
    created: datetime
    updated: datetime


@dataclass(frozen=True)
class Document:
    """A document of a dataset; `chunks` is a count."""

    id: str
    dataset_id: str
    source: str
    metadata: dict[str, Any]
    origin: str
    config_hash: str
    chunks: int
    created: datetime
    updated: datetime


@dataclass(frozen=True)
class StoredChunk:
    """A chunk as it is kept; offsets are code points of the document's text."""

    id: str
    key: str
    dataset_id: str
    document_id: str
    source: str
    index: int
    text: str
    content: str
    prefix: str
    start: int
    end: int
    spans: tuple[tuple[int, int], ...] | None
    overlap: int
    path: tuple[str, ...]
    hash: str
    embed_hash: str
    config_hash: str
    metadata: dict[str, Any]
    embedding: list[float] | None = field(repr=False)
    created: datetime
    updated: datetime

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary without the vector, ready for JSON."""
        made = asdict(self)
        del made["embedding"]
        made["created"], made["updated"] = self.created.isoformat(), self.updated.isoformat()
        return made


@dataclass(frozen=True)
class Synced:
    """What a sync did, in chunks. `changed`: the same text, at another place, with other metadata or its first vector.

    `embedded` counts the texts that the embedder was asked for; `chunk_ids` are in the order of the chunks; `wrote` is
    whether anything was written, if only the document's own metadata, `unwiped` whether something was taken away that
    is still to be wiped from the disk (`Store.wipe`).
    """

    dataset: Dataset
    source: str
    new: int
    changed: int
    kept: int
    gone: int
    embedded: int
    chunk_ids: tuple[str, ...] = field(repr=False)
    wrote: bool
    unwiped: bool = False


@dataclass(frozen=True)
class Deleted:
    """How many documents and chunks were deleted.

    `unwiped`: another process has been reading for a minute, so that they are still in a file of the database; call
    `Store.wipe` when it has ended.
    """

    documents: int
    chunks: int
    unwiped: bool = field(default=False, repr=False)


@dataclass(frozen=True)
class Hit:
    """A chunk that was found. `score`: the higher the better, comparable within one search; `ranks` from 1."""

    chunk: StoredChunk
    score: float
    ranks: dict[str, int]
