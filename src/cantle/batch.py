"""`chunk_many`: many documents, one after another or in several processes."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sized
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

from . import checks
from .chunks import Chunks
from .document import DEFAULT_STRATEGY, MDocument
from .errors import CantleWarning, OptionError
from .plugins import Registry, host_of
from .strategy import Strategy, describe, meant
from .task import Result, Task, its_files, name_of

__all__ = ["Result", "chunk_many", "name_of"]


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
    timeout: float | None = None,
    start_method: str | None = None,
    **options: Any,
) -> Generator[Result]:
    """Cut many documents; an iterator of one `Result` each.

    `documents` holds documents and paths of files (a `str` is a path), and may be a generator: it
    is read no further ahead than the workers need. `strategy`, `extract`, `plugins` and the options
    are those of `MDocument.chunk`; `read` holds arguments for `MDocument.from_file`: `kind`,
    `metadata`, `encoding`, `front_matter`.

    With `workers` above 1, documents are cut in as many processes, with the same results. Then the
    strategy and its options must pickle: functions and classes at the top level of a module, no
    lambdas. Scripts that start workers need `if __name__ == "__main__":` on macOS and Windows.
    `start_method` is `fork`, `spawn` or `forkserver`, by default that of `multiprocessing`.

    A document that takes longer than `timeout` seconds is given up with a `DocumentTimeoutError`, whatever it is busy
    with: documents are cut in a process then, with `workers=1` too. A worker that dies (out of memory, for instance) is
    reported with a `WorkerWarning`, and the few documents that were sent to it together are cut once more; the document
    that another worker dies of again gets a `WorkerError`. `errors` says what becomes of such documents, as of others.

    `then` is called with the chunks of each document where they are made, in a worker perhaps; only
    its answer comes back, as `Result.value`. Writing JSON or embedding is best done there; after an accident it may be
    called again for the same document, but only one answer comes back. `sha256=True` has the bytes
    of each file hashed where it is read, for `Result.sha256`.

    `ordered=False` gives results as they come. `progress=True` draws a bar on standard error where
    that is a terminal: documents, chunks, characters, and megabytes a second.
    `errors` says what to do when a document cannot be read or cut: `raise` its exception, `collect`
    it in `Result.error`, or `skip` the document with a `CantleWarning`. What is wrong with the
    options is raised at once, before any document is read: `OptionError`, `UnknownStrategyError`,
    `ExtractionError` for a field that nobody provides.
    """
    checks.choice("errors", errors, ("raise", "collect", "skip"))
    checks.processes(workers, timeout, start_method)
    if isinstance(documents, str | bytes | MDocument | Path):
        if isinstance(documents, str | Path) and os.path.isdir(documents):
            raise OptionError(f"documents must be several documents or paths, got the directory {its_files(documents)}")
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
    results: Iterator[Result]
    if workers > 1 or timeout is not None:
        from .parcels import Cutting, run
        from .pools import Pool

        results = run(documents, Pool(Cutting(task), workers, start_method=start_method, timeout=timeout), ordered)
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


def _reading(read: Mapping[str, Any]) -> dict[str, Any]:
    known = ("kind", "metadata", "encoding", "front_matter")
    for name in read:
        checks.choice("a name in read", name, known)
    return dict(read)


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
                advance(result.count, characters=result.characters, size=result.bytes)
            if result.error is not None and errors == "raise":
                result.error.add_note(f"The document is {result.name!r}.")
                raise result.error
            if result.error is not None and errors == "skip":
                message = f"{result.name or 'A document'} was skipped: {type(result.error).__name__}: {result.error}"
                warnings.warn(message, CantleWarning, stacklevel=2)
                continue
            yield result
