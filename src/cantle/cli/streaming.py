"""`cantle chunk --stream`: one long text, cut while it is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

import click

from ..chunk import Chunk
from ..chunks import Chunks
from ..console import Bar
from ..errors import DocumentError
from ..source import Source
from ..streams import ChunkStream
from .group import Failure
from .outputs import opened, writer
from .summary import failure_line, totals

__all__ = ["command"]

_MANY = 500
_SIZE = 1 << 21
"""So many chunks, or characters of them, are written at a time."""


class _Part(Chunks):
    """Some chunks of a stream, as they are: each keeps its number and its key."""

    def __init__(self, stream: ChunkStream, chunks: list[tuple[Chunk, tuple[int, int, int, int]]]) -> None:
        super().__init__(Source("", metadata=stream.metadata))
        self._items = [chunk for chunk, _ in chunks]
        self._lines = {id(chunk): lines for chunk, lines in chunks}

    def lines(self, chunk: Chunk) -> tuple[int, int, int, int]:
        return self._lines[id(chunk)]

    def to_columns(self, fields: Collection[str] | None = None) -> dict[str, Sequence[Any]]:
        found = super().to_columns()
        found["index"] = [chunk.index for chunk in self]
        found["id"] = [
            f"{chunk.source}#{chunk.index}-{own[:8]}" for chunk, own in zip(self, found["hash"], strict=True)
        ]
        found["key"] = [chunk._key(whole) for chunk, whole in zip(self, found["embed_hash"], strict=True)]
        found["lines"] = [self.lines(chunk) for chunk in self]
        return {name: found[name] for name in (found if fields is None else fields)}


def command(
    files: tuple[str, ...],
    strategy: str | None,
    options: dict[str, Any],
    read: Mapping[str, Any],
    source: str | None,
    written: str,
    out: str | None,
    quiet: bool,
    others: Mapping[str, bool],
) -> None:
    """Cut the one file. `others` are options that do not go with a stream, and whether they are given."""
    for name, given in others.items():
        if given:
            raise click.UsageError(f"{name} is not for --stream, which cuts one text in this process. Leave one out.")
    if len(files) > 1 or (files[0] != "-" and Path(files[0]).is_dir()):
        raise click.UsageError("--stream cuts one text. Name one file, or - for standard input.")
    name = source or "standard input" if files[0] == "-" else files[0]
    began, count = monotonic(), 0
    with opened(out) as output:
        to = writer(written, output, options.get("length_function"))
        with (
            _opened(files[0], name, strategy, options, read, source) as stream,
            _bar(files[0], quiet, out) or nullcontext() as bar,
        ):
            before = 0
            for part in _parts(stream, name):
                to.write(to.render(part))
                count += len(part)
                if bar is not None:
                    size = stream.progress[1]
                    bar.advance(len(part), size // 1_000_000 - before // 1_000_000, size=size - before)
                    before = size
        to.close()
        output.commit()
    if not quiet and sys.stderr.isatty():
        click.echo(totals(1, count, stream.progress[1], monotonic() - began), err=True)


def _opened(
    file: str, name: str, strategy: str | None, options: dict[str, Any], read: Mapping[str, Any], source: str | None
) -> ChunkStream:
    is_input = file == "-"
    try:
        stream = ChunkStream(
            sys.stdin.buffer if is_input else Path(file),
            strategy,
            kind=read.get("kind"),
            metadata=None,
            source=source,
            encoding=read.get("encoding"),
            front_matter=read.get("front_matter", "read"),
            plugins=None,
            options=dict(options),
            name=name,
            lines=True,
        )
    except (DocumentError, OSError) as error:
        raise Failure(failure_line(name, error)) from error
    stream.source = stream.source or "-"
    return stream


def _parts(stream: ChunkStream, name: str) -> Iterator[_Part]:
    """The chunks, some at a time. Raises `Failure` for what is wrong with the text."""
    while True:
        found, size = [], 0
        try:
            for chunk in islice(stream, _MANY):
                found.append((chunk, stream.lines(chunk)))
                size += len(chunk.content)
                if size >= _SIZE:
                    break
        except Exception as error:
            raise Failure(failure_line(name, error)) from error
        if not found:
            return
        yield _Part(stream, found)


def _bar(path: str, quiet: bool, out: str | None) -> Bar | None:
    """How far it is, in megabytes, for a person at a terminal to which the chunks do not go."""
    if quiet or not sys.stderr.isatty() or (out in (None, "-") and sys.stdout.isatty()):
        return None
    try:
        total = None if path == "-" else os.stat(path).st_size // 1_000_000
    except (OSError, ValueError):
        return None
    return Bar(total or None, "Megabytes")
