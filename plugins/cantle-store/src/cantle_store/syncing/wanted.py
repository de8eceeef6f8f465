"""A document as it should be in the store: what is made of its chunks."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cantle import Chunk, Chunks
from cantle.errors import DocumentError

from ..labels import labels
from ..tables import Encoded, encoded

__all__ = ["WantedChunk", "WantedDocument", "wanted"]

_DEEPEST = 100
_STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_BRACKET = re.compile(r"[\[\]{}]")
_GIVE = "Give what chunk() returns, or dictionaries as to_dicts() makes them."


@dataclass(frozen=True)
class WantedChunk:
    """A chunk to be kept. `place` has the columns that may change without another vector, as the database has them."""

    key: str
    embed_hash: str
    text: str
    place: Mapping[str, Any]
    labels: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class WantedDocument:
    """A document to be kept."""

    source: str
    config_hash: str
    metadata: Encoded
    labels: tuple[tuple[str, str], ...]
    chunks: tuple[WantedChunk, ...]


def wanted(
    source: str, chunks: Chunks | Iterable[Chunk | Mapping[str, Any]], metadata: Mapping[str, Any] | None = None
) -> WantedDocument:
    """The document that chunks, or their dictionaries, make. `metadata` is the document's.

    Without it, it is that of `chunks.source`, or what the metadata of all chunks have in common. A chunk has its
    document's metadata too, where it does not say otherwise. Raises `DocumentError` for what is no chunk.
    """
    if not isinstance(source, str):
        raise DocumentError(f"source must be a text, the name of the document, got {source!r}.")
    if isinstance(chunks, str | bytes | Mapping) or not isinstance(chunks, Iterable):
        raise DocumentError(f"chunks must be a list of chunks, got {type(chunks).__name__}. {_GIVE}")
    config_hash = chunks.config_hash if isinstance(chunks, Chunks) else ""
    records = [_record(one, position) for position, one in enumerate(chunks)]
    if metadata is None:
        metadata = chunks.source.metadata if isinstance(chunks, Chunks) else _common(records)
    elif not isinstance(metadata, Mapping):
        raise DocumentError(f"metadata must be a mapping such as {{'dept': 'hr'}}, got {metadata!r}.")
    of_document = _Metadata(metadata)
    seen: Counter[str] = Counter()
    made = []
    for index, record in enumerate(records):
        embed_hash = record["embed_hash"]
        whole, own = of_document.of_chunk(record["metadata"])
        place = {name: record[name] for name in ("content", "prefix", "start", "end", "spans", "overlap", "path")}
        place |= {"index": index, "metadata": whole, "hash": record["hash"], "config_hash": config_hash}
        # The key is made anew: the source is the one that is given here, whatever the chunks call theirs.
        key = f"{source}:{embed_hash}:{seen[embed_hash]}"
        seen[embed_hash] += 1
        made.append(WantedChunk(key, embed_hash, record["text"], place, own))
    return WantedDocument(source, config_hash, of_document.whole, tuple(labels(of_document.plain)), tuple(made))


class _Metadata:
    """The metadata of a document, and those of its chunks. Most chunks have the same, so each is worked out once."""

    def __init__(self, metadata: Mapping[str, Any]) -> None:
        self.whole = _written(metadata)
        self.plain: dict[str, Any] = _read(self.whole)
        self._values = {name: encoded(value) for name, value in self.plain.items()}
        self._known: dict[str, tuple[Encoded, tuple[tuple[str, str], ...]]] = {}

    def of_chunk(self, given: Mapping[str, Any]) -> tuple[Encoded, tuple[tuple[str, str], ...]]:
        """The metadata of a chunk, its document's included, and the labels of what it does not have from that."""
        written = _written(given)
        if written not in self._known:
            plain = _read(written)
            # Compared as they are written: to Python, 1, 1.0 and True are the same.
            own = {name: value for name, value in plain.items() if encoded(value) != self._values.get(name)}
            self._known[written] = encoded(self.plain | plain), tuple(labels(own))
        return self._known[written]


def _written(metadata: Mapping[str, Any]) -> Encoded:
    try:
        written = encoded(dict(metadata))
    except RecursionError:
        raise _too_deep() from None
    depth = 0
    if written.count("[") + written.count("{") > _DEEPEST:
        for sign in _BRACKET.findall(_STRING.sub("", written)):
            depth += 1 if sign in "[{" else -1
            if depth > _DEEPEST:
                raise _too_deep()
    return written


def _too_deep() -> DocumentError:
    return DocumentError(f"The metadata are nested more than {_DEEPEST} levels deep. Keep them flatter.")


def _read(written: Encoded) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(written)
    return read


def _record(one: Any, position: int) -> Mapping[str, Any]:
    """What is kept of a chunk, checked."""
    if isinstance(one, Chunk):
        found: Mapping[str, Any] = one.to_dict()
    elif isinstance(one, Mapping) and isinstance(one.get("text", one.get("content")), str):
        found = _filled(one)
    else:
        raise DocumentError(f"Item {position} of the chunks is no chunk: {type(one).__name__}. {_GIVE}")
    path, spans = found["path"], found["spans"]
    is_text = all(isinstance(found[name], str) for name in ("text", "content", "prefix"))
    is_number = all(_fits(found[name], 63) for name in ("start", "end")) and _fits(found["overlap"], 31)
    is_path = isinstance(path, list | tuple) and all(isinstance(step, str) for step in path)
    if not (is_text and is_number and is_path and _are_spans(spans) and isinstance(found["metadata"], Mapping)):
        raise DocumentError(f"Item {position} of the chunks has a field that is no chunk's: {_shown(found)}. {_GIVE}")
    return {**found, "path": encoded(list(path)), "spans": None if spans is None else encoded(spans)}


def _filled(one: Mapping[str, Any]) -> dict[str, Any]:
    """A dictionary with all fields: a text alone is a chunk. What is embedded is `text`, so that is hashed."""
    text = one["text"] if "text" in one else f"{one.get('prefix', '')}{one['content']}"
    content = one.get("content", text)
    return {
        "prefix": one.get("prefix", ""),
        "start": one.get("start", 0),
        "end": one.get("end", len(content) if isinstance(content, str) else 0),
        "spans": one.get("spans"),
        "overlap": one.get("overlap", 0),
        "path": one.get("path", ()),
        "text": text,
        "content": content,
        "metadata": {} if one.get("metadata") is None else one["metadata"],
        "hash": Chunk(content, 0, 0).hash if isinstance(content, str) else "",
        "embed_hash": Chunk(text, 0, 0).embed_hash,
    }


def _fits(value: Any, bits: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**bits


def _are_spans(spans: Any) -> bool:
    return spans is None or (
        isinstance(spans, list | tuple)
        and all(isinstance(span, list | tuple) and len(span) == 2 and all(_fits(n, 63) for n in span) for span in spans)
    )


def _shown(found: Mapping[str, Any]) -> str:
    shown = repr({name: found[name] for name in ("start", "end", "overlap", "spans", "path", "prefix", "metadata")})
    return shown if len(shown) <= 300 else f"{shown[:300]}..."


def _common(records: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What all chunks say alike; a document of which they differ has no such value, and is then not let through."""
    if not records:
        return {}
    first = dict(records[0]["metadata"])
    for record in records[1:]:
        other = record["metadata"]
        first = {
            name: value
            for name, value in first.items()
            if name in other and (other[name] is value or encoded(other[name]) == encoded(value))
        }
        if not first:
            break
    return first
