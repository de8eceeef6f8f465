"""What `chunk_many` does with one document, in whatever process, and what becomes of it."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .chunks import Chunks
from .document import MDocument
from .errors import DocumentError, OptionError
from .plugins import Registry
from .strategy import Strategy

__all__ = ["Fields", "Item", "Result", "Task", "its_files", "measured", "name_of"]

Item = MDocument | str | Path

_SLICE = 1 << 20


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one document: its chunks, or the error that it met.

    `name` is the document's `source`, or the path as given. `document` is None when it could not be
    read, `chunks` is None when there is an `error`. `count` is the number of chunks. With `then=`,
    `value` holds what that made of the chunks, `chunks` is None, and so is the `document` of a path.
    With `sha256=True`, `sha256` is that of the bytes of the file that was read, hexadecimal: by it you can tell later
    whether the file has changed. It is empty for documents and errors, and for a file that was written to meanwhile.
    `characters` counts the code points of the document's text, `bytes` what they are in UTF-8; both are 0 for a
    document that could not be read.
    """

    name: str
    document: MDocument | None
    chunks: Chunks | None
    error: Exception | None = None
    count: int = 0
    value: Any = None
    sha256: str = ""
    characters: int = 0
    bytes: int = 0

    @property
    def ok(self) -> bool:
        """Whether the document was cut."""
        return self.error is None


Fields = tuple[MDocument | None, Chunks | None, Exception | None, int, Any, str, int, int]
"""Those of a `Result` behind its name."""


@dataclass(frozen=True)
class Task:
    """What is done with every document; picklable when its parts are."""

    strategy: Strategy | None
    options: dict[str, Any]
    extract: Mapping[str, Any] | None
    plugins: Registry | None
    read: dict[str, Any]
    then: Callable[[Chunks], Any] | None
    sha256: bool = False

    def __call__(self, item: Item) -> Result:
        """Read the document if it is a path, and cut it. Errors are in the result, never raised."""
        return Result(name_of(item), *self.done(item))

    def done(self, item: Item) -> Fields:
        """The same without the name."""
        document = item if isinstance(item, MDocument) else None
        sha256 = ""
        try:
            if document is None:
                document, sha256 = self._hashed(item) if self.sha256 else (self._read(item), "")
            chunks = document.chunk(self.strategy, extract=self.extract, plugins=self.plugins, **self.options)
            if self.then is not None:
                kept = item if isinstance(item, MDocument) else None
                return kept, None, None, len(chunks), self.then(chunks), sha256, *measured(document)
            return document, chunks, None, len(chunks), None, sha256, *measured(document)
        except Exception as error:  # a strategy may be anyone's
            return document, None, error, 0, None, "", *measured(document)

    def _hashed(self, item: Any) -> tuple[MDocument, str]:
        """The document, and the hash of the bytes that were read: none if the file was written to meanwhile."""
        from .files import sha256_of

        try:
            before = _state(item)
            sha256 = sha256_of(item) if before else ""
        except (OSError, ValueError, TypeError):  # what is wrong is said by `_read`
            before, sha256 = None, ""
        document = self._read(item)
        return document, sha256 if before and _state(item) == before else ""

    def _read(self, item: Any) -> MDocument:
        if not isinstance(item, str | Path):
            raise OptionError(
                f"documents must hold MDocument objects or paths, got {type(item).__name__}. "
                "Make documents of texts with MDocument.from_text()."
            )
        try:
            return MDocument.from_file(item, **self.read)
        except OSError as error:
            if os.path.isdir(item):
                raise DocumentError(f"documents must hold files, got the directory {its_files(item)}") from error
            raise


def _state(path: str | Path) -> tuple[int, ...] | None:
    """What changes when a file is written to. None for what is no file: what is read of a pipe is gone."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def its_files(directory: str | Path) -> str:
    """A directory's name, and how to give what is in it."""
    name = str(directory)
    return f"{name!r}. Give its files, for example Path({name!r}).rglob('*.md')."


def name_of(item: Any) -> str:
    """What to call a document in messages: its source, or its path."""
    if isinstance(item, MDocument):
        return item.source
    return item.as_posix() if isinstance(item, Path) else str(item)


def measured(document: MDocument | None) -> tuple[int, int]:
    """How many code points a document's text has, and how many bytes in UTF-8."""
    if document is None:
        return 0, 0
    text = document.text
    length = len(text)
    if text.isascii():
        return length, length
    if length <= _SLICE:
        return length, len(text.encode("utf-8", "surrogatepass"))
    return length, sum(len(text[i : i + _SLICE].encode("utf-8", "surrogatepass")) for i in range(0, length, _SLICE))
