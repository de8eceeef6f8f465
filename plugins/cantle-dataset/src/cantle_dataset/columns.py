"""The columns of a dataset of chunks, with a version."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from cantle.errors import OptionError

__all__ = ["COLUMNS", "SCHEMA_VERSION", "declared", "schema"]

SCHEMA_VERSION = 1
"""The number of this arrangement of columns; it goes up when one changes its name, type or meaning."""

COLUMNS: dict[str, pa.DataType] = {
    "document_id": pa.string(),
    "chunk_id": pa.string(),
    "index": pa.int64(),
    "text": pa.string(),
    "content": pa.string(),
    "prefix": pa.string(),
    "start": pa.int64(),
    "end": pa.int64(),
    "spans": pa.list_(pa.list_(pa.int64())),
    "overlap": pa.int64(),
    "path": pa.list_(pa.string()),
    "hash": pa.string(),
    "embed_hash": pa.string(),
    "oversize": pa.bool_(),
    "config_hash": pa.string(),
    "metadata": pa.string(),
    "error": pa.string(),
}
"""The columns in their order. Positions and lengths count code points."""


def schema(
    metadata: str | pa.StructType | pa.Schema = "json", keep: Sequence[pa.Field[Any]] | pa.Schema = ()
) -> pa.Schema:
    """The columns of a dataset of chunks: those of `COLUMNS`, then the columns of the documents that are kept.

    `metadata` is a JSON string with sorted keys, or, where its fields are declared by a struct type or a schema, such
    a struct. `keep` are the fields of the columns that are repeated on each chunk. The version stands in the metadata
    of the schema, under `cantle.schema`.

    Raises `OptionError` for a kept column that has the name of one of ours.
    """
    struct = declared(metadata)
    fields = [pa.field(name, kind) for name, kind in COLUMNS.items()]
    if struct is not None:
        fields[list(COLUMNS).index("metadata")] = pa.field("metadata", struct)
    for field in keep:
        if not isinstance(field, pa.Field):
            raise OptionError(
                f"keep must hold Arrow fields, got {field!r}. Take them from the schema of the documents."
            )
        if field.name in COLUMNS:
            raise OptionError(
                f"The column {field.name!r} cannot be kept: chunks have one of that name. Rename it before; taken are "
                f"{', '.join(COLUMNS)}."
            )
        fields.append(field.remove_metadata())
    return pa.schema(fields, {"cantle.schema": str(SCHEMA_VERSION)})


def declared(metadata: Any) -> pa.StructType | None:
    """The struct type that metadata is declared by; None for JSON."""
    if isinstance(metadata, str) and metadata == "json":
        return None
    if isinstance(metadata, pa.Schema):
        return pa.struct(list(metadata))
    if isinstance(metadata, pa.StructType):
        return metadata
    raise OptionError(f"The type of metadata must be 'json', a pyarrow schema or a struct type, got {metadata!r}.")
