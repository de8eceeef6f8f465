"""Parts of a dataset of chunks: Parquet files whose bytes depend on nothing but the chunks and their batches."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow as pa

from .pieces import lengths

__all__ = ["Parts", "writer_of"]

GROUP_BYTES = 32 << 20
GROUP_ROWS = 100_000
PART_BYTES = 1 << 30
"""A row group, and a part, ends at so many bytes or rows. Bytes are those of the text, twice, and 256 a row."""

_DIFFERENT = ("text", "content", "chunk_id", "hash", "embed_hash", "start", "end", "index", "spans")


def writer_of(file: str | Path, schema: pa.Schema) -> Any:
    """A writer of Parquet as all of ours is: columns whose values come again have a dictionary."""
    from pyarrow import parquet

    again = [f.name for f in schema if f.name not in _DIFFERENT and not pa.types.is_nested(f.type)]
    make: Any = parquet.ParquetWriter
    return make(file, schema, use_dictionary=[*again, "path.list.element"], compression="zstd", write_page_index=True)


class Parts:
    """Writes batches of chunks into `part-00000.parquet` and so on, in a folder that is there."""

    def __init__(self, folder: str, schema: pa.Schema) -> None:
        self._folder, self._schema = folder, schema
        self._writer: Any = None
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = self._part = 0
        self.count = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Append a batch; one that is larger than a row group is cut."""
        start, size = 0, _size(batch)
        step = batch.num_rows if size <= GROUP_BYTES else max(1, batch.num_rows * GROUP_BYTES // size)
        while start < batch.num_rows:
            self._append(batch.slice(start, step))
            start += step

    def _append(self, batch: pa.RecordBatch) -> None:
        size = _size(batch)
        self._waiting.append(batch)
        self._rows, self._bytes, self._part = self._rows + batch.num_rows, self._bytes + size, self._part + size
        if self._rows >= GROUP_ROWS or self._bytes >= GROUP_BYTES:
            self._flush()

    @property
    def full(self) -> bool:
        """Whether the part has the size that parts should have."""
        return self._part >= PART_BYTES

    def end_part(self) -> None:
        """Close the part, which may be empty; the next batch begins another."""
        self._flush()
        if self._writer is None:
            self._open()
        self._writer.close()
        self._writer, self._part = None, 0

    def finish(self) -> None:
        """Close what is open; at least one part is there then."""
        if self._writer is not None or self._waiting or not self.count:
            self.end_part()

    def close(self) -> None:
        """Let go of the file, whatever state it is in."""
        if self._writer is not None:
            self._writer.close()

    def _open(self) -> None:
        self._writer = writer_of(os.path.join(self._folder, f"part-{self.count:05}.parquet"), self._schema)
        self.count += 1

    def _flush(self) -> None:
        if not self._waiting:
            return
        if self._writer is None:
            self._open()
        self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema), row_group_size=self._rows)
        self._waiting, self._rows, self._bytes = [], 0, 0


def _size(batch: pa.RecordBatch) -> int:
    return 2 * int(lengths(batch, "text").sum()) + 256 * batch.num_rows
