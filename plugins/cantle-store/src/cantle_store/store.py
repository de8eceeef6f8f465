"""`Store`, a place to keep chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from cantle import Chunk, Chunks
from cantle.access import Roles

from . import reading, tenants
from .database.database import Database
from .database.wiping import wipe
from .embedders import Embedder, embedder
from .errors import NoEmbedderError, NotFoundError, StoreError
from .records import Avatar, Dataset, Deleted, Document, Hit, StoredChunk, Synced
from .searching.asked import Asked
from .searching.roles import keep_roles, kept_roles, roles_of
from .searching.search import search
from .syncing.deleting import delete_dataset, delete_source
from .syncing.reembed import reembed
from .syncing.sync import first_vectors, sync_document
from .syncing.wanted import WantedDocument, wanted

__all__ = ["Store"]

_TRIES = 10  # a dataset that others delete again and again


class Store:
    """Chunks of documents in datasets, in SQLite or Postgres. Everything that it does is bound to its `host`.

    `url` is `sqlite:///FILE`, `sqlite://` (in memory) or `postgresql://USER:PASSWORD@HOST/DATABASE`; a `Path` is a file
    of SQLite. Tables are made or migrated unless `migrate` is false. `embedder` is taken where none is given: a
    function from texts to vectors, an object, or a name (see `cantle_store.embedder`).

    A store may be used by many threads, a database by many stores and processes. Whatever belongs to another host is
    not found. Raises `StoreError` for a database that cannot be opened, `SchemaError` for tables that are not ours.
    """

    def __init__(self, url: str | Path, *, host: str = "default", embedder: Any = None, migrate: bool = True) -> None:
        checked = tenants.checked_host(host)
        self._open(Database(url, migrate=migrate), checked, embedder)

    def _open(self, database: Database, host: str, embedder: Any) -> None:
        self.database, self.host, self.embedder = database, host, embedder

    def __repr__(self) -> str:
        return f"Store({self.database.place.shown!r}, host={self.host!r})"

    def for_host(self, host: str) -> Store:
        """The same database for another tenant."""
        store = object.__new__(Store)
        store._open(self.database, tenants.checked_host(host), self.embedder)
        return store

    def hosts(self) -> list[str]:
        """All hosts that the database has anything of, by name. For operators: this one is not bound to the host."""
        with self.database.read() as connection:
            return tenants.hosts(connection)

    def close(self) -> None:
        """Close the connections, of this store and of all that share its database."""
        self.database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def avatars(self) -> list[Avatar]:
        """The avatars of the host, by name."""
        with self.database.read() as connection:
            return tenants.avatars(connection, self.host)

    def avatar(self, avatar_id: str) -> Avatar:
        """An avatar of the host by its id. Raises `NotFoundError`."""
        with self.database.read() as connection:
            return tenants.find_avatar(connection, self.host, avatar_id)

    def main_avatar(self) -> Avatar:
        """The main avatar of the host; it is made when there is none."""
        with self.database.read() as connection:
            found = tenants.main_avatar(connection, self.host)
        if found is not None:
            return found
        with self.database.write() as connection:
            return tenants.make_main_avatar(connection, self.host)

    def create_avatar(self, name: str, *, main: bool = False) -> Avatar:
        """The avatar of this name, made when there is none. With `main` it is the main one from now on."""
        tenants.checked_name(name, "an avatar")
        with self.database.write() as connection:
            return tenants.make_avatar(connection, self.host, name, main=main)

    def datasets(self, avatar: Avatar | str | None = None) -> list[Dataset]:
        """The datasets of the host, or of one avatar, by name. Raises `NotFoundError` for the avatar."""
        with self.database.read() as connection:
            owner = None if avatar is None else tenants.find_avatar(connection, self.host, avatar).id
            return tenants.datasets(connection, self.host, owner)

    def dataset(self, name: str | Dataset, *, avatar: Avatar | str | None = None) -> Dataset:
        """A dataset of the host by its id, or its name (of the main avatar, or the one given).

        Raises `NotFoundError`.
        """
        with self.database.read() as connection:
            return tenants.find_dataset(connection, self.host, name, avatar)

    def create_dataset(self, name: str, *, avatar: Avatar | str | None = None, exist_ok: bool = False) -> Dataset:
        """Make a dataset. Raises `StoreError` where there is one of that name, unless `exist_ok`."""
        tenants.checked_name(name, "a dataset")
        owner = self.main_avatar() if avatar is None else None
        with self.database.write() as connection:
            owner = owner or tenants.find_avatar(connection, self.host, avatar or "")
            made, is_new = tenants.make_dataset(connection, self.host, owner.id, name)
            if not is_new and not exist_ok:
                raise StoreError(f"There is a dataset {name!r} already. Take another name, or say exist_ok=True.")
            return tenants.find_dataset(connection, self.host, made)

    def delete_dataset(self, dataset: str | Dataset) -> Deleted:
        """Delete a dataset with every trace of its documents, as `delete` does. Raises `NotFoundError`."""
        deleted = delete_dataset(self.database, self.host, self._id(dataset))
        return replace(deleted, unwiped=not wipe(self.database))

    def sync(
        self,
        dataset: str | Dataset,
        source: str,
        chunks: Chunks | Iterable[Chunk | Mapping[str, Any]],
        embedder: Any = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        origin: str = "",
        wipe: bool = True,
    ) -> Synced:
        """Bring a document up to its chunks: embeds and writes what changed, deletes what is gone, in one transaction.

        `dataset` is made when a name is given that is not there. `chunks` are what `chunk()` returned, or dictionaries
        as `to_dicts()` makes them. `metadata` is the document's (else that of its source), `origin` says where it is
        from. Texts that the dataset has already, in other documents too, are not embedded again. When nothing changed,
        nothing is written.

        What goes is wiped from the disk (`Store.wipe`). Where many documents are synced, say `wipe=False` and call that
        once at the end. Raises `NotFoundError` for a `Dataset` that is not there, `EmbedderError`, `DimensionError`,
        and `DocumentError` for what is no chunk.
        """
        document = wanted(source, chunks, metadata)
        if not isinstance(origin, str):
            raise StoreError(f"origin must be a text, got {origin!r}.")
        maker = self._embedder(embedder, required=False)
        synced = self._synced(dataset, document, maker, origin)
        if synced.unwiped and wipe:
            return replace(synced, unwiped=not self.wipe())
        return synced

    def _synced(self, dataset: str | Dataset, document: WantedDocument, maker: Embedder | None, origin: str) -> Synced:
        made: dict[str, bytes] = {}
        for left in reversed(range(_TRIES)):
            try:
                target = self._id(dataset)
            except NotFoundError:
                if not isinstance(dataset, str):
                    raise
                tenants.checked_name(dataset, "a dataset")
                made = made or first_vectors(document, maker)  # an embedder that fails leaves no empty dataset
                target = self.create_dataset(dataset, exist_ok=True).id
            try:
                done = sync_document(self.database, self.host, target, document, maker, origin, made)
                found = self.dataset(target)
            except NotFoundError:  # deleted meanwhile
                if not left or isinstance(dataset, Dataset) or dataset == target:
                    raise
                continue
            break
        return Synced(
            found, document.source, done.new, done.changed, done.kept, done.gone, done.embedded, done.chunk_ids,
            done.wrote, done.leaves,
        )  # fmt: skip

    def _id(self, dataset: str | Dataset) -> str:
        """The id of a dataset of the host. Raises `NotFoundError`."""
        with self.database.read() as connection:
            return str(tenants.find_dataset_row(connection, self.host, dataset).id)

    def _embedder(self, given: Any, *, required: bool) -> Embedder | None:
        value = self.embedder if given is None else given
        if value is None:
            if required:
                raise NoEmbedderError("Nothing makes vectors: give an embedder, here or to the store.")
            return None
        return embedder(value)

    def reembed(
        self, dataset: str | Dataset, embedder: Any = None, *, then: Callable[[int, int], Any] | None = None
    ) -> Dataset:
        """Make all vectors of a dataset anew, by another embedder; documents can then be synced with that one.

        The old vectors are there until all new ones are, and are then replaced in one transaction. `then(done, total)`
        is called with the number of texts after each batch. Raises `EmbedderError` and `DimensionError` where the
        embedder fails: then nothing changed.
        """
        target = self._id(dataset)
        maker = self._embedder(embedder, required=True)
        assert maker is not None
        reembed(self.database, self.host, target, maker, then)
        wipe(self.database)
        return self.dataset(target)

    def delete(self, source: str, *, dataset: str | Dataset | None = None) -> Deleted:
        """Erase every trace of a document, in one dataset or in all of the host, from the disk too (see `wipe`).

        One that is not there is no error: nothing is deleted. Raises `NotFoundError` for the dataset.
        """
        if not isinstance(source, str):
            raise StoreError(f"source must be a text, the name of the document, got {source!r}.")
        target = None if dataset is None else self._id(dataset)
        deleted = delete_source(self.database, self.host, source, target)
        if deleted.documents or not self.database.is_postgres:  # what an earlier one could not wipe
            return replace(deleted, unwiped=not wipe(self.database))
        return deleted

    def wipe(self, *, full: bool = False) -> bool:
        """Wipe from the disk what was deleted; `delete`, `delete_dataset`, `reembed` and `sync` do it by themselves.

        SQLite's file is written anew and its log emptied, in time in proportion to its size; False: another process has
        been reading for a minute, so the log still holds it, and it must be called again. In Postgres the tables are
        vacuumed; with `full` they are written anew (`VACUUM FULL`), and nobody can use them meanwhile.
        """
        return wipe(self.database, full=full)

    def documents(self, dataset: str | Dataset) -> list[Document]:
        """The documents of a dataset, by source. Raises `NotFoundError`."""
        with self.database.read() as connection:
            target = tenants.find_dataset_row(connection, self.host, dataset)
            return reading.documents(connection, target.id)

    def chunks(
        self, dataset: str | Dataset, source: str | None = None, *, after: tuple[str, int] | None = None
    ) -> Iterator[StoredChunk]:
        """The chunks of a dataset, or of one of its documents, by source and index, read a few hundred at a time.

        `after` is the source and the index of a chunk: only what follows it is read. Raises `NotFoundError` for the
        dataset, at once.
        """
        return reading.chunks(self.database, self._id(dataset), source, after)

    def search(
        self,
        query: str | None = None,
        *,
        vector: Sequence[float] | None = None,
        dataset: str | Dataset | None = None,
        where: Mapping[str, Any] | None = None,
        roles: Sequence[str] | None = None,
        k: int = 10,
        mode: str = "auto",
        embedder: Any = None,
    ) -> list[Hit]:
        """The `k` best chunks that may be seen, the best first; of the whole host when there is no `dataset`.

        `query` is any text, `vector` its vector, where it is there already. `where` maps keys of the metadata to a
        value or a list of them, as in `cantle.access`, and looks at the chunk's own metadata before its document's.
        `roles`, set by `set_roles`, are those of somebody who sees what any of them sees (no role: nothing); they look
        at the document's metadata alone, and None is a trusted caller. What may not be seen takes no place and changes
        no score.

        `mode`: "text" (BM25), "vector" (cosine), "hybrid" (both, by reciprocal rank fusion), or "auto": hybrid where
        there are an embedder and vectors, else what there is. `Hit.score` is that of the mode, `Hit.ranks` says which
        places a chunk had. Raises `OptionError`, `NotFoundError`, `EmbedderError`, `DimensionError`.
        """
        maker = self._embedder(embedder, required=False) if mode != "text" and vector is None else None
        asked = Asked(query, vector, where, roles, k, mode, maker)
        name = dataset.id if isinstance(dataset, Dataset) else dataset
        found = search(self.database, self.host, name, asked)
        return [Hit(reading.stored_chunk(row), ranked.score, ranked.ranks) for row, ranked in found]

    def set_roles(self, rules: str | Path | Mapping[str, Any] | None) -> None:
        """Say which documents each role of the host may see: by a file, or a mapping for `cantle.access.Roles`.

        They take the place of those before; None leaves none. Raises `OptionError` for whatever could be a mistake.
        """
        roles = roles_of(rules)
        with self.database.write() as connection:
            tenants.lock_host(connection, self.host)
            keep_roles(connection, self.host, roles)

    def roles(self) -> Roles:
        """The roles of the host with their rules, by name."""
        with self.database.read() as connection:
            return kept_roles(connection, self.host)
