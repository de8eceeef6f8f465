"""An input dealt out to tasks, and what a task does: read its rows, cut them, write its part."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from cantle.errors import CantleWarning

from ..errors import DatasetError
from ..files.pieces import lengths, pieces
from ..files.reading import PATH, opened
from ..files.writing import Parts
from . import Job, Summary
from .carried import loaded
from .local import PIECE_BYTES, PIECE_ROWS

if TYPE_CHECKING:
    import pyarrow as pa

    from ..chunker import Chunker
    from ..files.reading import Files

__all__ = ["Done", "Plan", "added", "planned"]

LEAST_BYTES = 8 << 20
MOST_BYTES = 256 << 20
TASKS = 1024
"""A task gets the `TASKS`th part of the input, within these limits: what is in a part depends on the input alone."""

ATTEMPT = ".attempt-"
"""How the folders of tasks under way are called."""
WARNINGS = 20
"""So many different warnings come back from a task."""


@dataclass(frozen=True)
class Plan:
    """What the tasks are; pickles."""

    files: Files
    documents: bool
    ranges: tuple[tuple[int, int], ...]
    """The rows of each task, in the order of the input."""
    output: str

    def run(self, task: int, data: bytes, name: str, remedy: str) -> Done:
        """Do one task: write `part-*.parquet` for its rows. Run twice, at once even, it leaves the same file."""
        chunker = loaded(data, name, remedy)
        schema = chunker.schema_for(self.files.schema)
        folder = tempfile.mkdtemp(prefix=f"{ATTEMPT}{task:05}-", dir=self.output)
        documents = chunks = failed = size = 0
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")  # the driver's filters decide
                parts = Parts(folder, schema)
                try:
                    for batch in self._read(task, chunker.text):
                        made = _cut(chunker, batch)
                        parts.write(made)
                        wrong = made.num_rows - made.column("error").null_count
                        documents, failed = documents + batch.num_rows, failed + wrong
                        chunks += made.num_rows - wrong
                        size += self._size(batch, chunker.text)
                    parts.finish()
                finally:
                    parts.close()
            (made_part,) = os.listdir(folder)
            os.replace(os.path.join(folder, made_part), os.path.join(self.output, f"part-{task:05}.parquet"))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        said = dict.fromkeys(str(one.message) for one in caught if issubclass(one.category, CantleWarning))
        return Done(documents, chunks, failed, size, tuple(said)[:WARNINGS])

    def _read(self, task: int, column: str | None) -> Iterator[pa.RecordBatch]:
        """The rows of a task, in the pieces that they are cut in on one machine."""
        return pieces(self.files.batches(*self.ranges[task]), column, size=PIECE_BYTES, rows=PIECE_ROWS)

    def _size(self, batch: pa.RecordBatch, column: str | None) -> int:
        if not self.documents:
            return int(lengths(batch, column).sum())
        size = 0
        for path in batch.column(PATH).to_pylist():
            with suppress(OSError):  # it is among those that failed
                size += os.stat(str(path)).st_size
        return size


@dataclass(frozen=True)
class Done:
    """What a task did: see `Summary`."""

    documents: int
    chunks: int
    failed: int
    bytes: int
    warnings: tuple[str, ...]


def _cut(chunker: Chunker, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The chunks; an error comes as text, since that of a strategy may not exist where it is told."""
    try:
        return chunker(batch)
    except Exception as error:
        said = str(error) if isinstance(error, DatasetError) else f"{type(error).__name__}: {error}"
        notes = getattr(error, "__notes__", ())
        end = "." if notes and not said.endswith((".", "!", "?")) else ""
        raise DatasetError(" ".join((said + end, *notes))) from None


def planned(job: Job) -> Plan:
    """The tasks of a job: `job.partitions` with as many documents each, or as many as their bytes ask for."""
    files = opened(job.files, job.format, job.names, job.chunker.columns, job.chunker.typed)
    if job.partitions is not None:
        total = files.rows()
        borders = [total * i // job.partitions for i in range(job.partitions + 1)]
    else:
        borders = _by_bytes(list(files.stretches()))
    ranges = tuple(pairwise(borders))
    return Plan(files, job.format == "documents", ranges, job.output)


def _by_bytes(stretches: list[tuple[int, int]]) -> list[int]:
    """Where tasks begin and end, given stretches of so many rows and bytes; in one, rows count as equally long."""
    rows = [0, *accumulate(count for count, _ in stretches)]
    sizes = [0, *accumulate(size for _, size in stretches)]
    wanted = min(max(sizes[-1] // TASKS, LEAST_BYTES), MOST_BYTES)
    tasks = max(1, round(sizes[-1] / wanted))
    borders = {0}
    for i in range(1, tasks):
        target = sizes[-1] * i // tasks
        at = bisect_right(sizes, target) - 1  # the stretch that the border falls into
        count, size = stretches[at]
        borders.add(rows[at] + (target - sizes[at]) * count // size)
    return [*sorted(borders - {rows[-1]} | {0}), rows[-1]]


def added(plan: Plan, done: Iterable[Done], progress: Callable[[int, int, int], None] | None) -> Summary:
    """What all tasks did together, told as they end; their warnings are given again, once each.

    Nothing but parts is left then: a worker that was killed could not clean up.
    """
    documents = chunks = failed = size = 0
    said: set[str] = set()
    for one in done:
        documents, chunks = documents + one.documents, chunks + one.chunks
        failed, size = failed + one.failed, size + one.bytes
        if progress is not None:
            progress(one.documents, one.bytes, one.chunks)
        for message in one.warnings:
            if message not in said:
                said.add(message)
                warnings.warn(message, CantleWarning, stacklevel=2)
    for name in os.listdir(plan.output):
        if name.startswith(ATTEMPT):
            shutil.rmtree(os.path.join(plan.output, name), ignore_errors=True)
    return Summary(documents, chunks, failed, size)
