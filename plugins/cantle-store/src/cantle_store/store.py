"""`Store`, a place to keep chunks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from cantle import Chunk, Chunks
from cantle.access import Roles

from .database.database import Database
from .embedders import Embedder, embedder
from .errors import DimensionError, EmbedderError, NotFoundError, StoreError
from .records import Avatar, Dataset, Deleted, Document, Hit, StoredChunk, Synced
from .searching.asked import Asked
from .searching.roles import keep_roles, kept_roles, roles_of
from .searching.search import search
from .syncing.sync import sync_document
from .syncing.wanted import wanted
from .tables import AvatarRow, ChunkRow, DatasetRow, DocumentRow, HostRow, made_id
from .terms import delete_terms

__all__ = ["Store"]


class Store:
    """Chunks of documents in datasets, in SQLite or Postgres. Everything that it does is bound to its `host`.

    `url` is `sqlite:///FILE`, `sqlite://` (in memory) or `postgresql://USER:PASSWORD@HOST/DATABASE`; a `Path` is a file
    of SQLite. Tables are made or migrated unless `migrate` is false. `embedder` is taken where none is given.
    """

    def __init__(self, url: str | Path, *, host: str = "default", embedder: Any = None, migrate: bool = True) -> None:
        self._open(Database(url, migrate=migrate), host, embedder)

    def _open(self, database: Database, host: str, embedder: Any) -> None:
        if not isinstance(host, str) or not host:
            raise StoreError(f"host must be a string that is not empty, got {host!r}.")
        self.database, self.host, self.embedder = database, host, embedder

    def for_host(self, host: str) -> Store:
        """The same database for another tenant."""
        store = object.__new__(Store)
        store._open(self.database, host, self.embedder)
        return store

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
            rows = connection.execute(
                select(AvatarRow.__table__).where(AvatarRow.host_id == self.host).order_by(AvatarRow.name)
            )
            return [_avatar(row) for row in rows]

    def avatar(self, avatar_id: str) -> Avatar:
        """An avatar of the host by its id. Raises `NotFoundError`."""
        for avatar in self.avatars():
            if avatar.id == avatar_id:
                return avatar
        raise NotFoundError(f"There is no avatar {avatar_id!r}.")

    def main_avatar(self) -> Avatar:
        """The main avatar of the host; it is made when there is none."""
        found = [avatar for avatar in self.avatars() if avatar.main]
        return found[0] if found else self.create_avatar("main", main=True)

    def create_avatar(self, name: str, *, main: bool = False) -> Avatar:
        """Make an avatar."""
        made = made_id("avatar", self.host, name)
        with self.database.write() as connection:
            self._host(connection)
            if main:
                connection.execute(update(AvatarRow).where(AvatarRow.host_id == self.host).values(main=False))
            if connection.execute(select(AvatarRow.id).where(AvatarRow.id == made)).first() is None:
                connection.execute(insert(AvatarRow).values(id=made, host_id=self.host, name=name, main=main))
            elif main:
                connection.execute(update(AvatarRow).where(AvatarRow.id == made).values(main=True))
        return self.avatar(made)

    def _host(self, connection: Connection) -> None:
        if connection.execute(select(HostRow.id).where(HostRow.id == self.host)).first() is None:
            connection.execute(insert(HostRow).values(id=self.host))

    def datasets(self, avatar: Avatar | None = None) -> list[Dataset]:
        """The datasets of the host, or of one avatar, by name."""
        query = (
            select(
                DatasetRow.__table__,
                select(func.count())
                .where(DocumentRow.dataset_id == DatasetRow.id)
                .scalar_subquery()
                .label("documents"),
                select(func.count()).where(ChunkRow.dataset_id == DatasetRow.id).scalar_subquery().label("chunks"),
            )
            .where(DatasetRow.host_id == self.host)
            .order_by(DatasetRow.name, DatasetRow.id)
        )
        if avatar is not None:
            query = query.where(DatasetRow.avatar_id == avatar.id)
        with self.database.read() as connection:
            return [_dataset(row) for row in connection.execute(query)]

    def dataset(self, name: str, *, avatar: Avatar | None = None) -> Dataset:
        """A dataset of the host by its name (of the main avatar, or the one given) or its id. Raises `NotFoundError`."""
        owner = avatar or self.main_avatar()
        for dataset in self.datasets():
            if dataset.id == name or (dataset.name == name and dataset.avatar_id == owner.id):
                return dataset
        raise NotFoundError(f"There is no dataset {name!r}. Known: {', '.join(d.name for d in self.datasets(owner))}.")

    def create_dataset(self, name: str, *, avatar: Avatar | None = None, exist_ok: bool = False) -> Dataset:
        """Make a dataset. Raises `StoreError` where there is one of that name, unless `exist_ok`."""
        owner = avatar or self.main_avatar()
        made = made_id("dataset", owner.id, name)
        with self.database.write() as connection:
            if connection.execute(select(DatasetRow.id).where(DatasetRow.id == made)).first() is None:
                connection.execute(insert(DatasetRow).values(id=made, host_id=self.host, avatar_id=owner.id, name=name))
            elif not exist_ok:
                raise StoreError(f"There is a dataset {name!r} already.")
        return self.dataset(made)

    def sync(
        self,
        dataset: str | Dataset,
        source: str,
        chunks: Chunks | Iterable[Chunk | Mapping[str, Any]],
        embedder: Any = None,
        *,
        metadata: Mapping[str, Any] | None = None,
        origin: str = "",
    ) -> Synced:
        """Bring a document up to its chunks: embeds and writes what changed, deletes what is gone, in one transaction."""
        target = self._dataset(dataset)
        document = wanted(source, chunks, metadata)
        maker = self._embedder(embedder, required=False)
        embed = None
        if maker is not None:

            def embed(texts: Sequence[str]) -> Sequence[Sequence[float]]:
                vectors = [[float(number) for number in vector] for vector in maker.embed(texts)]
                self._check(target, maker, vectors)
                return vectors

        outcome = sync_document(self.database, self.host, target.id, document, embed, origin)
        return Synced(
            self.dataset(target.id), source, outcome.new, outcome.changed, outcome.kept, outcome.gone, outcome.embedded,
            outcome.chunk_ids,
        )  # fmt: skip

    def _dataset(self, dataset: str | Dataset) -> Dataset:
        if isinstance(dataset, Dataset):
            return self.dataset(dataset.id)
        try:
            return self.dataset(dataset)
        except NotFoundError:
            return self.create_dataset(dataset, exist_ok=True)

    def _embedder(self, given: Any, *, required: bool) -> Embedder | None:
        value = self.embedder if given is None else given
        if value is None:
            if required:
                raise EmbedderError("A search by vector needs an embedder, or the vector itself.")
            return None
        return embedder(value)

    def _check(self, dataset: Dataset, maker: Embedder, vectors: list[list[float]]) -> None:
        for vector in vectors:
            if dataset.dimension is not None and len(vector) != dataset.dimension:
                raise DimensionError(
                    f"{maker.name} gives vectors of {len(vector)} numbers, the dataset {dataset.name!r} has "
                    f"{dataset.dimension}."
                )
        if dataset.dimension is None and vectors:
            with self.database.write() as connection:
                connection.execute(
                    update(DatasetRow)
                    .where(DatasetRow.id == dataset.id, DatasetRow.dimension.is_(None))
                    .values(dimension=len(vectors[0]), embedder=maker.name)
                )

    def delete(self, source: str, *, dataset: str | Dataset | None = None) -> Deleted:
        """Erase every trace of a document, in one dataset or in all of the host."""
        query = select(DocumentRow.id).where(DocumentRow.host_id == self.host, DocumentRow.source == source)
        if dataset is not None:
            query = query.where(DocumentRow.dataset_id == self._dataset(dataset).id)
        with self.database.write() as connection:
            documents = list(connection.execute(query).scalars())
            pks = list(connection.execute(select(ChunkRow.pk).where(ChunkRow.document_id.in_(documents))).scalars())
            delete_terms(connection, pks)
            connection.execute(DocumentRow.__table__.delete().where(DocumentRow.id.in_(documents)))
        return Deleted(len(documents), len(pks))

    def documents(self, dataset: str | Dataset) -> list[Document]:
        """The documents of a dataset, by source."""
        target = self._dataset(dataset)
        count = select(func.count()).where(ChunkRow.document_id == DocumentRow.id).scalar_subquery().label("chunks")
        query = (
            select(DocumentRow.__table__, count).where(DocumentRow.dataset_id == target.id).order_by(DocumentRow.source)
        )
        with self.database.read() as connection:
            return [
                Document(
                    r.id, r.dataset_id, r.source, r.metadata, r.origin, r.config_hash, r.chunks, r.created, r.updated
                )
                for r in connection.execute(query)
            ]

    def chunks(self, dataset: str | Dataset, source: str | None = None) -> Iterator[StoredChunk]:
        """The chunks of a dataset, or of one of its documents, by source and index."""
        target = self._dataset(dataset)
        query = select(ChunkRow.__table__).where(ChunkRow.dataset_id == target.id)
        if source is not None:
            query = query.where(ChunkRow.source == source)
        with self.database.read() as connection:
            rows = connection.execute(query.order_by(ChunkRow.source, ChunkRow.index)).all()
        yield from (_chunk(row) for row in rows)

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
        return [Hit(_chunk(row), ranked.score, ranked.ranks) for row, ranked in found]

    def set_roles(self, rules: str | Path | Mapping[str, Any] | None) -> None:
        """Say which documents each role of the host may see: by a file of roles, or a mapping for `cantle.access.Roles`.

        They take the place of those before; None leaves none. Raises `OptionError` for whatever could be a mistake.
        """
        roles = roles_of(rules)
        with self.database.write() as connection:
            self._host(connection)
            keep_roles(connection, self.host, roles)

    def roles(self) -> Roles:
        """The roles of the host with their rules, by name."""
        with self.database.read() as connection:
            return kept_roles(connection, self.host)


def _avatar(row: Any) -> Avatar:
    return Avatar(row.id, row.name, row.main, row.created, row.updated)


def _dataset(row: Any) -> Dataset:
    return Dataset(
        row.id,
        row.avatar_id,
        row.name,
        row.embedder,
        row.dimension,
        row.documents,
        row.chunks,
        row.created,
        row.updated,
    )


def _chunk(row: Any) -> StoredChunk:
    spans = None if row.spans is None else tuple((start, end) for start, end in row.spans)
    return StoredChunk(
        row.id, row.key, row.dataset_id, row.document_id, row.source, row.index, row.text, row.content, row.prefix,
        row.start, row.end, spans, row.overlap, tuple(row.path), row.hash, row.embed_hash, row.config_hash,
        row.metadata, row.embedding, row.created, row.updated,
    )  # fmt: skip
