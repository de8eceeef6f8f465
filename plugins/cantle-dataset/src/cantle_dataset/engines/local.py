"""The engine `local`: processes on this machine."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from contextlib import closing, suppress
from typing import Any

import pyarrow as pa

from ..files.pieces import lengths, pieces
from ..files.reading import PATH, opened
from ..files.writing import Parts
from ..rows import Cut
from . import Job, Summary

__all__ = ["run"]

PIECE_BYTES = 4 << 20
PIECE_ROWS = 1024


def run(job: Job) -> Summary:
    """Cut piece after piece of the input, and write the chunks in the order of the documents.

    The parts are the same bytes for any number of workers. With `partitions` each part holds the chunks of as many
    documents as the others, or one more; without, a part ends where it is large enough.
    """
    files = opened(job.files, job.format, job.names, job.chunker.columns, job.chunker.typed)
    schema = job.chunker.schema_for(files.schema)
    borders: list[int] = []
    if job.partitions is not None:
        total = files.rows()
        borders = [total * i // job.partitions for i in range(1, job.partitions)]
    dealt = pieces(files.batches(), job.chunker.text, size=PIECE_BYTES, rows=PIECE_ROWS, borders=tuple(borders))
    documents = chunks = failed = size = 0
    parts = Parts(job.output, schema)
    try:
        with closing(_cut(job, dealt)) as results:
            for batch, cut in results:
                while borders and documents >= borders[0]:
                    parts.end_part()
                    borders.pop(0)
                parts.write(cut.batch)
                if job.partitions is None and parts.full:
                    parts.end_part()
                text = _size(job, batch)
                made = cut.batch.num_rows - len(cut.failed)
                documents, chunks, size = documents + batch.num_rows, chunks + made, size + text
                failed += len(cut.failed)
                if job.progress is not None:
                    job.progress(batch.num_rows, text, made)
        for _ in borders:
            parts.end_part()
        parts.finish()
    finally:
        parts.close()
    return Summary(documents, chunks, failed, size)


def _cut(job: Job, dealt: Iterator[pa.RecordBatch]) -> Generator[tuple[pa.RecordBatch | pa.Table, Cut]]:
    chunker = job.chunker
    if job.workers == 1 and chunker.timeout is None:
        for batch in dealt:
            cut = chunker.cut(batch)
            chunker.settle(cut)
            yield batch, cut
        return
    from cantle.pools import Pool

    from ..isolated import Piece, Work, settled

    warned: dict[Any, Any] = {}
    work = Work(chunker.without_timeout())
    sent = (Piece(batch, _size(job, batch)) for batch in dealt)
    with Pool(work, job.workers, timeout=chunker.timeout) as pool, closing(pool.run(sent)) as results:
        for piece, answer in results:
            cut = settled(answer, warned)
            chunker.settle(cut)
            yield piece.batch, cut


def _size(job: Job, batch: pa.RecordBatch | pa.Table) -> int:
    """The bytes of the documents of a piece; of a file that is not there, none."""
    if job.format != "documents":
        return int(lengths(batch, job.chunker.text).sum())
    size = 0
    for path in batch.column(PATH).to_pylist():
        with suppress(OSError):
            size += os.stat(path or "").st_size
    return size
