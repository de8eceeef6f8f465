"""Batches of documents from the files of an input; no more than some of the rows are in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any, Protocol

import pyarrow as pa

from ..errors import DatasetError
from .missing import missing_column

__all__ = ["ID", "PATH", "Files", "opened"]

ID, PATH = "document_id", "path"
"""The columns that documents in files are given as."""

BATCH_BYTES = 4 << 20
BATCH_ROWS = 4096
"""How much is read at once, about: a row is never cut."""


class Files(Protocol):
    """The files of an input, as batches of one schema."""

    schema: pa.Schema

    def rows(self) -> int:
        """How many there are; for JSON Lines that means to read all of it."""
        ...

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows, in order. Raises `DatasetError` for a file that cannot be read."""
        ...


def opened(files: Sequence[str], format: str, names: Sequence[str], columns: Sequence[str]) -> Files:
    """The files with these columns, in this order.

    Raises `DatasetError` for a file that is damaged, and for a column that is missing or of another type than in the
    first file.
    """
    if format == "jsonl":
        from .jsonl import JsonLines

        return JsonLines(files, columns)
    if format == "documents":
        return _Documents(files, names)
    return (_Parquet if format == "parquet" else _Arrow)(files, columns)


class _Tables:
    """Files of tables: what they have in common."""

    def __init__(self, files: Sequence[str], columns: Sequence[str]) -> None:
        self._files, self._columns = files, columns
        self.schema = pa.schema([])
        for file in files:
            schema = self._selected(file)
            if file == files[0]:
                self.schema = schema
            for mine, its in zip(self.schema, schema, strict=True):
                if mine.type != its.type and {str(mine.type), str(its.type)} - {"string", "large_string"}:
                    raise DatasetError(
                        f"{file}: the column {its.name!r} is {its.type}, but {mine.type} in {files[0]}. Make the types "
                        "the same, or cut the files one by one."
                    )

    def _selected(self, file: str) -> pa.Schema:
        with _readable(file):
            schema = self._schema_of(file)
        missing = [name for name in self._columns if name not in schema.names]
        if missing:
            raise missing_column(file, missing[0], schema.names)
        return pa.schema([schema.field(name).remove_metadata() for name in self._columns])

    def batches(self) -> Iterator[pa.RecordBatch]:
        for file in self._files:
            with _readable(file):
                for batch in self._batches_of(file):
                    chosen = batch.select(list(self._columns)).replace_schema_metadata(None)
                    yield chosen if chosen.schema.equals(self.schema) else chosen.cast(self.schema)

    def _schema_of(self, file: str) -> pa.Schema:
        raise NotImplementedError

    def _batches_of(self, file: str) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError


class _Parquet(_Tables):
    """Pages are read as they are needed: a row group may be of any size."""

    def _schema_of(self, file: str) -> pa.Schema:
        from pyarrow import parquet

        return parquet.read_schema(file)

    def rows(self) -> int:
        from pyarrow import parquet

        return sum(parquet.read_metadata(file).num_rows for file in self._files)

    def _batches_of(self, file: str) -> Iterator[pa.RecordBatch]:
        from pyarrow import parquet

        with parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False) as source:
            wanted = set(self._columns)
            for group in range(source.num_row_groups):
                found = source.metadata.row_group(group)
                size = sum(
                    found.column(i).total_uncompressed_size
                    for i in range(found.num_columns)
                    if found.column(i).path_in_schema.partition(".")[0] in wanted
                )
                rows = BATCH_BYTES * found.num_rows // max(size, 1)
                yield from source.iter_batches(
                    max(1, min(rows, BATCH_ROWS)), row_groups=[group], columns=list(self._columns), use_threads=False
                )


class _Arrow(_Tables):
    """IPC files and streams, mapped into memory and not copied unless they are compressed."""

    def _schema_of(self, file: str) -> pa.Schema:
        with pa.memory_map(file) as source:
            schema: pa.Schema = self._reader(source).schema
        return schema

    def rows(self) -> int:
        total = 0
        for file in self._files:
            with _readable(file):
                total += sum(batch.num_rows for batch in self._batches_of(file))
        return total

    def _reader(self, source: Any) -> Any:
        mark = source.read(6)
        source.seek(0)
        return pa.ipc.open_file(source) if mark == b"ARROW1" else pa.ipc.open_stream(source)

    def _batches_of(self, file: str) -> Iterator[pa.RecordBatch]:
        with pa.memory_map(file) as source:
            reader = self._reader(source)
            if isinstance(reader, pa.RecordBatchFileReader):
                for i in range(reader.num_record_batches):
                    yield reader.get_batch(i)
            else:
                yield from reader


class _Documents:
    """Files that the chunker reads itself."""

    def __init__(self, files: Sequence[str], names: Sequence[str]) -> None:
        self._files, self._names = files, names
        self.schema = pa.schema([(ID, pa.string()), (PATH, pa.string())])

    def rows(self) -> int:
        return len(self._files)

    def batches(self) -> Iterator[pa.RecordBatch]:
        start = size = 0
        for i, file in enumerate(self._files):
            with suppress(OSError):  # the chunker meets the same error, and says whose it is
                size += os.stat(file).st_size
            if size >= BATCH_BYTES or i + 1 - start >= BATCH_ROWS or i + 1 == len(self._files):
                columns = [pa.array(part[start : i + 1], pa.string()) for part in (self._names, self._files)]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)
                start, size = i + 1, 0


class _readable:
    """While this lasts, what Arrow says of a damaged file is a `DatasetError` that names it."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, pa.ArrowException) or (isinstance(error, OSError) and error.errno is None):
            raise DatasetError(f"{self._file} cannot be read: {error}") from error
