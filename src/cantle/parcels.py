"""Documents on their way to worker processes and back: what a pool does for `chunk_many`."""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import Any, TextIO

from .chunks import Chunks
from .document import MDocument
from .errors import CantleError, OptionError, PluginWarning
from .plugins import registry
from .pools import Pool
from .task import Item, Result, Task, measured, name_of

__all__ = ["Cutting", "run"]

BATCH_COUNT = 64
BATCH_SIZE = 1 << 18
BATCH_SECONDS = 0.01
"""A batch ends at so many documents, code points of text, or seconds of work as far as that can be told: sending costs
more than small documents, and slow ones are better spread over the workers one by one."""

_NOTES = 100
"""Different warnings of one document that are passed on: one that warns without end fills no memory."""

_WARNED = 10_000
"""Warnings that are remembered so as not to be shown again; then all are forgotten: each document may have its own."""

Note = tuple[str, type[Warning], str, int]
Short = tuple[tuple[Any, ...], int, int, int]
"""A document's result, mostly: the state of its chunks, their number, the characters and bytes of what was sent."""

Row = tuple[bool, MDocument | None, tuple[Any, ...] | Chunks | None, Exception | None, int, Any, str, int, int, Any]
"""Any other: whether its document is the one that was sent, then the fields, then its warnings, if any."""


class Batch:
    """Documents that are sent together."""

    def __init__(self, items: list[Item], size: int) -> None:
        self.items, self.size = items, size

    def __len__(self) -> int:
        return len(self.items)

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            data = pickle.dumps(self.items, pickle.HIGHEST_PROTOCOL)
        except Exception:
            data = pickle.dumps(list(map(_sendable, self.items)), pickle.HIGHEST_PROTOCOL)
        return _Sent, (data, len(self.items))


class _Sent:
    """A batch that has arrived."""

    def __init__(self, data: bytes, count: int) -> None:
        self._data, self._count = data, count

    def items(self) -> list[Any]:
        try:
            return pickle.loads(self._data)  # type: ignore[no-any-return]
        except Exception as error:
            return [_Refused(f"{type(error).__name__}: {error}")] * self._count


class _Refused:
    """Stands for a document that cannot be sent."""

    def __init__(self, why: str) -> None:
        self.error = OptionError(
            f"the document cannot be sent to worker processes: {why}. Its metadata must pickle; or use workers=1."
        )


def _sendable(item: Any) -> Any:
    try:
        pickle.dumps(item)
    except Exception as error:
        return _Refused(str(error))
    return item


class Cutting:
    """What workers do: a task on every document of a batch. The answer is the rows, pickled."""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._hashes: dict[str, str] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (pickle.dumps(self._task),)

    def __call__(self, batch: Any, skip: Mapping[int, Exception], mark: Callable[[int], None]) -> bytes:
        """Cut the documents of a batch, which came as `_Sent`."""
        rows: list[Row | Short] = []
        began = perf_counter()
        with _noted() as notes:
            for i, item in enumerate(batch.items()):
                if i in skip or isinstance(item, _Refused):
                    document = item if isinstance(item, MDocument) else None
                    error = skip.get(i) or item.error
                    rows.append((True, None, None, error, 0, None, "", *measured(document), None))
                    continue
                mark(i)
                rows.append(self._row(item, notes))
        rows.reverse()  # they are taken from the end
        seconds = perf_counter() - began
        try:
            return pickle.dumps((seconds, rows), pickle.HIGHEST_PROTOCOL)
        except Exception:  # metadata or a value that does not pickle
            return pickle.dumps((seconds, list(map(_packable, rows))), pickle.HIGHEST_PROTOCOL)

    def _row(self, item: Item, notes: dict[Note, None]) -> Row | Short:
        document, chunks, error, *rest = self._task.done(item)
        if error is not None:
            error = _returning(error)
        row: Any = chunks
        if chunks is not None and document is not None and type(chunks) is Chunks and chunks.source is document:
            chunks.config_hash = self._hash_of(chunks, document.kind)
            row = chunks.__getstate__()[1:]  # its source is on the other side, or goes along
            if document is item and not notes and not rest[2]:
                count, _, _, characters, size = rest
                return row, count, characters, size
        found = None
        if notes:
            found = list(notes)
            notes.clear()
        given = document is item
        return (given, None if given else document, row, error, *rest, found)

    def _hash_of(self, chunks: Chunks, kind: str) -> str:
        """The configuration hash, which is one for all documents that are cut alike."""
        if self._task.strategy is not None:
            kind = ""
        found = self._hashes.get(kind)
        if found is None:
            found = self._hashes[kind] = chunks.config_hash
        return found


