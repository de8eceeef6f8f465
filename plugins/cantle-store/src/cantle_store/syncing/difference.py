"""What of a document in the store differs from what it should be."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, LargeBinary, Row, Text, func, select, type_coerce

from ..database.batches import batches
from ..tables import ChunkRow, DocumentRow, made_id, packed
from .wanted import WantedChunk, WantedDocument

__all__ = ["PLACE", "Difference", "difference", "vectors_there"]

_TABLE: Any = ChunkRow.__table__

PLACE = ("index", "content", "prefix", "start", "end", "spans", "overlap", "path", "hash", "config_hash", "metadata")
"""The columns that may change without another vector."""

_TELLING = ("content", "prefix", "path", "metadata")

_JSON = ("spans", "path", "metadata")  # compared as they are written, which no reading takes time for


@dataclass
class Difference:
    """What is to be written. Chunks come with their ids, and with their primary keys where they are there."""

    document_id: str
    chunk_ids: tuple[str, ...] = ()
    is_new: bool = False
    is_changed: bool = False  # the row of the document
    is_relabelled: bool = False
    leaves: bool = False  # something that was told is told no more: it has to be wiped
    new: list[tuple[str, WantedChunk]] = field(default_factory=list)
    moved: list[tuple[int, WantedChunk]] = field(default_factory=list)
    bare: list[tuple[int, WantedChunk]] = field(default_factory=list)  # these are there without a vector
    gone: list[int] = field(default_factory=list)
    kept: int = 0
    there: dict[str, int] = field(default_factory=dict)

    @property
    def vectorless(self) -> dict[str, str]:
        """The texts for which a vector is needed, by their hashes, each once."""
        return {chunk.embed_hash: chunk.text for _, chunk in [*self.new, *self.bare]}

    def new_texts(self, known: Container[str]) -> list[WantedChunk]:
        """The first new chunk of each text that is not among the `known` hashes."""
        found = {chunk.embed_hash: chunk for _, chunk in reversed(self.new) if chunk.embed_hash not in known}
        return list(found.values())

    @property
    def changed(self) -> int:
        """How many chunks are the same text at another place, with other metadata, or with their first vector."""
        return len({pk for pk, _ in self.moved} | {pk for pk, _ in self.bare})

    @property
    def is_none(self) -> bool:
        """Whether nothing is to be written."""
        return not (self.is_new or self.is_changed or self.new or self.moved or self.bare or self.gone)


def difference(
    connection: Connection, dataset_id: str, document: WantedDocument, origin: str, *, with_vectors: bool
) -> Difference:
    """Compare a document with what is kept of it. Chunks are told apart by their keys."""
    found = Difference(made_id("document", dataset_id, document.source))
    row = connection.execute(_document(found.document_id)).first()
    found.is_new = row is None
    if row is not None:
        told = row.origin, row.config_hash, row.metadata, row.chunks
        found.is_relabelled = row.metadata != document.metadata
        found.is_changed = told != (origin, document.config_hash, document.metadata, len(document.chunks))
        found.leaves = (row.origin, row.metadata) != (origin, document.metadata)
    rows = {} if row is None else {one.id: one for one in connection.execute(_places(found.document_id))}
    ids = []
    for chunk in document.chunks:
        chunk_id = made_id("chunk", dataset_id, chunk.key)
        ids.append(chunk_id)
        kept = rows.pop(chunk_id, None)
        if kept is None:
            found.new.append((chunk_id, chunk))
            continue
        found.there[chunk_id] = kept.pk
        is_bare = with_vectors and not kept.has_vector
        is_moved = any(kept._mapping[name] != chunk.place[name] for name in PLACE)
        if is_moved:
            found.moved.append((kept.pk, chunk))
            found.leaves |= any(kept._mapping[name] != chunk.place[name] for name in _TELLING)
        if is_bare:
            found.bare.append((kept.pk, chunk))
        found.kept += not (is_bare or is_moved)
    found.gone = sorted(one.pk for one in rows.values())
    found.leaves |= bool(found.gone)
    found.chunk_ids = tuple(ids)
    return found


def _document(document_id: str) -> Any:
    columns = DocumentRow.origin, DocumentRow.config_hash, DocumentRow.chunks
    written = type_coerce(DocumentRow.metadata_, Text).label("metadata")
    return select(*columns, written).where(DocumentRow.id == document_id)


def _places(document_id: str) -> Any:
    columns = [
        type_coerce(_TABLE.c[name], Text).label(name) if name in _JSON else _TABLE.c[name]
        for name in PLACE
    ]  # fmt: skip
    has_vector = ChunkRow.embedding.is_not(None).label("has_vector")
    return select(ChunkRow.id, ChunkRow.pk, has_vector, *columns).where(ChunkRow.document_id == document_id)


def vectors_there(
    connection: Connection, dataset_id: str, hashes: Iterable[str], *, only_hashes: bool = False
) -> dict[str, bytes]:
    """Vectors of these texts that the dataset has, by hashes, packed; with `only_hashes` without the vectors."""
    found: dict[str, bytes] = {}
    for some in batches(hashes):
        first = (
            select(func.min(ChunkRow.pk))
            .where(ChunkRow.dataset_id == dataset_id, ChunkRow.embed_hash.in_(some), ChunkRow.embedding.is_not(None))
            .group_by(ChunkRow.embed_hash)
        )
        columns: list[Any] = [ChunkRow.embed_hash]
        if not only_hashes:
            is_sqlite = connection.dialect.name == "sqlite"
            vector = type_coerce(ChunkRow.embedding, LargeBinary) if is_sqlite else ChunkRow.embedding
            columns.append(vector.label("embedding"))
        for row in connection.execute(select(*columns).where(ChunkRow.pk.in_(first))):
            found[row.embed_hash] = b"" if only_hashes else _packed(row)
    return found


def _packed(row: Row[Any]) -> bytes:
    return bytes(row.embedding) if isinstance(row.embedding, bytes) else packed(row.embedding)
