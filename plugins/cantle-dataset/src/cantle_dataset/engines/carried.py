"""A chunker on its way to the workers of an engine, and what it does there."""

from __future__ import annotations

import hashlib
import pickle
import platform
from collections import OrderedDict
from collections.abc import Callable, Iterator
from threading import Lock
from typing import TYPE_CHECKING, Any

from cantle.errors import OptionError, PluginError

from ..errors import BatchTooLargeError

if TYPE_CHECKING:
    import pyarrow as pa

    from ..chunker import Chunker

__all__ = ["PIECE_BYTES", "PIECE_FILES", "PIECE_ROWS", "carry", "chunked", "cut", "loaded", "pieces"]

PIECE_BYTES = 16 << 20
PIECE_ROWS = 4096
PIECE_FILES = 64
"""An engine's batch is cut in pieces of so many bytes of text, rows, or files: their chunks are in memory together."""

_KEPT = 4
_loaded: OrderedDict[bytes, Chunker] = OrderedDict()
_lock = Lock()


def carry(what: Any, dumps: Callable[[Any], bytes]) -> bytes:
    """A chunker, pickled by the engine's own `dumps`: classes and functions of a script go by value."""
    try:
        return dumps(what)
    except Exception as error:  # pickle raises PicklingError, AttributeError, TypeError, ...
        raise OptionError(
            f"The strategy and its options cannot be sent to the workers: {type(error).__name__}: {error}. "
            "Leave out what belongs to this process (open files, locks, clients), or make it on the worker."
        ) from error


def loaded(data: bytes, name: str, remedy: str) -> Chunker:
    """The chunker that `carry` pickled; unpickled once in a process, whatever number of tasks that runs."""
    key = hashlib.sha256(data).digest()
    with _lock:
        found = _loaded.get(key)
        if found is None:
            try:
                found = pickle.loads(data)
            except (ImportError, AttributeError) as error:
                raise PluginError(
                    f"A worker on {platform.node()} cannot load the strategy {name!r} or its options: {error}. "
                    f"What the script imports must be there too. {remedy}"
                ) from error
            _loaded[key] = found
            while len(_loaded) > _KEPT:
                _loaded.popitem(last=False)
        _loaded.move_to_end(key)
    return found


def cut(data: bytes, name: str, remedy: str, batch: pa.Table | pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The chunks of a batch by a chunker that was sent here."""
    yield from chunked(loaded(data, name, remedy), batch)


def chunked(chunker: Chunker, batch: pa.Table | pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The chunks of a batch, piece by piece; in smaller ones where they do not fit into a `RecordBatch`."""
    for piece in pieces(batch, chunker.text):
        waiting = [piece]
        while waiting:
            part = waiting.pop()
            try:
                yield chunker(part)
            except BatchTooLargeError:
                middle = part.num_rows // 2
                if not middle:
                    raise
                waiting += [part.slice(middle), part.slice(0, middle)]


def pieces(batch: pa.Table | pa.RecordBatch, column: str | None) -> Iterator[Any]:
    """A batch in pieces: `PIECE_ROWS` rows with `PIECE_BYTES` in a column at most, and at least one row.

    Without a column files are read, whose sizes are not known: a piece is `PIECE_FILES` rows.
    """
    import numpy

    count = batch.num_rows
    most = PIECE_FILES if column is None else PIECE_ROWS
    ends = numpy.cumsum(_lengths(batch, column))
    start = 0
    while start < count:
        before = ends[start - 1] if start else 0
        stop = int(numpy.searchsorted(ends, before + PIECE_BYTES, side="right"))
        stop = min(max(stop, start + 1), start + most, count)
        yield batch.slice(start, stop - start)
        start = stop
    if not count:
        yield batch


def _lengths(batch: pa.Table | pa.RecordBatch, column: str | None) -> Any:
    """The bytes of each row of a column, as numpy integers; 0 where they are not known."""
    import numpy
    import pyarrow as pa
    from pyarrow import compute

    if column is None or column not in batch.schema.names:
        return numpy.zeros(batch.num_rows, numpy.int64)
    values: Any = batch.column(column)
    kind = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or str(kind) == "string_view":
        values = values.cast(pa.large_string())
    elif str(kind) == "binary_view":
        values = values.cast(pa.large_binary())
    elif not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        return numpy.zeros(batch.num_rows, numpy.int64)  # the chunker says what it thinks of this type
    lengths = [0 if length is None else length for length in compute.binary_length(values).to_pylist()]
    return numpy.array(lengths, numpy.int64)
