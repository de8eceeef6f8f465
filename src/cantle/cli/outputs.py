"""Where chunks go: standard output or a file that appears only when it is complete."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from .. import arrow
from ..chunks import Chunks
from . import renders
from .group import Failure

__all__ = ["FORMATS", "Output", "Writer", "chosen_format", "mode_of", "opened", "target", "writer"]

FORMATS = ("jsonl", "json", "text", "csv", "parquet")

_SUFFIXES = {".json": "json", ".txt": "text", ".csv": "csv", ".parquet": "parquet"}


def chosen_format(wanted: str | None, out: str | None) -> str:
    """The format asked for; else by the suffix of the output; else text on a terminal and JSON Lines."""
    if wanted:
        return wanted
    if out:
        return _SUFFIXES.get(Path(out).suffix.lower(), "jsonl")
    return "text" if sys.stdout.isatty() else "jsonl"


class Output:
    """An open output. Call `commit()` when everything is written; a file stays as it was otherwise."""

    def __init__(self, stream: BinaryIO, terminal: bool = False) -> None:
        self.stream = stream
        self.terminal = terminal
        self.committed = False

    def commit(self) -> None:
        """Keep what was written."""
        self.committed = True


@contextmanager
def opened(out: str | None) -> Iterator[Output]:
    """Standard output (None or `-`), or a temporary file beside `out` that takes its place at the end."""
    if out is None or out == "-":
        with _whole(sys.stdout.buffer) as stream:
            yield Output(stream, terminal=sys.stdout.isatty())
        return
    path = target(out)
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        with path.open("wb") as file:
            yield Output(file)
        return
    try:
        handle, name = tempfile.mkstemp(prefix=".cantle-", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise Failure(f"Cannot write {out}: {error.strerror}: {path.parent}", 2) from error
    try:
        with os.fdopen(handle, "wb") as file:
            output = Output(file)
            yield output
        if output.committed:
            os.chmod(name, mode_of(path))
            os.replace(name, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


@contextmanager
def _whole(stream: BinaryIO) -> Iterator[BinaryIO]:
    """A stream whose `write` writes everything: with `python -u` standard output may write a part."""
    if not isinstance(stream, io.RawIOBase):
        yield stream
        stream.flush()
        return
    buffered = io.BufferedWriter(stream)
    try:
        yield buffered
        buffered.flush()
    finally:
        with suppress(OSError):  # flushes again what could not be written
            buffered.detach()


def target(out: str) -> Path:
    """The file that a name stands for, links followed. Raises `Failure` for a directory."""
    path = Path(os.path.realpath(out))
    if path.is_dir():
        raise Failure(f"{out} is a directory. Give -o the name of a file.", 2)
    return path


def mode_of(path: Path) -> int:
    """The mode of the file that is replaced, or that of a new file: temporary files are private."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


class Writer(Protocol):
    """Writes documents, one after another, in two steps: the costly one may be done in a worker."""

    render: Callable[[Chunks], bytes]
    """What is written of the chunks of one document, as bytes; a function that pickles."""

    start: bytes | None
    """What a file begins with which is nothing but that and all that `render` gave; None in other formats."""

    def write(self, rendered: bytes) -> None:
        """Append what `render` made."""
        ...

    def close(self) -> None:
        """Write what closes the format; the stream stays open."""
        ...


def writer(
    format: str, output: Output, length: str | None = None, relations: bool = False, metadata: bool = False
) -> Writer:
    """The writer of a format; `length` names the unit that the text format counts besides characters.

    `relations` adds parents, neighbours and sections to all formats but text. `metadata` adds to the text format what
    each chunk has in its metadata beside the document's; the other formats have it anyway.
    """
    if format == "parquet":
        if output.terminal:
            raise Failure("Parquet is binary: give -o FILE, or send it to a file with >.", 2)
        return _Parquet(output.stream, relations)
    if format == "json":
        return _Json(output.stream, relations)
    if format == "csv":
        return _Lines(output.stream, partial(renders.csv, relations=relations), renders.csv_header(relations))
    if format == "text":
        color = output.terminal and "NO_COLOR" not in os.environ
        shown = partial(renders.text, length=length, terminal=output.terminal, color=color, metadata=metadata)
        return _Lines(output.stream, shown)
    return _Lines(output.stream, partial(renders.jsonl, relations=relations))


class _Lines:
    """Formats that are just one thing after another."""

    def __init__(self, stream: BinaryIO, render: Callable[[Chunks], bytes], header: bytes = b"") -> None:
        self._stream = stream
        self.render = render
        self.start: bytes | None = header
        self._header = header  # written with the first document: wrong options must not leave it behind

    def write(self, rendered: bytes) -> None:
        self._stream.write(self._header + rendered)
        self._header = b""

    def close(self) -> None:
        self.write(b"")


class _Json:
    """One array, an object a line: readable, and written as it comes."""

    start: bytes | None = None

    def __init__(self, stream: BinaryIO, relations: bool) -> None:
        self._stream = stream
        self.render: Callable[[Chunks], bytes] = partial(renders.jsonl, relations=relations)
        self._before = b"[\n"

    def write(self, rendered: bytes) -> None:
        if rendered:
            self._stream.write(self._before + rendered.rstrip(b"\n").replace(b"\n", b",\n"))
            self._before = b",\n"

    def close(self) -> None:
        self._stream.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class _Parquet:
    """A table a document, gathered into row groups of at least `ROWS` chunks or `SIZE` bytes."""

    ROWS = 10_000
    SIZE = 1 << 26
    start: bytes | None = None

    def __init__(self, stream: BinaryIO, relations: bool) -> None:
        self._file = arrow.ParquetFile(stream, relations=relations)
        self.render: Callable[[Chunks], bytes] = partial(renders.arrow, relations=relations)
        self._waiting: list[Any] = []
        self._rows = self._size = 0

    def write(self, rendered: bytes) -> None:
        self._waiting.append(self._file.table(rendered))
        self._rows += len(self._waiting[-1])
        self._size += len(rendered)
        if self._rows >= self.ROWS or self._size >= self.SIZE:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._file.write(self._waiting)
            self._waiting, self._rows, self._size = [], 0, 0

    def close(self) -> None:
        self._flush()
        self._file.close()
