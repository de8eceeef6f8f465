"""The tables: hosts (tenants), avatars, datasets, documents, chunks, and what filters and searches look into.

Ids are UUIDs made from what they name (host, avatar, dataset, source, key), so that a second ingest makes the same.
They also tell names of any length apart: Postgres indexes no text above some 2,700 bytes, so names have no index.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid5

from sqlalchemy import (
    BigInteger,
    Boolean,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from cantle.commands import to_json

__all__ = [
    "AvatarRow",
    "Base",
    "ChunkLabelRow",
    "ChunkRow",
    "DatasetRow",
    "DocumentLabelRow",
    "DocumentRow",
    "Encoded",
    "HostRow",
    "RoleRow",
    "encoded",
    "is_id",
    "made_id",
    "now",
    "packed",
    "unpacked",
]

_NAMESPACE = UUID("6f4f1cf1-6d5f-5b0c-8e6e-0d6a4c5f2b11")


def made_id(kind: str, *parts: str) -> str:
    """The id of a thing, made from the names that tell it apart."""
    # JSON keeps ("a", "bc") and ("ab", "c") apart, and takes lone surrogates.
    return str(uuid5(_NAMESPACE, json.dumps([kind, *parts])))


def is_id(value: Any) -> bool:
    """Whether a value could be an id: whatever else is asked for as one need not be looked for."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


_ID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


class AnyText(TypeDecorator[str]):
    """Text of any code points: databases take neither NUL (Postgres) nor lone surrogates, so these are escaped."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Escape what a database cannot hold."""
        if value is None:
            return None
        return _HARD.sub(lambda found: f"\x1a{ord(found[0]):04x}", value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The text as it was given."""
        if value is None or "\x1a" not in value:
            return value
        return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), value)


_HARD = re.compile("[\x00\x1a\ud800-\udfff]")
_ESCAPED = re.compile("\x1a([0-9a-f]{4})")


class Encoded(str):
    """JSON as a database has it: of two values that are the same it is the same text."""

    __slots__ = ()


def encoded(value: Any) -> Encoded:
    """A value as ASCII JSON with sorted keys; what JSON cannot carry is written as `cantle.commands.to_json` does."""
    return Encoded(json.dumps(json.loads(to_json(value)), sort_keys=True, separators=(",", ":")))


class Json(TypeDecorator[Any]):
    """A JSON value as ASCII text: JSONB would refuse lone surrogates and NUL, and nothing is searched for in it."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """The value as JSON."""
        return None if value is None else str(value if isinstance(value, Encoded) else encoded(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """The value."""
        return None if value is None else json.loads(value)


class Moment(TypeDecorator[datetime]):
    """A time in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """SQLite forgets the zone."""
        if value is None:
            return None
        return value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC)


def packed(vector: Sequence[float]) -> bytes:
    """A vector as float32, little endian: an eighth of the memory of a list."""
    return struct.pack(f"<{len(vector)}f", *vector)


def unpacked(vector: bytes) -> list[float]:
    """A packed vector as a list."""
    return list(struct.unpack(f"<{len(vector) // 4}f", vector))


