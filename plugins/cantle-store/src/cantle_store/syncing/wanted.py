"""A document as it should be in the store: what is made of its chunks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cantle import Chunk, Chunks
from cantle.errors import DocumentError

__all__ = ["WantedChunk", "WantedDocument", "wanted"]


@dataclass(frozen=True)
class WantedChunk:
    """A chunk to be kept. `place` is what may change without another vector."""

    key: str
    embed_hash: str
    text: str
    place: Mapping[str, Any]
    own_metadata: Mapping[str, Any]


@dataclass(frozen=True)
class WantedDocument:
    """A document to be kept."""

    source: str
    metadata: Mapping[str, Any]
    config_hash: str
    chunks: tuple[WantedChunk, ...]


def wanted(
    source: str, chunks: Chunks | Iterable[Chunk | Mapping[str, Any]], metadata: Mapping[str, Any] | None = None
) -> WantedDocument:
    """The document that chunks, or their dictionaries, make. The metadata is the document's.

    Without `metadata` it is that of `chunks.source`, or what the metadata of all chunks have in common.
    Raises `DocumentError` for what is no chunk.
    """
    config_hash = chunks.config_hash if isinstance(chunks, Chunks) else ""
    records = [_record(one, position) for position, one in enumerate(chunks)]
    if metadata is None:
        metadata = chunks.source.metadata if isinstance(chunks, Chunks) else _common(records)
    seen: Counter[str] = Counter()
    made = []
    for index, record in enumerate(records):
        embed_hash = record["embed_hash"]
        place = {name: record[name] for name in ("content", "prefix", "start", "end", "spans", "overlap", "path")}
        place |= {"index": index, "metadata": record["metadata"], "hash": record["hash"]}
        own = {name: value for name, value in record["metadata"].items() if metadata.get(name) != value}
        # The key is made anew: the source is the one that is given here, whatever the chunks call theirs.
        made.append(WantedChunk(f"{source}:{embed_hash}:{seen[embed_hash]}", embed_hash, record["text"], place, own))
        seen[embed_hash] += 1
    return WantedDocument(source, dict(metadata), config_hash, tuple(made))


def _record(one: Any, position: int) -> Mapping[str, Any]:
    if isinstance(one, Chunk):
        return one.to_dict()
    if not isinstance(one, Mapping) or not isinstance(one.get("text"), str):
        raise DocumentError(
            f"Item {position} of the chunks is no chunk: {type(one).__name__}. Give what chunk() returns, or "
            "dictionaries of to_dicts()."
        )
    content = one.get("content", one["text"])
    whole = Chunk(content, one.get("start", 0), one.get("end", len(content)), prefix=one.get("prefix", "")).to_dict()
    return {
        **whole,
        **one,
        "embed_hash": whole["embed_hash"],
        "hash": whole["hash"],
        "metadata": one.get("metadata") or {},
    }


def _common(records: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What all chunks say alike; a document of which they differ has no such value, and is then not let through."""
    if not records:
        return {}
    first = records[0]["metadata"]
    return {name: value for name, value in first.items() if all(r["metadata"].get(name) == value for r in records)}
