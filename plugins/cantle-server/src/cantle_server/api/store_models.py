"""What routes of the store are asked for, and what they answer."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from .json_body import Body, Shown

if TYPE_CHECKING:
    from cantle_store import Avatar, Dataset, Document, Hit, StoredChunk

__all__ = [
    "AvatarAsked",
    "AvatarShown",
    "AvatarsShown",
    "ChunksShown",
    "DatasetAsked",
    "DatasetShown",
    "DatasetsShown",
    "DeletedShown",
    "DocumentAsked",
    "DocumentsShown",
    "FoundShown",
    "RolesAsked",
    "RolesShown",
    "SearchAsked",
    "SyncedShown",
    "of_avatar",
    "of_chunk",
    "of_dataset",
    "of_document",
    "of_hit",
]

_Id = Annotated[str, Field(min_length=1, max_length=200)]
_Name = Annotated[str, Field(min_length=1, max_length=200, pattern=r"\S")]
_Value = str | int | float | bool


def _example(value: dict[str, Any]) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [value]})


class AvatarAsked(Body):
    """A new avatar."""

    model_config = _example({"name": "support", "main": False})
    name: _Name
    main: bool = Field(default=False, description="Make it the main one of the host, in place of the one that is.")


class AvatarShown(Shown):
    """Whom datasets belong to; one of a host is the main one."""

    id: str
    name: str
    main: bool
    created: datetime
    updated: datetime


class AvatarsShown(Shown):
    """The avatars of the host, by name."""

    avatars: list[AvatarShown]


class DatasetAsked(Body):
    """A new dataset."""

    model_config = _example({"name": "handbook"})
    name: _Name
    avatar_id: _Id | None = Field(default=None, description="Whose it is. Without it the host's main avatar.")
    exist_ok: bool = Field(default=False, description="Answer the one that has this name already, in place of 409.")


class DatasetShown(Shown):
    """A dataset; `documents` and `chunks` are counts."""

    id: str
    avatar_id: str
    name: str
    embedder: str | None
    dimension: int | None = Field(description="How long its vectors are; null while it has none.")
    documents: int
    chunks: int
    created: datetime
    updated: datetime


class DatasetsShown(Shown):
    """The datasets of the host, or of one avatar, by name."""

    datasets: list[DatasetShown]


class DocumentAsked(Body):
    """A text to be cut and kept."""

    model_config = _example(
        {
            "source": "leave.md",
            "text": "# Leave\n\nEmployees have 30 days of leave a year.",
            "kind": "markdown",
            "strategy": "markdown",
            "options": {"maxSize": 512},
            "metadata": {"dept": "hr"},
        }
    )
    source: Annotated[str, Field(min_length=1, max_length=1000)] = Field(
        description="The name of the document: the same name again brings it up to date."
    )
    text: str
    kind: Annotated[str, Field(min_length=1, max_length=40)] = Field(
        default="text", description="What the text is: text, markdown, html, json, latex."
    )
    strategy: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None, description="How to cut: GET /v1/strategies lists them. Without it that of the kind."
    )
    options: dict[str, Any] | None = Field(default=None, description="Options of the strategy.")
    metadata: dict[str, Any] | None = Field(default=None, description="What filters and roles look at.")


class DocumentShown(Shown):
    """A document; `chunks` is a count."""

    id: str
    dataset_id: str
    source: str
    metadata: dict[str, Any]
    origin: str
    config_hash: str
    chunks: int
    created: datetime
    updated: datetime


class DocumentsShown(Shown):
    """Documents of a dataset, by source."""

    documents: list[DocumentShown]
    next_cursor: str | None = Field(description="Give it as `cursor` for what follows; null at the end.")


class SyncedShown(Shown):
    """What became of the chunks. `changed`: the same text at another place, or with other metadata."""

    dataset_id: str
    source: str
    new: int
    changed: int
    kept: int
    gone: int
    embedded: int = Field(description="How many texts the embedder was asked for.")
    chunk_ids: list[str]


class DeletedShown(Shown):
    """How many were deleted."""

    documents: int
    chunks: int


class ChunkShown(Shown):
    """A chunk; positions are in characters (code points) of its document."""

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
    spans: list[tuple[int, int]] | None
    overlap: int
    path: list[str]
    hash: str
    embed_hash: str
    config_hash: str
    metadata: dict[str, Any]
    has_embedding: bool
    embedding: list[float] | None = Field(default=None, description="Only where it was asked for.")
    created: datetime
    updated: datetime


class ChunksShown(Shown):
    """Chunks by source and index."""

    chunks: list[ChunkShown]
    next_cursor: str | None = Field(description="Give it as `cursor` for what follows; null at the end.")


class SearchAsked(Body):
    """What is searched for: words, a vector, or both."""

    model_config = _example({"query": "how long is the leave?", "where": {"dept": "hr"}, "k": 5})
    query: Annotated[str, Field(max_length=10_000)] | None = None
    vector: Annotated[list[float], Field(min_length=1, max_length=16_000)] | None = None
    where: Annotated[dict[str, _Value | list[_Value]], Field(max_length=50)] | None = Field(
        default=None, description="Only chunks whose metadata has these values; of a list one is enough."
    )
    roles: Annotated[list[Annotated[str, Field(min_length=1, max_length=200)]], Field(max_length=100)] | None = Field(
        default=None,
        description="See what these roles see. A token with roles may name some of its own, and searches with all of "
        "them otherwise.",
    )
    k: int = Field(default=10, ge=1, le=100, description="How many chunks.")
    mode: Literal["auto", "vector", "text", "hybrid"] = Field(
        default="auto", description="By vectors, by words, or by both; auto: by all that can be done."
    )
    dataset_id: _Id | None = Field(default=None, description="Only in this dataset. Without it in all of the host.")


class HitShown(Shown):
    """A chunk that was found."""

    score: float = Field(description="The higher the better, comparable within one search.")
    ranks: dict[str, int] = Field(description="Its place in the lists by vector and by words, from 1.")
    chunk: ChunkShown


class FoundShown(Shown):
    """What was found, the best first."""

    hits: list[HitShown]


class RolesAsked(Body):
    """What each role may see: rules over the metadata of documents, of which one must fit. `*` is everything."""

    model_config = _example({"roles": {"intern": {"dept": ["hr", "product"]}, "auditor": "*"}})
    roles: dict[str, Any]


class RolesShown(Shown):
    """What each role may see."""

    roles: dict[str, Any]


def _moments(found: dict[str, Any]) -> dict[str, Any]:
    return {**found, "created": found["created"].isoformat(), "updated": found["updated"].isoformat()}


def of_avatar(one: Avatar) -> dict[str, Any]:
    """An avatar as plain values."""
    return _moments({"id": one.id, "name": one.name, "main": one.main, "created": one.created, "updated": one.updated})


_DATASET = ("id", "avatar_id", "name", "embedder", "dimension", "documents", "chunks", "created", "updated")
_DOCUMENT = ("id", "dataset_id", "source", "metadata", "origin", "config_hash", "chunks", "created", "updated")


def of_dataset(one: Dataset) -> dict[str, Any]:
    """A dataset as plain values."""
    return _moments({to_camel(name): getattr(one, name) for name in _DATASET})


def of_document(one: Document) -> dict[str, Any]:
    """A document as plain values."""
    return _moments({to_camel(name): getattr(one, name) for name in _DOCUMENT})


def of_chunk(one: StoredChunk, *, embedding: bool = False) -> dict[str, Any]:
    """A chunk as plain values, with its vector where that is asked for."""
    found = {to_camel(name): value for name, value in one.to_dict().items()}
    found["hasEmbedding"] = one.embedding is not None
    if embedding:
        found["embedding"] = one.embedding
    return found


def of_hit(one: Hit) -> dict[str, Any]:
    """A hit as plain values."""
    return {"score": one.score, "ranks": one.ranks, "chunk": of_chunk(one.chunk)}
