"""Batches of documents from the files of an input; no more than some of the rows are in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Protocol

import pyarrow as pa

from cantle.errors import OptionError

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

    def batches(self, start: int = 0, stop: int | None = None) -> Iterator[pa.RecordBatch]:
        """The rows from `start` to before `stop`, or all, in order. Raises `DatasetError` for what cannot be read."""
        ...

    def stretches(self) -> Iterator[tuple[int, int]]:
        """How many rows, and about how many bytes, there are in each stretch that is read as one, in order."""
        ...


def opened(
    files: Sequence[str],
    format: str,
    names: Sequence[str],
    columns: Sequence[str],
    typed: Sequence[str] | None = None,
) -> Files:
    """The files with these columns, in this order.

    In JSON Lines those in `typed`, or all, have the type that their values have in common, for which all is read once;
    the others are strings.

    Raises `DatasetError` for a file that is damaged, and for a column that is missing or of another type than in the
    first file.
    """
    if format == "jsonl":
        from .jsonl import JsonLines

        return JsonLines(files, columns, columns if typed is None else typed)
    if format == "documents":
        return _Documents(files, names)
    return (_Parquet if format == "parquet" else _Arrow)(files, columns)


Wanted = list[tuple[int, int, int]] | None
"""Numbers of stretches of a file, each with the rows of it from where to where; None: all of them."""


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
        for name in self._columns:
            if (count := schema.names.count(name)) > 1:
                raise OptionError(f"{file} has {count} columns {name!r}. Rename or leave out all but one.")
        return pa.schema([schema.field(name).remove_metadata() for name in self._columns])

    def rows(self) -> int:
        return sum(rows for rows, _ in self.stretches())

    def stretches(self) -> Iterator[tuple[int, int]]:
        for file in self._files:
            with _readable(file):
                yield from self._stretches_of(file)

    def batches(self, start: int = 0, stop: int | None = None) -> Iterator[pa.RecordBatch]:
        at = 0  # the row that the next stretch begins with
        for file in self._files:
            with _readable(file):
                if start <= at and stop is None:
                    wanted = None
                else:
                    wanted = []
                    for i, (rows, _) in enumerate(self._stretches_of(file)):
                        if start < at + rows and (stop is None or at < stop):
                            wanted.append((i, max(0, start - at), min(rows, rows if stop is None else stop - at)))
                        at += rows
                for batch in self._batches_of(file, wanted):
                    chosen = batch.select(list(self._columns)).replace_schema_metadata(None)
                    yield chosen if chosen.schema.equals(self.schema) else chosen.cast(self.schema)
                if stop is not None and at >= stop:
                    return

    def _schema_of(self, file: str) -> pa.Schema:
        raise NotImplementedError

    def _stretches_of(self, file: str) -> Iterator[tuple[int, int]]:
        raise NotImplementedError

    def _batches_of(self, file: str, wanted: Wanted) -> Iterator[pa.RecordBatch]:
        raise NotImplementedError


class _Parquet(_Tables):
    """Pages are read as they are needed: a row group may be of any size."""

    def _schema_of(self, file: str) -> pa.Schema:
        from pyarrow import parquet

        return parquet.read_schema(file)

    def _size(self, group: Any) -> int:
        columns = (group.column(i) for i in range(group.num_columns))
        return sum(
            column.total_uncompressed_size
            for column in columns
            if column.path_in_schema.partition(".")[0] in self._columns
        )

    def _stretches_of(self, file: str) -> Iterator[tuple[int, int]]:
        from pyarrow import parquet

        metadata = parquet.read_metadata(file)
        for group in (metadata.row_group(i) for i in range(metadata.num_row_groups)):
            yield group.num_rows, self._size(group)

    def _batches_of(self, file: str, wanted: Wanted) -> Iterator[pa.RecordBatch]:
        from pyarrow import parquet

        with parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False) as source:
            groups = [(i, 0, None) for i in range(source.num_row_groups)] if wanted is None else wanted
            for i, start, stop in groups:
                group = source.metadata.row_group(i)
                rows = BATCH_BYTES * group.num_rows // max(self._size(group), 1)
                batches = source.iter_batches(
                    max(1, min(rows, BATCH_ROWS)), row_groups=[i], columns=list(self._columns), use_threads=False
                )
                yield from _within(batches, start, group.num_rows if stop is None else stop)


class _Arrow(_Tables):
    """IPC files and streams, mapped into memory and not copied unless they are compressed."""

    def _schema_of(self, file: str) -> pa.Schema:
        with pa.memory_map(file) as source:
            schema: pa.Schema = self._reader(source).schema
        return schema

    def _stretches_of(self, file: str) -> Iterator[tuple[int, int]]:
        for batch in self._batches_of(file, None):
            yield batch.num_rows, batch.select(list(self._columns)).nbytes

    def _reader(self, source: Any) -> Any:
        mark = source.read(6)
        source.seek(0)
        return pa.ipc.open_file(source) if mark == b"ARROW1" else pa.ipc.open_stream(source)

    def _batches_of(self, file: str, wanted: Wanted) -> Iterator[pa.RecordBatch]:
        places = None if wanted is None else {i: (start, stop) for i, start, stop in wanted}
        with pa.memory_map(file) as source:
            reader = self._reader(source)
            seekable = isinstance(reader, pa.RecordBatchFileReader)
            batches = range(reader.num_record_batches) if seekable else reader
            for i, found in enumerate(batches):
                if places is None or i in places:
                    batch = reader.get_batch(found) if seekable else found
                    batch = _sound(batch.select(list(self._columns)))
                    start, stop = (0, batch.num_rows) if places is None else places[i]
                    yield batch.slice(start, stop - start)


def _sound(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch, unless what it says of itself leads out of it: reading that would end the process.

    Arrow raises `ArrowInvalid` for it when it is asked. Bytes that are no UTF-8 are another matter, and cost their
    documents.
    """
    for column in batch.columns:
        column.validate()
        binary = _BINARY.get(str(column.type))
        (column if binary is None else column.view(binary)).validate(full=True)
    return batch


