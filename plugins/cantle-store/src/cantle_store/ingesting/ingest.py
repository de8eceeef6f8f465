"""Ingest: brings a dataset up to the files of directories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantle import MDocument
from cantle.errors import CantleError, OptionError, UnknownLengthError, UnknownStrategyError

from ..embedders import Embedder, embedder
from ..errors import DimensionError, EmbedderError, NotFoundError, StoreError
from ..records import Avatar, Dataset
from ..syncing.deleting import delete_source
from ..syncing.difference import difference, vectors_there
from ..syncing.sync import sync_document
from ..syncing.wanted import wanted
from .finding import Found, find_files
from .ingested import Ingested

if TYPE_CHECKING:
    from ..store import Store

__all__ = ["ingest"]

_FAILURES = 3
"""So many failures of the embedder, one after another, are no fault of the documents."""


def ingest(
    store: Store,
    dataset: str | Dataset,
    paths: str | Path | Iterable[str | Path],
    *,
    strategy: str | None = None,
    options: Mapping[str, Any] | None = None,
    read: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    embedder: Any = None,
    avatar: str | Avatar | None = None,
    source_prefix: str = "",
    keep_gone: bool = False,
    allow_empty: bool = False,
    dry_run: bool = False,
    then: Callable[[int, int], Any] | None = None,
) -> Ingested:
    """Cut the files of paths and bring the dataset up to them; what did not change is not written, nor embedded again.

    `paths` are files and directories (walked; hidden files and unknown suffixes are left out). A document is called by
    its path within the directory that was named, with `/`, behind the `source_prefix`; a file that was named itself by
    its name. Documents that came from one of these directories earlier and are there no more are deleted, unless
    `keep_gone`; so where nothing is found at all, `allow_empty` must say that this is meant.

    `strategy` and `options` are those of `MDocument.chunk`, `read` those of `MDocument.from_file`; `metadata` are added
    to those of each document. `embedder` is one of the store otherwise, or none. `then(done, total)` is called after
    each document, `dry_run` writes nothing and asks no embedder.

    A document that cannot be read, cut or embedded is in `failed`, and what is kept of it stays, as what is in a
    directory that cannot be opened; so does one whose source came from elsewhere, which is never overwritten. Whatever
    was done before an interruption is kept. Raises `DocumentError` for a path that is not there, `OptionError` for
    wrong options, `StoreError` where everything would be deleted.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise OptionError("No paths are given. Name files or directories.")
    found = find_files(given, source_prefix)
    run = _Run(store, dataset, avatar, embedder, dry_run)
    known = run.known()
    gone = [] if keep_gone else _gone(found, known)
    if not found.files and gone and not allow_empty:
        raise StoreError(
            f"No document was found, and {len(gone)} that came from there would be deleted. Is the path right? "
            "allow_empty=True (--allow-empty) says that it is meant, keep_gone=True (--keep-gone) keeps them."
        )
    run.outcome.failed += found.failed
    seen: dict[str, str] = {}
    try:
        for done, (path, source, origin) in enumerate(found.files, 1):
            with run.keeping_on(source):
                _check_origin(source, origin, known, seen)
                document = MDocument.from_file(path, source=source, metadata=metadata, **(read or {}))
                run.sync(source, document.chunk(strategy, **(options or {})), origin)
            if then is not None:
                then(done, len(found.files))
        for source, chunks in gone:
            run.delete(source, chunks)
    finally:
        run.end()
    return run.outcome


def _gone(found: Found, known: Mapping[str, tuple[str, int]]) -> list[tuple[str, int]]:
    here = {(source, origin) for _, source, origin in found.files}
    return [
        (source, chunks)
        for source, (origin, chunks) in known.items()
        if origin in found.walked and (source, origin) not in here
    ]


