"""Ingest: brings a dataset up to the files of directories."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantle import MDocument
from cantle.errors import CantleError, OptionError, UnknownLengthError, UnknownStrategyError

from ..embedders import Embedder, embedder
from ..errors import DimensionError, EmbedderError, NotFoundError, StoreError
from ..records import Avatar, Dataset, Document
from ..syncing.deleting import delete_source
from ..syncing.difference import difference, vectors_there
from ..syncing.embedding import check_embedder
from ..syncing.sync import first_vectors, sync_document
from ..syncing.wanted import WantedDocument, wanted
from ..tables import encoded
from ..tenants import checked_name
from .finding import Found, find_files, kept_origin
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

    `paths` are files and directories (walked; hidden files are left out, and in `left_out` are those that nothing
    installed reads). A document is called by
    its path within the directory that was named, with `/`, behind the `source_prefix`; a file that was named itself by
    its name. Documents that came from one of these directories earlier, and whose files are there no more, are deleted,
    unless `keep_gone`; so where nothing is found at all, `allow_empty` must say that this is meant.

    `strategy` and `options` are those of `MDocument.chunk`, `read` those of `MDocument.from_file`; `metadata` go before
    what each document says itself (`replaced` tells where that changes it). `embedder` is one of the store otherwise,
    or none. `then(done, total)` is called after each document, `dry_run` writes nothing and asks no embedder.

    A document that cannot be read, cut or embedded is in `failed`, and what is kept of it stays, as what is in a
    directory that cannot be opened; so does one whose source came from elsewhere, which is never overwritten. Whatever
    was done before an interruption is kept. The dataset is made with the first document that is written. Raises
    `DocumentError` for a path that is not there, `OptionError` for wrong options, `StoreError` where everything would
    be deleted, `EmbedderError` and `DimensionError` where no document could be embedded: by another embedder than
    that of the dataset, or one that cannot be asked (`is_fatal`), or fails three times in turn.
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise OptionError("No paths are given. Name files or directories.")
    of_all = MDocument.from_text("", metadata=metadata).metadata
    found = find_files(given, source_prefix)
    run = _Run(store, dataset, avatar, embedder, dry_run)
    known = run.known()
    gone = [] if keep_gone else _gone(found, known)
    if not found.files and gone and not allow_empty:
        raise StoreError(
            f"No document was found, and {len(gone)} that came from there would be deleted. Is the path right? "
            "allow_empty=True says that it is meant, keep_gone=True keeps them."
        )
    run.outcome.failed += found.failed
    run.outcome.left_out = found.left_out
    seen: dict[str, str] = {}
    try:
        for done, (path, source, origin) in enumerate(found.files, 1):
            with run.keeping_on(source):
                before = known[source].origin if source in known else origin
                origin = kept_origin(path, source, origin, before)
                _check_origin(source, origin, before, seen)
                document = run.with_metadata(MDocument.from_file(path, source=source, **(read or {})), of_all)
                run.sync(source, document.chunk(strategy, **(options or {})), origin)
            if then is not None:
                then(done, len(found.files))
        for source, chunks in gone:
            run.delete(source, chunks)
    finally:
        run.end()
    return run.outcome


def _gone(found: Found, known: Mapping[str, Document]) -> list[tuple[str, int]]:
    here = {source for _, source, _ in found.files}
    return [
        (source, document.chunks)
        for source, document in known.items()
        if source not in here and found.is_gone(source, document.origin)
    ]


def _check_origin(source: str, origin: str, before: str, seen: dict[str, str]) -> None:
    if seen.get(source, before) != origin:
        raise StoreError(
            f"The dataset has a document {source!r} that came from elsewhere, which is not overwritten. Give "
            "source_prefix='NAME/' or another dataset, or delete that one first (`cantle forget`)."
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
        self._avatar = avatar
        try:
            self.target = store.dataset(dataset, avatar=avatar)
        except NotFoundError:
            if not isinstance(dataset, str):
                raise
            checked_name(dataset, "a dataset")
        if self.target is not None:
            check_embedder(self.target, self.maker)
        self.name = dataset.name if isinstance(dataset, Dataset) else dataset
        self.outcome = Ingested(self.target.name if self.target else self.name, dry_run=dry_run)
        self._embedded: set[str] = set()
        self._known: dict[str, Document] = {}
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
            if self._failures == _FAILURES or getattr(error, "is_fatal", False):
                raise
            self.outcome.failed.append((source, error))
        except (CantleError, OSError, ValueError, RecursionError) as error:
            self.outcome.failed.append((source, error))

    def known(self) -> dict[str, Document]:
        """The documents that are there, by their sources."""
        if self.target is not None:
            self._known = {one.source: one for one in self.store.documents(self.target)}
        return self._known

    def with_metadata(self, document: MDocument, given: Mapping[str, Any]) -> MDocument:
        """The document with the metadata that are given for all; what it says itself is replaced, and told."""
        for key, value in given.items():
            if key in document.metadata and encoded(document.metadata[key]) != encoded(value):
                self.outcome.replaced.setdefault(key, []).append(document.source)
        return replace(document, metadata={**document.metadata, **deepcopy(dict(given))}) if given else document

    def sync(self, source: str, chunks: Any, origin: str) -> None:
        document = wanted(source, chunks)
        before = self._known.get(source)
        recut = before is not None and before.config_hash != document.config_hash
        if self.dry_run:
            self._compare(document, origin)
            self.outcome.recut += recut
            return
        vectors: dict[str, bytes] = {}
        if self.target is None:  # made with its first document: an embedder that fails leaves none behind
            vectors = first_vectors(document, self.maker)
            self.target = self.store.create_dataset(self.name, avatar=self._avatar, exist_ok=True)
        # Not by Store.sync, which counts what is in the dataset after each document.
        done = sync_document(
            self.store.database, self.store.host, self.target.id, document, self.maker, origin, vectors
        )
        self._count(before is not None, done.wrote, done.new, done.changed, done.kept, done.gone)
        self.outcome.embedded += done.embedded
        self.outcome.recut += recut

    def _count(self, was: bool, wrote: bool, *chunks: int) -> None:
        self.outcome.documents.add(not was, was and wrote, was and not wrote, 0)
        self.outcome.chunks.add(*chunks)

    def _compare(self, document: WantedDocument, origin: str) -> None:
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