def _unpacked(task: bytes) -> Cutting:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PluginWarning)  # the parent gave it already
        work = Cutting(pickle.loads(task))
        registry()
    return work


@contextmanager
def _noted() -> Iterator[dict[Note, None]]:
    """The warnings that come up meanwhile: the parent gives them again, under its filters."""
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
        warnings.simplefilter("always")
        warnings.showwarning = note
        yield notes


def _returning(error: Exception) -> Exception:
    """The error, or one that stands for it: some exceptions do not pickle, some do not come back."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return CantleError(f"failed with {type(error).__name__}: {error}")
    return error


def _packable(row: Row | Short) -> Row | Short:
    """The row, or one that says that it cannot be sent."""
    try:
        pickle.dumps(row)
    except Exception as error:
        cause = CantleError(f"has chunks that cannot be sent back: {type(error).__name__}: {error}")
        if len(row) == 4:
            return True, None, None, cause, 0, None, "", row[2], row[3], None
        return row[0], None, None, cause, 0, None, "", row[7], row[8], None
    return row


def run(documents: Iterable[Item], pool: Pool[Batch], ordered: bool) -> Generator[Result]:
    """The results of all documents."""
    warned: dict[Any, Any] = {}
    pace = _Pace()
    with pool:
        for batch, answer in pool.run(_batches(documents, pace), ordered=ordered):
            seconds, rows = pickle.loads(answer)
            del answer
            pace.measure(len(rows), seconds)
            for item in batch.items:
                yield _received(item, rows.pop(), warned)


class _Pace:
    """How many documents make a batch: one until it is known how long they take."""

    def __init__(self) -> None:
        self.most = 1

    def measure(self, count: int, seconds: float) -> None:
        """Go by the latest batch, but double at most: one is no rule."""
        fitting = BATCH_SECONDS * count / max(seconds, 1e-9)
        self.most = max(1, min(int(fitting), 2 * self.most, BATCH_COUNT))


def _received(item: Item, row: Row | Short, warned: dict[Any, Any]) -> Result:
    if len(row) == 4:
        state, count, characters, size = row
        assert isinstance(item, MDocument)
        return Result(item.source, item, _chunks(item, state), None, count, None, "", characters, size)
    given, document, chunks, error, count, value, sha256, characters, size, notes = row
    if given:
        document = item if isinstance(item, MDocument) else None
    if isinstance(chunks, tuple):
        assert document is not None
        chunks = _chunks(document, chunks)
    if notes is not None:
        if len(warned) > _WARNED:
            warned.clear()
        try:
            for message, category, filename, line in notes:
                warnings.warn_explicit(message, category, filename, line, registry=warned)
        except Warning as turned:  # a filter turned it into an error
            return Result(name_of(item), document, None, turned, characters=characters, bytes=size)
    return Result(name_of(item), document, chunks, error, count, value, sha256, characters, size)


def _chunks(document: MDocument, state: tuple[Any, ...]) -> Chunks:
    chunks = Chunks.__new__(Chunks)
    chunks.__setstate__((document, *state))
    return chunks


def _batches(documents: Iterable[Item], pace: _Pace) -> Iterator[Batch]:
    batch: list[Item] = []
    size = 0
    try:
        for item in documents:
            batch.append(item)
            size += _size(item)
            if len(batch) >= pace.most or size >= BATCH_SIZE:
                yield Batch(batch, size)
                batch, size = [], 0
    except Exception:
        if batch:
            yield Batch(batch, size)
        raise
    if batch:
        yield Batch(batch, size)


def _size(item: Item) -> int:
    if isinstance(item, MDocument):
        return len(item.text)
    try:
        return os.stat(item).st_size
    except (OSError, TypeError, ValueError):
        return 0  # the worker meets the same error and reports it