_BINARY = {"string": pa.binary(), "large_string": pa.large_binary(), "string_view": pa.binary_view()}


class _Documents:
    """Files that the chunker reads itself."""

    def __init__(self, files: Sequence[str], names: Sequence[str]) -> None:
        self._files, self._names = files, names
        self.schema = pa.schema([(ID, pa.string()), (PATH, pa.string())])

    def rows(self) -> int:
        return len(self._files)

    def stretches(self) -> Iterator[tuple[int, int]]:
        for file in self._files:
            size = 0
            with suppress(OSError):  # the chunker meets the same error, and says whose it is
                size = os.stat(file).st_size
            yield 1, size

    def batches(self, start: int = 0, stop: int | None = None) -> Iterator[pa.RecordBatch]:
        stop = len(self._files) if stop is None else stop
        size = 0
        for i, (_, more) in enumerate(islice(self.stretches(), start, stop), start + 1):
            size += more
            if size >= BATCH_BYTES or i - start >= BATCH_ROWS or i == stop:
                columns = [pa.array(part[start:i], pa.string()) for part in (self._names, self._files)]
                yield pa.RecordBatch.from_arrays(columns, schema=self.schema)
                start, size = i, 0


def _within(batches: Iterator[pa.RecordBatch], start: int, stop: int) -> Iterator[pa.RecordBatch]:
    """Of the rows of some batches those from `start` to before `stop`."""
    at = 0
    for batch in batches:
        first, last = max(0, start - at), min(batch.num_rows, stop - at)
        if first < last:
            yield batch.slice(first, last - first)
        at += batch.num_rows
        if at >= stop:
            return


class _readable:
    """While this lasts, what Arrow says of a damaged file is a `DatasetError` that names it."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if isinstance(error, pa.ArrowException) or (isinstance(error, OSError) and error.errno is None):
            raise DatasetError(f"{self._file} cannot be read: {error}") from error
