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

__all__ = ["PIECE_BYTES", "PIECE_FILES", "PIECE_ROWS", "carry", "chunked", "cut", "loaded"]

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
    from ..files.pieces import pieces

    batches: list[Any] = batch.to_batches() if hasattr(batch, "to_batches") else [batch]
    if not batch.num_rows:
        yield chunker(batch)
    rows = PIECE_FILES if chunker.text is None else PIECE_ROWS
    for piece in pieces(batches, chunker.text, size=PIECE_BYTES, rows=rows):
        waiting = [piece]
        while waiting:
            part = waiting.pop()
            try:
                made = chunker(part)
            except BatchTooLargeError:
                middle = part.num_rows // 2
                if not middle:
                    raise
                waiting += [part.slice(middle), part.slice(0, middle)]
            else:
                yield made