def _check_origin(source: str, origin: str, known: Mapping[str, tuple[str, int]], seen: dict[str, str]) -> None:
    before = seen.get(source) or known.get(source, (origin, 0))[0]
    if before != origin:
        raise StoreError(
            f"The dataset has a document {source!r} that came from elsewhere, which is not overwritten. Give "
            "--source-prefix (source_prefix=...) or another dataset, or delete that one first (cantle forget)."
        )
    if source in seen:
        raise StoreError(f"There are two documents {source!r} in what was named. The second is left out.")
    seen[source] = origin


class _Run:
    """One ingest into one dataset."""

    def __init__(
        self, store: Store, dataset: str | Dataset, avatar: str | Avatar | None, given: Any, dry_run: bool
    ) -> None:
        self.store, self.dry_run = store, dry_run
        chosen = store.embedder if given is None else given
        self.maker: Embedder | None = None if chosen is None else embedder(chosen)
        self.target: Dataset | None = None
        try:
            self.target = store.dataset(dataset, avatar=avatar)
        except NotFoundError:
            if not isinstance(dataset, str):
                raise
            if not dry_run:
                self.target = store.create_dataset(dataset, avatar=avatar, exist_ok=True)
        name = dataset.name if isinstance(dataset, Dataset) else dataset
        self.outcome = Ingested(self.target.name if self.target else name, dry_run=dry_run)
        self._embedded: set[str] = set()
        self._sources: frozenset[str] = frozenset()
        self._failures = 0  # of the embedder, one after another

    @contextmanager
    def keeping_on(self, source: str) -> Iterator[None]:
        """Note what goes wrong with a document, and go on; but not with wrong options, nor without an embedder."""
        try:
            yield
            self._failures = 0
        except (OptionError, UnknownStrategyError, UnknownLengthError):
            raise
        except (EmbedderError, DimensionError) as error:
            self._failures += 1
            if self._failures == _FAILURES:
                raise
            self.outcome.failed.append((source, error))
        except (CantleError, OSError, ValueError, RecursionError) as error:
            self.outcome.failed.append((source, error))

    def known(self) -> dict[str, tuple[str, int]]:
        """Source -> origin and number of chunks of the documents that are there."""
        if self.target is None:
            return {}
        found = {one.source: (one.origin, one.chunks) for one in self.store.documents(self.target)}
        self._sources = frozenset(found)
        return found

    def sync(self, source: str, chunks: Any, origin: str) -> None:
        if self.dry_run:
            self._compare(source, chunks, origin)
            return
        assert self.target is not None
        was = source in self._sources
        # Not by Store.sync, which counts what is in the dataset after each document.
        done = sync_document(
            self.store.database, self.store.host, self.target.id, wanted(source, chunks), self.maker, origin
        )
        self._count(was, done.wrote, done.new, done.changed, done.kept, done.gone)
        self.outcome.embedded += done.embedded

    def _count(self, was: bool, wrote: bool, *chunks: int) -> None:
        self.outcome.documents.add(not was, was and wrote, was and not wrote, 0)
        self.outcome.chunks.add(*chunks)

    def _compare(self, source: str, chunks: Any, origin: str) -> None:
        document = wanted(source, chunks)
        dataset_id = "" if self.target is None else self.target.id
        with self.store.database.read() as connection:
            found = difference(connection, dataset_id, document, origin, with_vectors=self.maker is not None)
            missing = found.vectorless if self.maker is not None else {}
            there = vectors_there(connection, dataset_id, missing, only_hashes=True)
        self._embedded |= missing.keys() - there.keys()
        self.outcome.embedded = len(self._embedded)
        self._count(not found.is_new, not found.is_none, len(found.new), found.changed, found.kept, len(found.gone))

    def delete(self, source: str, chunks: int) -> None:
        if not self.dry_run:
            assert self.target is not None
            chunks = delete_source(self.store.database, self.store.host, source, self.target.id).chunks
        self.outcome.documents.gone += 1
        self.outcome.chunks.gone += chunks

    def end(self) -> None:
        """Wipe what went from the disk, once for all documents; in SQLite also what an earlier run could not wipe."""
        if self.dry_run:
            return
        went = self.outcome.documents.changed or self.outcome.documents.gone
        if went or not self.store.database.is_postgres:
            self.store.wipe()
