"""Where chunks go: standard output or a file that appears only when it is complete."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import click

from ..chunks import Chunks
from .group import Failure

__all__ = ["FORMATS", "Output", "chosen_format", "opened", "writer"]

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
        stream = sys.stdout.buffer
        yield Output(stream, terminal=sys.stdout.isatty())
        stream.flush()
        return
    path = Path(os.path.realpath(out))
    if path.is_dir():
        raise Failure(f"{out} is a directory. Give -o the name of a file.", 2)
    if path.exists() and not path.is_file():  # a device or a pipe cannot be replaced
        with path.open("wb") as file:
            yield Output(file)
        return
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    except OSError as error:
        raise Failure(f"Cannot write {out}: {error.strerror}: {path.parent}", 2) from error
    try:
        with os.fdopen(handle, "wb") as file:
            output = Output(file)
            yield output
        if output.committed:
            os.chmod(name, _mode(path))
            os.replace(name, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(name)


def _mode(path: Path) -> int:
    """The mode of the file that is replaced, or that of a new file: temporary files are private."""
    if path.exists():
        return path.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


class Writer(Protocol):
    """Writes the chunks of one document after another."""

    def write(self, chunks: Chunks) -> None:
        """Append the chunks of one document."""
        ...

    def close(self) -> None:
        """Write what closes the format; the stream stays open."""
        ...


def writer(format: str, output: Output, length: str | None = None) -> Writer:
    """The writer of a format; `length` names the unit that the text format counts besides characters."""
    if format == "parquet":
        if output.terminal:
            raise Failure("Parquet is binary: give -o FILE, or send it to a file with >.", 2)
        return _Parquet(output.stream)
    if format == "text":
        return _Text(output, length)
    streamed: dict[str, Callable[[BinaryIO], Writer]] = {"jsonl": _Jsonl, "json": _Json, "csv": _Csv}
    return streamed[format](output.stream)


class _Jsonl:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, chunks: Chunks) -> None:
        self._stream.write(chunks.to_jsonl().encode("utf-8"))

    def close(self) -> None:
        pass


class _Json:
    """One array, an object a line: readable, and written as it comes."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._before = b"[\n"

    def write(self, chunks: Chunks) -> None:
        for line in chunks.to_jsonl().encode("utf-8").splitlines():
            self._stream.write(self._before + line)
            self._before = b",\n"

    def close(self) -> None:
        self._stream.write(b"[]\n" if self._before == b"[\n" else b"\n]\n")


class _Csv:
    """The columns of the Arrow table; lists are JSON."""

    def __init__(self, stream: BinaryIO) -> None:
        import csv
        import io

        from ..arrow import COLUMNS

        self._stream = stream
        self._buffer = io.StringIO(newline="")
        self._rows = csv.DictWriter(self._buffer, list(COLUMNS), lineterminator="\n")
        self._rows.writeheader()
        self._flush()

    def write(self, chunks: Chunks) -> None:
        import json

        from ..arrow import flat

        for row in flat(chunks):
            self._rows.writerow(
                {k: json.dumps(v, ensure_ascii=False) if isinstance(v, list) else v for k, v in row.items()}
            )
        self._flush()

    def _flush(self) -> None:
        self._stream.write(self._buffer.getvalue().encode("utf-8"))
        self._buffer.seek(0)
        self._buffer.truncate()

    def close(self) -> None:
        pass


class _Parquet:
    """Row groups of about this many chunks."""

    GROUP = 10_000

    def __init__(self, stream: BinaryIO) -> None:
        from ..arrow import ParquetFile

        self._file = ParquetFile(stream)
        self._waiting: list[Chunks] = []

    def write(self, chunks: Chunks) -> None:
        self._waiting.append(chunks)
        if sum(map(len, self._waiting)) >= self.GROUP:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._file.write(self._waiting)
            self._waiting = []

    def close(self) -> None:
        self._flush()
        self._file.close()


# On a terminal a document's control characters would be commands.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class _Text:
    """For reading: a line about each chunk, then its text."""

    def __init__(self, output: Output, length: str | None) -> None:
        self._output = output
        self._name = length
        self._length: Any = None
        if length is not None and length != "characters":
            from ..lengths import resolve

            self._length = resolve(length)
        self._color = output.terminal and "NO_COLOR" not in os.environ

    def write(self, chunks: Chunks) -> None:
        for chunk in chunks:
            first, _, last, _ = chunks.lines(chunk)
            lines = f"line {first}" if first == last else f"lines {first}-{last}"
            place = f"{chunk.start}-{chunk.end}"
            parts = [f"{chunk.source}#{chunk.index}", place, lines, f"{len(chunk.text)} characters"]
            if self._length is not None:
                parts.append(f"{self._length(chunk.text):g} {self._name}")
            if chunk.overlap:
                parts.append(f"overlap {chunk.overlap}")
            if chunk.path:
                parts.append(" > ".join(chunk.path))
            head, text = f"--- {'  '.join(parts)}", chunk.text
            if self._output.terminal:
                head = _CONTROLS.sub("\ufffd", head.replace("\n", " "))
                text = _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))
            if self._color:
                head = click.style(head, fg="cyan")
            self._output.stream.write(f"{head}\n{text}\n\n".encode("utf-8", "replace"))

    def close(self) -> None:
        pass
