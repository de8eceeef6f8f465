"""`chunk_stream`: the chunks of one long text, one by one while it is read."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from copy import deepcopy
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Any, BinaryIO, cast

from . import checks, files, loading
from .chunk import Chunk, Cut
from .counted import Counted
from .decoded import BinaryReader, Decoded
from .document import MDocument
from .errors import DocumentError, OptionError, PluginError
from .front_matter import MAX_SIZE
from .front_matter import read as front_matter_of
from .linewise import Lines
from .packing.reading import TextReader
from .plugins import Registry, host_of
from .strategy import Strategy

__all__ = ["ChunkStream", "TextReader", "chunk_stream"]

Readable = str | Path | TextReader | BinaryReader

_SPARE = 8192


def chunk_stream(
    reader: Readable,
    strategy: str | type[Strategy] | Strategy | None = "recursive",
    *,
    kind: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    source: str | None = None,
    encoding: str | None = None,
    front_matter: str = "read",
    plugins: Registry | None = None,
    **options: Any,
) -> ChunkStream:
    """Cut a text while it is read: the same chunks as in memory, in a memory that does not grow with the text.

    ```python
    with chunk_stream("dump.txt", max_size=512, length_function="cl100k_base") as chunks:
        for chunk in chunks:
            print(chunk.key, chunk.start, chunk.end)
    ```

    `reader` is the path of a text file, a file opened as bytes, or anything with a `read(n)` that gives at most n
    characters and '' at the end, as a file opened as text does (with `newline=""`, else Python rewrites line ends).
    The chunks are those of `MDocument.from_file(path)`, of `from_bytes` with `source` as the name, or of
    `MDocument(text, kind, metadata, source)`: equal, with the same ids and keys.

    `strategy` is one that can: recursive, token, sentence, structural-context (for text), or one of a plugin with a
    method `stream`. For None it is that of the kind. Each chunk costs some 25 bytes that stay, by which its key is told
    from those of chunks with the same text; else memory is that of some windows of a megabyte, unless `stream` of the
    strategy says what makes them grow.

    Raises what `from_file` and `chunk` raise, and `OptionError` for a strategy that cannot, or for `extract`,
    `PluginError` where a plugin rewrites texts or chunks, and `DocumentError` where a plugin reads the file. What is
    wrong with the text, a byte that is not of its encoding for instance, is raised when it is read: then chunks have
    been given. No encoding is guessed.
    """
    return ChunkStream(
        reader,
        strategy,
        kind=kind,
        metadata=metadata,
        source=source,
        encoding=encoding,
        front_matter=front_matter,
        plugins=plugins,
        options=options,
    )


class ChunkStream(Iterator[Chunk]):
    """The chunks of a text that is being read. A context manager, which closes the file that it opened.

    `kind`, `metadata` and `source` are those of the document; `body` is where its content begins.
    """

    def __init__(
        self,
        reader: Readable,
        strategy: str | type[Strategy] | Strategy | None,
        *,
        kind: str | None,
        metadata: Mapping[str, Any] | None,
        source: str | None,
        encoding: str | None,
        front_matter: str,
        plugins: Registry | None,
        options: dict[str, Any],
        name: str | None = None,
        lines: bool = False,
    ) -> None:
        """See `chunk_stream`. `name` is what errors call an open file; `lines` is for `lines` and `progress`."""
        files.check_front_matter(front_matter)
        for option, value in (("kind", kind), ("source", source), ("encoding", encoding)):
            checks.string(option, value, none=True)
        if metadata is not None and not isinstance(metadata, Mapping):
            raise OptionError(f"metadata must be a mapping of names to values, got {metadata!r}.")
        if options.pop("extract", None) is not None:
            raise OptionError("extract needs all chunks at once, and a stream has one at a time. Use chunk().")
        host = host_of(plugins)
        in_file = isinstance(reader, str | os.PathLike | io.BufferedIOBase | io.RawIOBase)
        is_path = isinstance(reader, str | os.PathLike)
        self.kind = kind or (files.kind_of(cast(str, reader) if is_path else source or "") if in_file else "text")
        with host.in_use() if plugins is not None else nullcontext():
            self._strategy = _streaming(host, strategy, self.kind, options)
        self._in_use = host.in_use if plugins is not None else nullcontext
        self.source = source or ""
        self._file: BinaryIO | None = None
        self.metadata, self.body = deepcopy(dict(metadata or {})), 0
        text = cast(TextReader, reader)
        try:
            if is_path:
                path = Path(cast(str, reader))
                self.source = path.as_posix() if source is None else source
                text = self._opened(path, kind, encoding)
            elif in_file:
                shown = name or source or "the file"
                text = Decoded(cast(BinaryReader, reader), shown, encoding=encoding, kind=kind, size=None)
            elif encoding is not None:
                raise OptionError("encoding is for a path or a file opened as bytes; what the reader gives is text.")
            elif not callable(getattr(reader, "read", None)):
                raise OptionError(
                    f"a stream is a path, or has read(n), which gives text; got {type(reader).__name__}. "
                    "For a text in memory use MDocument.from_text(text).chunk()."
                )
            self._lines = Lines(text) if lines else None
            text = self._lines or text
            if in_file and self.kind in ("text", "markdown"):
                text = self._behind_front_matter(text, front_matter)
            with self._in_use():
                self._pieces = iter(self._strategy.stream(text))  # type: ignore[attr-defined]
        except BaseException:
            self.close()
            raise
        self._seen, self._count = Counted(), 0
        self._start_index = bool(getattr(self._strategy, "add_start_index", False))
        # The last one ends with the text, whatever it was cut at.
        self._held: Chunk | None = None
        self._explain = bool(getattr(self._strategy, "explain", False))
        self._done = False

    def __enter__(self) -> ChunkStream:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, tb: TracebackType | None) -> None:
        self.close()

    def __iter__(self) -> ChunkStream:
        return self

    def __next__(self) -> Chunk:
        try:
            chunk = None if self._done else self._next()
        except BaseException:
            self.close()
            raise
        if chunk is None:
            self.close()
            raise StopIteration
        return chunk

    def close(self) -> None:
        """Give no more chunks, and close the file if it was opened here."""
        self._done = True
        if self._file is not None:
            self._file.close()
            self._file = None

    def lines(self, chunk: Chunk) -> tuple[int, int, int, int]:
        """First line and column, last line and column of the chunk that was given last, as `Chunks.lines` has them."""
        assert self._lines is not None, "not asked for"
        return self._lines.of(chunk)

    @property
    def progress(self) -> tuple[int, int]:
        """How many characters, and bytes in UTF-8, were read so far."""
        assert self._lines is not None, "not asked for"
        return self._lines.characters, self._lines.bytes

    # -- reading --------------------------------------------------------------------------------

    def _opened(self, path: Path, kind: str | None, encoding: str | None) -> Decoded:
        name = path.as_posix()
        if loading.load(path, path.name, kind, encoding) is not None:
            raise DocumentError(
                f"{name} is read by a plugin, which needs all of it. Use MDocument.from_file(), or give a kind "
                "or an encoding to have it read as text."
            )
        try:
            file = self._file = path.open("rb")
        except ValueError as error:
            raise DocumentError(f"{str(path)!r} is no path of a file: {error}.") from None
        found = os.fstat(file.fileno())
        size = found.st_size if S_ISREG(found.st_mode) else None
        return Decoded(file, name, encoding=encoding, kind=kind, size=size)

    def _behind_front_matter(self, reader: TextReader, front_matter: str) -> TextReader:
        """Read the metadata that the text begins with. What is longer than it may be is in the text."""
        head, ended, size = _head(reader, "", 3)
        if head == "---":
            size = MAX_SIZE + _SPARE
            while True:
                head, ended, size = _head(reader, head, size)
                whole = head if ended else head[: max(head.rfind("\n"), head.rfind("\r", 0, -1)) + 1]
                if ended or whole or size > 16 * MAX_SIZE:
                    break
            found, body = front_matter_of(whole, self.source)
            self.metadata = {**found, **self.metadata}
            self.body = body if front_matter == "read" else 0
        return _Rest(head[self.body :], reader)

    # -- chunks ---------------------------------------------------------------------------------

    def _next(self) -> Chunk | None:
        """The next chunk, None when there is none; with `explain` one is held back, for it may be the last."""
        chunk = self._made()
        if not self._explain:
            return chunk
        if self._held is None and chunk is not None:
            self._held, chunk = chunk, self._made()
        held, self._held = self._held, chunk
        if chunk is None and held is not None and held.cut is not None:
            held.cut = Cut("end", 0)
        return held

    def _made(self) -> Chunk | None:
        with self._in_use():
            chunk = next(self._pieces, None)
        if chunk is None:
            return None
        if not isinstance(chunk, Chunk):
            raise PluginError(f"stream() of strategy {self._strategy.name!r} must give Chunk objects, got {chunk!r}.")
        if self.body:
            chunk.start, chunk.end = chunk.start + self.body, chunk.end + self.body
            if chunk.spans is not None:
                chunk.spans = tuple((a + self.body, b + self.body) for a, b in chunk.spans)
        chunk.index, chunk.source, chunk._base = self._count, self.source, self.metadata
        if self._start_index:
            chunk._extra = {**(chunk._extra or {}), "start_index": chunk.start}
        chunk._occurrence = self._seen(chunk.text)
        self._count += 1
        return chunk


class _Rest:
    """A reader of which the beginning was read."""

    def __init__(self, head: str, reader: TextReader) -> None:
        self._head, self._reader = head, reader

    def read(self, size: int, /) -> str:
        if not self._head:
            return self._reader.read(size)
        text, self._head = self._head[:size], self._head[size:]
        return text


def _head(reader: TextReader, head: str, size: int) -> tuple[str, bool, int]:
    """The first `size` characters, after those that are there; whether that is all; and how many to take next."""
    parts = [head]
    have = len(head)
    while have < size:
        part = reader.read(size - have)
        if not part:
            return "".join(parts), True, size
        parts.append(part)
        have += len(part)
    return "".join(parts), False, 2 * size


def _streaming(
    host: Registry, strategy: str | type[Strategy] | Strategy | None, kind: str, options: dict[str, Any]
) -> Strategy:
    """The strategy, if it can cut a document of the kind while it is read."""
    if strategy is None or strategy == "":
        strategy = MDocument("", kind).strategy_for(options)
    made = host.make(strategy, options)
    able = [name for name, cls in host.strategies().items() if callable(getattr(cls, "stream", None))]
    if not callable(getattr(made, "stream", None)):
        raise OptionError(
            f"Strategy {made.name!r} needs the whole text. For a stream take one of {', '.join(able)}, or use chunk()."
        )
    if kind in getattr(made, "whole_kinds", ()):
        raise OptionError(
            f"Strategy {made.name!r} needs the whole text of a document of kind {kind!r}. Use chunk(), or a strategy "
            "that takes it for plain text: recursive, token, sentence."
        )
    for name, plugin in host.plugins.items():
        changes = {"prepare_source", "finish_chunks"} & set(plugin.hooks)
        if changes and not plugin.error and not plugin.streams:
            raise PluginError(
                f"Plugin {name!r} changes texts or chunks ({', '.join(sorted(changes))}) and needs the whole document "
                f"for that. Leave it out: CANTLE_PLUGINS, or plugins=Registry(...); or use chunk()."
            )
    return made