class Vector(TypeDecorator[Sequence[float]]):
    """A vector of float32: `vector` in Postgres, a blob (little endian, as sqlite-vec reads it) in SQLite."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        """The type that the database has for it."""
        if dialect.name == "postgresql":
            from pgvector.sqlalchemy import Vector as PgVector

            return dialect.type_descriptor(PgVector())
        return dialect.type_descriptor(LargeBinary())

    def process_bind_param(self, value: Sequence[float] | None, dialect: Dialect) -> Any:
        """The vector as the database takes it."""
        if value is None:
            return None
        if dialect.name == "postgresql":
            return unpacked(value) if isinstance(value, bytes) else list(value)
        return value if isinstance(value, bytes) else packed(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> list[float] | None:
        """The vector as a list."""
        if value is None:
            return None
        if isinstance(value, bytes | memoryview):
            return unpacked(bytes(value))
        return [float(number) for number in value]


class Base(DeclarativeBase):
    """What all tables share."""


_PK = BigInteger().with_variant(Integer, "sqlite")  # SQLite counts up only what is exactly INTEGER


def _created(context: Any) -> Any:
    """When the row was made: a new one was updated then, not some microseconds later."""
    return context.get_current_parameters(isolate_multiinsert_groups=False).get("created") or now()


class _Timed:
    created: Mapped[datetime] = mapped_column(Moment, default=now)
    updated: Mapped[datetime] = mapped_column(Moment, default=_created, onupdate=now)


class HostRow(_Timed, Base):
    """A tenant. Everything else belongs to one."""

    __tablename__ = "hosts"
    id: Mapped[str] = mapped_column(AnyText, primary_key=True)


def _role_id(context: Any) -> str:
    given = context.get_current_parameters()
    return made_id("role", given["host_id"], given["name"])


class RoleRow(_Timed, Base):
    """What a role of a host may see: rules over the metadata of documents, of which one must fit."""

    __tablename__ = "roles"
    id: Mapped[str] = mapped_column(Text, primary_key=True, default=_role_id)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(AnyText)
    rules: Mapped[list[dict[str, Any]]] = mapped_column(Json)


class AvatarRow(_Timed, Base):
    """Whom datasets of a host belong to; one of a host is the main one."""

    __tablename__ = "avatars"
    __table_args__ = (
        Index("ux_avatars_main", "host_id", unique=True, sqlite_where=text("main = 1"), postgresql_where=text("main")),
    )
    id: Mapped[str] = mapped_column(Text, primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(AnyText)
    main: Mapped[bool] = mapped_column(Boolean, default=False)


class DatasetRow(_Timed, Base):
    """Documents that are searched together; their vectors come from one embedder and have one length."""

    __tablename__ = "datasets"
    id: Mapped[str] = mapped_column(Text, primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    avatar_id: Mapped[str] = mapped_column(ForeignKey("avatars.id", ondelete="CASCADE"), index=True)
    name: Mapped[str] = mapped_column(AnyText)
    embedder: Mapped[str | None] = mapped_column(AnyText, default=None)
    dimension: Mapped[int | None] = mapped_column(Integer, default=None)


class DocumentRow(_Timed, Base):
    """A document of a dataset, told apart by its source. `chunks` is their number: counting them takes too long."""

    __tablename__ = "documents"
    id: Mapped[str] = mapped_column(Text, primary_key=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    dataset_id: Mapped[str] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"), index=True)
    source: Mapped[str] = mapped_column(AnyText)
    origin: Mapped[str] = mapped_column(AnyText, default="")
    config_hash: Mapped[str] = mapped_column(Text, default="")
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", Json)
    chunks: Mapped[int] = mapped_column(Integer, default=0)


class DocumentLabelRow(Base):
    """A value that filters can name, of the metadata of a document."""

    __tablename__ = "document_labels"
    __table_args__ = (
        Index("ix_document_labels_document_id", "document_id", "key", "value"),
        Index("ix_document_labels_key_value", "key", "value"),
    )
    pk: Mapped[int] = mapped_column(_PK, primary_key=True, autoincrement=True)
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(AnyText)
    value: Mapped[str] = mapped_column(AnyText)


class ChunkRow(_Timed, Base):
    """A chunk with its vector. `words` is how many words it is found by (see `terms`), each as often as it is there."""

    __tablename__ = "chunks"
    __table_args__ = (
        Index("ix_chunks_dataset_embed_hash", "dataset_id", "embed_hash"),
        # The chunks of documents, and how many words each has, are read from the index alone.
        Index("ix_chunks_document_id", "document_id", "words", postgresql_include=["pk"]),
    )
    pk: Mapped[int] = mapped_column(_PK, primary_key=True, autoincrement=True)
    id: Mapped[str] = mapped_column(Text, unique=True)
    host_id: Mapped[str] = mapped_column(ForeignKey("hosts.id", ondelete="CASCADE"), index=True)
    dataset_id: Mapped[str] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    document_id: Mapped[str] = mapped_column(ForeignKey("documents.id", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(AnyText)
    source: Mapped[str] = mapped_column(AnyText)
    index: Mapped[int] = mapped_column("index", Integer)
    words: Mapped[int] = mapped_column(Integer)
    text: Mapped[str] = mapped_column(AnyText)
    content: Mapped[str] = mapped_column(AnyText)
    prefix: Mapped[str] = mapped_column(AnyText)
    start: Mapped[int] = mapped_column("start", BigInteger)
    end: Mapped[int] = mapped_column("end", BigInteger)
    spans: Mapped[list[list[int]] | None] = mapped_column(Json)
    overlap: Mapped[int] = mapped_column(Integer)
    path: Mapped[list[str]] = mapped_column(Json)
    hash: Mapped[str] = mapped_column(Text)
    embed_hash: Mapped[str] = mapped_column(Text)
    config_hash: Mapped[str] = mapped_column(Text, default="")
    metadata_: Mapped[dict[str, Any]] = mapped_column("metadata", Json)
    embedding: Mapped[list[float] | None] = mapped_column(Vector, default=None)


class ChunkLabelRow(Base):
    """A value that filters can name, of what the metadata of a chunk has beside its document's."""

    __tablename__ = "chunk_labels"
    __table_args__ = (Index("ix_chunk_labels_chunk_pk", "chunk_pk", "key", "value"),)
    pk: Mapped[int] = mapped_column(_PK, primary_key=True, autoincrement=True)
    chunk_pk: Mapped[int] = mapped_column(ForeignKey("chunks.pk", ondelete="CASCADE"))
    key: Mapped[str] = mapped_column(AnyText)
    value: Mapped[str] = mapped_column(AnyText)
