"""`chunk_many`: many documents, one after another or in several processes."""

from __future__ import annotations

import os
import stat
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from . import checks
from .chunks import Chunks
from .document import DEFAULT_STRATEGY, MDocument
from .errors import CantleWarning, DocumentError, OptionError
from .plugins import Registry, host_of
from .strategy import Strategy, describe, meant

__all__ = ["Result", "chunk_many"]


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one document: its chunks, or the error that it met.

    `name` is the document's `source`, or the path as given. `document` is None when it could not be
    read, `chunks` is None when there is an `error`. `count` is the number of chunks. With `then=`,
    `value` holds what that made of the chunks, `chunks` is None, and so is the `document` of a path.
    With `sha256=True`, `sha256` is that of the bytes of the file that was read, hexadecimal: by it you can tell later
    whether the file has changed. It is empty for documents and errors, and for a file that was written to meanwhile.
    """

    name: str
    document: MDocument | None
    chunks: Chunks | None
    error: Exception | None = None
    count: int = 0
    value: Any = None
    sha256: str = ""

    @property
    def ok(self) -> bool:
        """Whether the document was cut."""
        return self.error is None


def chunk_many(
    documents: Iterable[MDocument | str | Path],
    strategy: str | type[Strategy] | Strategy | None = None,
    *,
    workers: int = 1,
    progress: bool = False,
    errors: Literal["raise", "collect", "skip"] = "raise",
    ordered: bool = True,
    extract: Mapping[str, Any] | None = None,
    plugins: Registry | None = None,
    read: Mapping[str, Any] | None = None,
    then: Callable[[Chunks], Any] | None = None,
    sha256: bool = False,
    **options: Any,
) -> Generator[Result]:
    """Cut many documents; an iterator of one `Result` each.

    `documents` holds documents and paths of files (a `str` is a path), and may be a generator: it
    is read no further ahead than the workers need. `strategy`, `extract`, `plugins` and the options
    are those of `MDocument.chunk`; `read` holds arguments for `MDocument.from_file`: `kind`,
    `metadata`, `encoding`, `front_matter`.

    With `workers` above 1, documents are cut in as many processes, with the same results. Then the
    strategy and its options must pickle: functions and classes at the top level of a module, no
    lambdas. Scripts that start workers need `if __name__ == "__main__":` on macOS and Windows. A
    worker that dies (out of memory, for instance) is an error of the one document it died of.

    `then` is called with the chunks of each document where they are made, in a worker perhaps; only
    its answer comes back, as `Result.value`. Writing JSON or embedding is best done there. `sha256=True` has the bytes
    of each file hashed where it is read, for `Result.sha256`.

    `ordered=False` gives results as they come. `progress=True` draws a bar on standard error where
    that is a terminal.
    `errors` says what to do when a document cannot be read or cut: `raise` its exception, `collect`
    it in `Result.error`, or `skip` the document with a `CantleWarning`. What is wrong with the
    options is raised at once, before any document is read: `OptionError`, `UnknownStrategyError`,
    `ExtractionError` for a field that nobody provides.
    """
    checks.choice("errors", errors, ("raise", "collect", "skip"))
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise OptionError(f"workers must be an integer of at least 1, got {workers!r}.")
    if isinstance(documents, str | bytes | MDocument | Path):
        if isinstance(documents, str | Path) and os.path.isdir(documents):
            raise OptionError(
                f"documents must be several documents or paths, got the directory {_its_files(documents)}"
            )
        raise OptionError(
            f"documents must be several documents or paths, got one {type(documents).__name__}. "
            "Put it into a list: [it]."
        )
    if not isinstance(documents, Iterable):
        raise OptionError(f"documents must be an iterable of documents or paths, got {documents!r}.")
    host = host_of(plugins)
    with host.in_use():
        chosen = None
        if strategy is None or strategy == "":
            _check_for_any_kind(host, options)
        else:
            chosen, options = host.make(strategy, options), {}
    if extract is not None:
        from .extraction import check

        check(host, extract)
    task = Task(chosen, options, extract, plugins, _reading(read or {}), then, sha256)
    if workers > 1:
        from .workers import run, sendable

        results = run(documents, sendable(task), workers, ordered)
    else:
        results = (task(item) for item in documents)
    total = len(documents) if isinstance(documents, Sized) else None
    return _deliver(results, errors, total, progress)


def _check_for_any_kind(host: Registry, options: dict[str, Any]) -> None:
    """Raise what is wrong with options that are given without a strategy: as the first kind sees it that knows them."""
    known: dict[str, None] = {}
    for kind in dict.fromkeys(("text", *DEFAULT_STRATEGY, *host.kinds())):
        names = [option.name for option in describe(host.strategy(MDocument("", kind)._strategy_for(host, ())))]
        if options.keys() <= set(names):
            break
        known |= dict.fromkeys(names)
    else:
        kind = "text"
        for name in options.keys() - known.keys():
            close = meant(name, list(known))
            hint = f"Did you mean {close!r}?" if close else "Name one: `cantle strategies NAME` lists its options."
            raise OptionError(f"chunk without a strategy has no option {name!r}. {hint}")
    MDocument("", kind)._strategy(host, None, options)


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

    def __call__(self, item: MDocument | str | Path) -> Result:
        """Read the document if it is a path, and cut it. Errors are in the result, never raised."""
        document = item if isinstance(item, MDocument) else None
        sha256 = ""
        try:
            if document is None:
                document, sha256 = self._hashed(item) if self.sha256 else (self._read(item), "")
            chunks = document.chunk(self.strategy, extract=self.extract, plugins=self.plugins, **self.options)
            if self.then is not None:
                kept = item if isinstance(item, MDocument) else None
                return Result(name_of(item), kept, None, None, len(chunks), self.then(chunks), sha256)
            return Result(name_of(item), document, chunks, None, len(chunks), None, sha256)
        except Exception as error:  # a strategy may be anyone's
            return Result(name_of(item), document, None, error)

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
                raise DocumentError(f"documents must hold files, got the directory {_its_files(item)}") from error
            raise


def _state(path: str | Path) -> tuple[int, ...] | None:
    """What changes when a file is written to. None for what is no file: what is read of a pipe is gone."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _its_files(directory: str | Path) -> str:
    """A directory's name, and how to give what is in it."""
    name = str(directory)
    return f"{name!r}. Give its files, for example Path({name!r}).rglob('*.md')."


def _reading(read: Mapping[str, Any]) -> dict[str, Any]:
    known = ("kind", "metadata", "encoding", "front_matter")
    for name in read:
        checks.choice("a name in read", name, known)
    return dict(read)


def name_of(item: Any) -> str:
    """What to call a document in messages: its source, or its path."""
    if isinstance(item, MDocument):
        return item.source
    return item.as_posix() if isinstance(item, Path) else str(item)


def _deliver(results: Iterator[Result], errors: str, total: int | None, progress: bool) -> Generator[Result]:
    with ExitStack() as stack:
        if hasattr(results, "close"):
            stack.callback(results.close)  # stops the workers when the caller stops early
        advance = None
        if progress:
            from .console import Bar

            advance = stack.enter_context(Bar(total)).advance
        for result in results:
            if advance is not None:
                advance(result.count)
            if result.error is not None and errors == "raise":
                result.error.add_note(f"The document is {result.name!r}.")
                raise result.error
            if result.error is not None and errors == "skip":
                message = f"{result.name or 'A document'} was skipped: {type(result.error).__name__}: {result.error}"
                warnings.warn(message, CantleWarning, stacklevel=2)
                continue
            yield result
