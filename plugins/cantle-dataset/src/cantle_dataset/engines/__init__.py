"""Where a dataset is cut: each module has `run(job)`, which reads files, cuts documents and writes parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..chunker import Chunker

__all__ = ["ENGINES", "Job", "Summary"]

ENGINES = ("local", "ray", "spark")
"""The engines of the command `cantle dataset`; each is a module here."""


@dataclass(frozen=True)
class Job:
    """What an engine is to do: read `files`, run `chunker` over their rows, write `part-*.parquet` into `output`."""

    files: tuple[str, ...]
    """Paths of the input, absolute, in order."""
    format: str
    """What they are: `parquet`, `jsonl`, `arrow` (IPC files or streams), or `documents`."""
    names: tuple[str, ...]
    """With `documents`: what each file is called, its document id. The chunker then reads a table of two columns,
    `document_id` (these names) and `path` (the files)."""
    output: str
    """An empty folder, which is there. The caller moves it to its place when all is done, and writes what goes with
    the parts (counts, errors); what an engine leaves there besides `*.parquet` is deleted."""
    chunker: Chunker
    """What cuts a batch. Its `errors` is `raise` or `collect`: rows with an error stay in the parts, where the caller
    takes them out again if it was told to skip them."""
    workers: int = 1
    """How many processes on this machine."""
    partitions: int | None = None
    """Into how many parts the input is dealt out; None: as it comes."""
    address: str | None = None
    """Where the cluster is; None: on this machine."""
    progress: Callable[[int, int, int], None] | None = None
    """To be called with further documents, bytes of their text and chunks that are done, by engines that know."""


@dataclass(frozen=True)
class Summary:
    """What an engine did."""

    documents: int
    """All that were read, with those that failed and those without text."""
    chunks: int
    failed: int
    bytes: int
    """Of the text of the documents, in UTF-8; of the files where the input is documents."""
