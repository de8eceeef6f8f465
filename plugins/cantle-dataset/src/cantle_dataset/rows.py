"""Chunks as columns of Arrow, those of all documents of a batch together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from cantle import Chunks
from cantle.commands import to_json
from cantle.errors import PluginError

from .columns import COLUMNS
from .errors import BatchTooLargeError
from .structs import Fitter

__all__ = ["MOST", "Cut", "Failed", "Rows", "message"]

MOST = (1 << 31) - 1
"""Bytes that one Arrow column of strings can hold."""

_TAKEN = {name: name for name in COLUMNS} | {"document_id": "source", "chunk_id": "key"}
_FIELDS = tuple(field for name, field in _TAKEN.items() if name not in ("config_hash", "error"))


@dataclass(frozen=True)
class Failed:
    """A document that failed: its row in the batch, its id if it has one, and why."""

    row: int
    id: str | None
    error: Exception


@dataclass(frozen=True)
class Cut:
    """What became of a batch: its chunks, and the documents that failed, which have a row too if that is wanted."""

    batch: pa.RecordBatch
    failed: list[Failed] = field(default_factory=list)


class Rows:
    """The rows of one batch, document by document."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self._columns: dict[str, list[Any]] = {name: [] for name in COLUMNS}
        self._of: list[int] = []
        self._prefixed = False
        self.size = 0
        """The code points of all texts."""
        kind = schema.field("metadata").type
        self._fitter = Fitter(kind) if pa.types.is_struct(kind) else None

    def add(self, row: int, chunks: Chunks, config_hash: str) -> None:
        """The chunks of the document in that row of the batch.

        Raises `DocumentError` for metadata that does not fit the declared fields, `PluginError` for chunks that hold
        what a column cannot, `BatchTooLargeError`; nothing is added then.
        """
        count = len(chunks)
        found = chunks.to_columns(_FIELDS)
        if self._fitter is None:
            found["metadata"] = _json(found["metadata"])
        else:
            found["metadata"] = [self._fitter(metadata) for metadata in found["metadata"]]
        _check(found)
        size = sum(map(len, found["text"]))
        if self.size + size > MOST:
            raise _too_large()
        self.size += size
        self._prefixed = self._prefixed or any(found["prefix"])
        found["config_hash"], found["error"] = [config_hash] * count, [None] * count
        for name, values in self._columns.items():
            values.extend(found[_TAKEN[name]])
        self._of.extend([row] * count)

    def fail(self, row: int, identity: str | None, error: Exception) -> None:
        """The one row of a document that failed: its id, the error, and nothing else."""
        found = {"document_id": identity, "chunk_id": f"{identity or ''}:error", "error": message(error)}
        for name, values in self._columns.items():
            values.append(found.get(name))
        self._of.append(row)

    def batch(self, documents: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
        """The rows as a batch, with what is kept of the documents. Raises `BatchTooLargeError`."""
        arrays: dict[str, pa.Array[Any]] = {}
        try:
            for name, values in self._columns.items():
                if name == "content" and not self._prefixed:
                    arrays[name] = arrays["text"]  # the same text, once in memory
                else:
                    arrays[name] = _array(values, self._schema.field(name).type)
            taken = pa.array(self._of, pa.int64())
            for field in list(self._schema)[len(COLUMNS) :]:
                arrays[field.name] = _taken(documents.column(field.name), taken)
        except (pa.ArrowCapacityError, OverflowError) as error:
            raise _too_large() from error
        except pa.ArrowInvalid as error:
            if "overflow" in str(error):
                raise _too_large() from error
            raise
        return pa.RecordBatch.from_arrays(list(arrays.values()), schema=self._schema)


def message(error: Exception) -> str:
    """What the column `error` holds: type and message, on one line, as UTF-8."""
    return without_surrogates(" ".join(f"{type(error).__name__}: {error}".split()))


def without_surrogates(text: str) -> str:
    """The text with lone surrogates, which UTF-8 does not have, as `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _json(metadata: Sequence[Mapping[str, Any]]) -> list[str]:
    """Each as JSON with sorted keys; what stands there several times in a row is written once."""
    found: list[str] = []
    last: Mapping[str, Any] | None = None
    for one in metadata:
        found.append(found[-1] if one is last else to_json(one, sort_keys=True) if one else "{}")
        last = one
    return found


def _check(found: Mapping[str, Sequence[Any]]) -> None:
    """Raise `PluginError` for what a column would refuse: it would cost all documents of the batch."""
    try:
        for path in found["path"]:
            "".join(path)
        fits = all(isinstance(value, int) and abs(value) < 1 << 63 for value in found["overlap"])
        fits = fits and all(isinstance(value, bool) for value in found["oversize"])
        for spans in found["spans"]:
            for start, end in spans or ():
                fits = fits and isinstance(start, int) and isinstance(end, int)
    except (TypeError, ValueError):
        fits = False
    if not fits:
        raise PluginError(
            "the strategy made chunks with a path that is not all strings, spans that are no pairs of integers, an "
            "overlap that is no integer or oversize that is no bool."
        )


def _array(values: list[Any], kind: pa.DataType) -> pa.Array[Any]:
    try:
        return _one(pa.array(values, kind))
    except UnicodeEncodeError:
        if pa.types.is_list(kind):
            values = [None if path is None else [without_surrogates(part) for part in path] for path in values]
        else:
            values = [None if text is None else without_surrogates(text) for text in values]
        return _one(pa.array(values, kind))


def _taken(column: Any, places: Any) -> pa.Array[Any]:
    try:
        return _one(column.take(places))
    except pa.ArrowNotImplementedError:  # views, in some releases
        return _one(pa.array([column[place].as_py() for place in places.to_pylist()], column.type))


def _one(array: Any) -> pa.Array[Any]:
    """One array of what Arrow may have dealt out to several, as it does where one is too small."""
    if not isinstance(array, pa.ChunkedArray):
        one: pa.Array[Any] = array
        return one
    made: Any = array.chunk(0) if array.num_chunks == 1 else array.combine_chunks()
    if isinstance(made, pa.ChunkedArray):
        raise _too_large()
    return made  # type: ignore[no-any-return]


def _too_large() -> BatchTooLargeError:
    return BatchTooLargeError(
        "The chunks of this batch hold more than 2 GiB of text, which is more than one batch of Arrow can. Give fewer "
        "documents at once: some 16 MB of text are enough for all speed there is."
    )
