"""Batches made larger and smaller, so that each holds an amount of text that suits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy
import pyarrow as pa
from pyarrow import compute

__all__ = ["lengths", "pieces"]


def pieces(
    batches: Iterable[pa.RecordBatch],
    column: str | None,
    *,
    size: int,
    rows: int,
    borders: Iterable[int] = (),
) -> Iterator[pa.RecordBatch]:
    """The rows of the batches in pieces of at most `size` bytes in a column, and `rows` rows; a larger row is alone.

    No piece goes over a border: numbers of rows, ascending, counted from the start. Small batches are put together.
    """
    waiting: list[pa.RecordBatch] = []
    held = count = at = 0
    ends = iter(borders)
    border = next(ends, None)
    for batch in batches:
        if not batch.num_rows:
            continue
        sums = numpy.cumsum(lengths(batch, column))
        start = 0
        while start < batch.num_rows:
            while border is not None and border <= at:
                border = next(ends, None)
            before = int(sums[start - 1]) if start else 0
            stop = int(numpy.searchsorted(sums, before + size - held, side="right"))
            stop = min(max(stop, start if waiting else start + 1), start + rows - count, batch.num_rows)
            if border is not None:
                stop = min(stop, start + border - at)
            if stop > start:
                waiting.append(batch.slice(start, stop - start))
                held, count = held + int(sums[stop - 1]) - before, count + stop - start
                at += stop - start
            if stop < batch.num_rows or at == border or count >= rows or held >= size:
                yield _joined(waiting)
                waiting, held, count = [], 0, 0
            start = stop
    if waiting:
        yield _joined(waiting)


def _joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    if len(batches) == 1:
        return batches[0]
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def lengths(batch: pa.RecordBatch | pa.Table, column: str | None) -> Any:
    """The bytes of each row of a column of strings, as numpy integers; 0 where there is no such column."""
    if column is None or column not in batch.schema.names:
        return numpy.zeros(batch.num_rows, numpy.int64)
    values: Any = batch.column(column)
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    if str(values.type) == "string_view":
        values = values.cast(pa.large_string())
    elif str(values.type) == "binary_view":
        values = values.cast(pa.large_binary())
    if str(values.type) not in ("string", "large_string", "binary", "large_binary"):
        return numpy.zeros(batch.num_rows, numpy.int64)  # the chunker says what it thinks of this type
    found = compute.fill_null(compute.binary_length(values), 0)
    return found.cast(pa.int64()).to_numpy(zero_copy_only=False)
