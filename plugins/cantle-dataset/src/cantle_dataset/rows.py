"""Chunks as columns of Arrow."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from cantle import Chunks
from cantle.commands import to_json

from .columns import COLUMNS

__all__ = ["Rows"]


class Rows:
    """The rows of one batch, document by document."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self._of: list[int] = []

    def add(self, row: int, identity: str | None, chunks: Chunks, config_hash: str) -> None:
        """The chunks of the document in the row."""
        struct = pa.types.is_struct(self._schema.field("metadata").type)
        for chunk in chunks:
            found = chunk.to_dict()
            found |= {"document_id": identity, "chunk_id": found["key"], "config_hash": config_hash, "error": None}
            if not struct:
                found["metadata"] = to_json(found["metadata"], sort_keys=True)
            for name, values in self._columns.items():
                values.append(found[name])
            self._of.append(row)

    def fail(self, row: int, identity: str | None, error: Exception) -> None:
        """One row for a document that failed."""
        found = {
            "document_id": identity,
            "chunk_id": f"{identity or ''}:error",
            "error": f"{type(error).__name__}: {error}",
        }
        for name, values in self._columns.items():
            values.append(found.get(name))
        self._of.append(row)

    def batch(self, documents: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
        """The rows as a batch, with what is kept of the documents."""
        arrays = [pa.array(values, self._schema.field(name).type) for name, values in self._columns.items()]
        for field in list(self._schema)[len(arrays) :]:
            kept = documents.column(field.name).take(pa.array(self._of, pa.int64()))
            arrays.append(kept.combine_chunks() if isinstance(kept, pa.ChunkedArray) else kept)
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)
