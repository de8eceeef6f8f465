"""Cutting in other processes: a document that hangs there, or that kills its process, fails alone."""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TextIO

import pyarrow as pa

from cantle.errors import CantleError, OptionError
from cantle.pools import Pool

from .rows import Cut, Failed

if TYPE_CHECKING:
    from .chunker import Chunker

__all__ = ["Answer", "Piece", "Work", "cut_apart", "settled"]

_KEPT = 4

_NOTES = 1000
"""Different warnings of one piece that are passed on: documents that warn without end fill no memory."""

_WARNED = 10_000
"""Warnings that are remembered so as not to be shown again; all are forgotten where each document has its own."""

Note = tuple[str, type[Warning], str, int]


class Piece:
    """A batch of documents on its way to a worker; `size` says how many bytes it stands for, if it names files."""

    def __init__(self, batch: pa.RecordBatch | pa.Table, size: int = 0) -> None:
        self.batch, self.size = batch, size

    def __len__(self) -> int:
        return self.batch.num_rows

    def __reduce__(self) -> tuple[Any, ...]:
        return _piece, (_packed(self.batch), self.size)


def _piece(data: bytes, size: int) -> Piece:
    return Piece(_unpacked(data), size)


@dataclass(frozen=True)
class Answer:
    """What became of a piece: see `Cut`. Without prefixes the contents are the texts, and are not sent twice."""

    data: bytes
    failed: list[Failed]
    same: bool
    warned: list[Note] = field(default_factory=list)


class Work:
    """A chunker as work for a pool."""

    def __init__(self, chunker: Chunker) -> None:
        self._chunker = chunker

    def __getstate__(self) -> bytes:
        return _pickled(self._chunker)

    def __setstate__(self, data: bytes) -> None:
        self._chunker = pickle.loads(data)

    def __call__(self, batch: Piece, skip: Mapping[int, Exception], mark: Callable[[int], None]) -> Answer:
        """The chunks of a piece."""
        notes: dict[Note, None] = {}

        def note(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if len(notes) < _NOTES:
                notes[str(message), category, filename, lineno] = None

        with warnings.catch_warnings():
            warnings.simplefilter("always")  # the filters of the process that asked decide
            warnings.showwarning = note
            cut = self._chunker.cut(batch.batch, skip, mark)
        made = cut.batch
        text, content = made.column("text"), made.column("content")
        same = text.equals(content)
        if same:
            place = made.schema.get_field_index("content")
            made = made.set_column(place, made.schema.field(place), pa.nulls(made.num_rows, pa.string()))
        failed = [replace(one, error=_sendable(one.error)) for one in cut.failed]
        return Answer(_packed(made), failed, same, list(notes))


def settled(answer: Answer, registry: dict[Any, Any]) -> Cut:
    """What an answer says; its warnings are given again under our filters, once a place."""
    if answer.warned and len(registry) > _WARNED:
        registry.clear()
    for message, category, filename, line in answer.warned:
        warnings.warn_explicit(message, category, filename, line, registry=registry)
    made = _unpacked(answer.data)
    if answer.same:
        place = made.schema.get_field_index("content")
        made = made.set_column(place, made.schema.field(place), made.column("text"))
    return Cut(made, answer.failed)


def _packed(batch: pa.RecordBatch | pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write(batch)
    return sink.getvalue().to_pybytes()


def _unpacked(data: bytes) -> pa.RecordBatch:
    with pa.ipc.open_stream(data) as reader:
        schema = reader.schema
        batches = list(reader)
    if len(batches) == 1:
        return batches[0]
    found = pa.Table.from_batches(batches, schema).combine_chunks().to_batches()
    return found[0] if found else pa.RecordBatch.from_pylist([], schema)


def _sendable(error: Exception) -> Exception:
    """The error, or one that says the same where it does not pickle, or does not come back."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:  # anything, from the reduction of a stranger's class
        return CantleError(f"failed with {type(error).__name__}: {error}")
    return error


def _pickled(chunker: Chunker) -> bytes:
    """The chunker, pickled; what came here by value, as classes of a script come to Ray and Spark, goes on by value."""
    try:
        return pickle.dumps(chunker)
    except Exception as error:  # pickle raises PicklingError, AttributeError, TypeError, ...
        for name in ("ray.cloudpickle", "pyspark.cloudpickle", "cloudpickle"):
            with suppress(Exception):  # the first error tells more
                return bytes(sys.modules[name].dumps(chunker))
        raise OptionError(
            f"The strategy and its options cannot be sent to the process that a timeout needs: {error}. Define "
            "functions and classes at the top level of a module (no lambdas), or leave out timeout."
        ) from error


# -- one worker beside a chunker with a timeout -------------------------------------------------------------------

_warned: dict[Any, Any] = {}
_pools: OrderedDict[tuple[int, bytes, float], Pool[Piece]] = OrderedDict()
_lock = threading.Lock()
_inherited: list[Any] = []


def _forget() -> None:
    """In a process that was forked: the pools are those of its parent, and a thread of that may hold the lock."""
    global _pools, _lock
    _inherited.append(_pools)  # never ended from here
    _pools, _lock = OrderedDict(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def cut_apart(chunker: Chunker, timeout: float, batch: pa.RecordBatch | pa.Table) -> Cut:
    """What becomes of a batch in one worker, which is kept for the next; threads wait for one another."""
    data = _pickled(chunker)
    key = os.getpid(), hashlib.sha256(data).digest(), timeout
    with _lock:
        pool = _pools.get(key)
        if pool is None:
            pool = _pools[key] = Pool(Work(chunker), 1, timeout=timeout)
        _pools.move_to_end(key)
        while len(_pools) > _KEPT:
            _, old = _pools.popitem(last=False)
            old.close()
        answers = [answer for _, answer in pool.run([Piece(batch)])]
    return settled(answers[0], _warned)
