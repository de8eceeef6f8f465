"""Hosts (tenants), their avatars and their datasets: functions over a connection, every one bound to a host."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Select, func, select, update
from sqlalchemy.dialects import postgresql, sqlite

from .errors import NotFoundError, StoreError
from .records import Avatar, Dataset
from .tables import AvatarRow, DatasetRow, DocumentRow, HostRow, is_id, made_id, now

__all__ = [
    "avatars",
    "checked_host",
    "checked_name",
    "datasets",
    "find_avatar",
    "find_dataset",
    "find_dataset_row",
    "hosts",
    "lock_host",
    "locked_dataset",
    "main_avatar",
    "make_avatar",
    "make_dataset",
    "make_main_avatar",
    "owner_id",
]

MAX_HOST = 255
"""Characters of a host's name: it is in the indexes of the databases. Other names may have any length."""

_KNOWN = 20  # names that an error shows


def checked_host(host: Any) -> str:
    """The host, if it may be one. Raises `StoreError`."""
    if not isinstance(host, str) or not 0 < len(host) <= MAX_HOST:
        shown = repr(host) if not isinstance(host, str) or len(host) <= MAX_HOST else f"{len(host)} characters"
        raise StoreError(f"host must be a text of 1 to {MAX_HOST} characters, got {shown}.")
    return host


def checked_name(name: Any, what: str) -> str:
    """The name of an avatar or a dataset, if it may be one. Raises `StoreError`."""
    if not isinstance(name, str) or not name:
        raise StoreError(f"The name of {what} must be a text that is not empty, got {name!r}.")
    return name


def _insert_new(connection: Connection, table: Any, values: dict[str, Any]) -> bool:
    """Insert a row unless it is there, made by another one meanwhile perhaps; whether it was made."""
    moment = now()
    values = {**values, "created": moment, "updated": moment}
    insert: Any = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    statement = insert(table.__table__).values(values).on_conflict_do_nothing()
    # Asked for what was written: psycopg has no count of rows for such a statement.
    return connection.execute(statement.returning(table.__table__.c.id)).first() is not None


def hosts(connection: Connection) -> list[str]:
    """The hosts of all tenants, by name."""
    return sorted(connection.execute(select(HostRow.id)).scalars())


def avatars(connection: Connection, host: str) -> list[Avatar]:
    """The avatars of the host, by name."""
    rows = connection.execute(select(AvatarRow.__table__).where(AvatarRow.host_id == host))
    return sorted(map(_avatar, rows), key=lambda avatar: avatar.name)


def find_avatar(connection: Connection, host: str, avatar: str | Avatar) -> Avatar:
    """An avatar of the host, by its id. Raises `NotFoundError`, for those of other hosts too."""
    avatar_id = avatar.id if isinstance(avatar, Avatar) else avatar
    found = None
    if is_id(avatar_id):
        mine = AvatarRow.id == avatar_id, AvatarRow.host_id == host
        found = connection.execute(select(AvatarRow.__table__).where(*mine)).first()
    if found is None:
        raise NotFoundError(f"There is no avatar {avatar_id!r}. avatars() lists those that there are.")
    return _avatar(found)


def main_avatar(connection: Connection, host: str) -> Avatar | None:
    """The main avatar of the host, if it has one yet."""
    mine = AvatarRow.host_id == host, AvatarRow.main.is_(True)
    row = connection.execute(select(AvatarRow.__table__).where(*mine)).first()
    return None if row is None else _avatar(row)


def make_main_avatar(connection: Connection, host: str) -> Avatar:
    """The main avatar of the host; it is made when there is none."""
    lock_host(connection, host)
    return main_avatar(connection, host) or _make_avatar(connection, host, "main", main=True)


def make_avatar(connection: Connection, host: str, name: str, *, main: bool) -> Avatar:
    """An avatar of this name; with `main` it is the main one from now on."""
    lock_host(connection, host)
    return _make_avatar(connection, host, name, main=main)


def lock_host(connection: Connection, host: str) -> None:
    """Have a row for the host, which one at a time changes; what only refers to it need not wait."""
    if connection.execute(select(HostRow.id).where(HostRow.id == host)).first() is None:
        _insert_new(connection, HostRow, {"id": host})
    connection.execute(select(HostRow.id).where(HostRow.id == host).with_for_update(key_share=True))


def _make_avatar(connection: Connection, host: str, name: str, *, main: bool) -> Avatar:
    made = made_id("avatar", host, name)
    if main:
        others = AvatarRow.host_id == host, AvatarRow.main.is_(True), AvatarRow.id != made
        connection.execute(update(AvatarRow).where(*others).values(main=False))
    is_new = _insert_new(connection, AvatarRow, {"id": made, "host_id": host, "name": name, "main": main})
    if main and not is_new:
        connection.execute(update(AvatarRow).where(AvatarRow.id == made, AvatarRow.main.is_(False)).values(main=True))
    return find_avatar(connection, host, made)


def datasets(connection: Connection, host: str, avatar_id: str | None = None) -> list[Dataset]:
    """The datasets of the host, or of one avatar, by name."""
    query = _counted(host)
    if avatar_id is not None:
        query = query.where(DatasetRow.avatar_id == avatar_id)
    return sorted(map(_dataset, connection.execute(query)), key=lambda dataset: (dataset.name, dataset.id))


def owner_id(connection: Connection, host: str, avatar: str | Avatar | None) -> str | None:
    """The id of an avatar of the host, of its main one when none is named; None when it has no main one."""
    found = main_avatar(connection, host) if avatar is None else find_avatar(connection, host, avatar)
    return None if found is None else found.id


def find_dataset(
    connection: Connection, host: str, given: str | Dataset, avatar: str | Avatar | None = None
) -> Dataset:
    """A dataset of the host by its id, or its name (of the main avatar, or the one that is given).

    Raises `NotFoundError`, for those of other hosts and other avatars too.
    """
    return _dataset(_find_dataset(connection, host, given, avatar, _counted(host)))


def find_dataset_row(connection: Connection, host: str, given: str | Dataset) -> Any:
    """The row of a dataset, as `find_dataset` finds it: without counts, which take longer the more documents it has."""
    return _find_dataset(connection, host, given, None, select(DatasetRow.__table__).where(DatasetRow.host_id == host))


def _find_dataset(
    connection: Connection, host: str, given: str | Dataset, avatar: str | Avatar | None, query: Select[Any]
) -> Any:
    name = given.id if isinstance(given, Dataset) else given
    owner = None if avatar is None else find_avatar(connection, host, avatar).id
    if isinstance(name, str):
        row = None
        if is_id(name):
            by_id = query.where(DatasetRow.id == name)
            row = connection.execute(by_id if owner is None else by_id.where(DatasetRow.avatar_id == owner)).first()
        owner = owner or owner_id(connection, host, None)
        if row is None and owner is not None and not isinstance(given, Dataset):
            row = connection.execute(query.where(DatasetRow.id == made_id("dataset", owner, name))).first()
        if row is not None:
            return row
    known = ", ".join(repr(one.name) for one in datasets(connection, host, owner)[:_KNOWN]) if owner else ""
    shown = repr(given.name if isinstance(given, Dataset) else given)
    raise NotFoundError(f"There is no dataset {shown}. Known: {known or 'none'}.")


def locked_dataset(connection: Connection, host: str, dataset_id: str, *, missing_ok: bool = False) -> Any:
    """The row of a dataset that this transaction alone may write to, documents and chunks in it too.

    Who writes to several datasets locks them in the order of their ids. Raises `NotFoundError`, unless `missing_ok`.
    """
    mine = DatasetRow.id == dataset_id, DatasetRow.host_id == host
    row = connection.execute(select(DatasetRow.__table__).where(*mine).with_for_update(key_share=True)).first()
    if row is None and not missing_ok:
        raise NotFoundError(f"There is no dataset {dataset_id!r}: it was deleted.")
    return row


def make_dataset(connection: Connection, host: str, avatar_id: str, name: str) -> tuple[str, bool]:
    """The id of the dataset of this name, and whether it was made now."""
    made = made_id("dataset", avatar_id, name)
    values = {"id": made, "host_id": host, "avatar_id": avatar_id, "name": name, "embedder": None, "dimension": None}
    return made, _insert_new(connection, DatasetRow, values)


def _counted(host: str) -> Select[Any]:
    inside = DocumentRow.dataset_id == DatasetRow.id
    return select(
        DatasetRow.__table__,
        select(func.count()).where(inside).scalar_subquery().label("documents"),
        select(func.coalesce(func.sum(DocumentRow.chunks), 0)).where(inside).scalar_subquery().label("chunks"),
    ).where(DatasetRow.host_id == host)


def _avatar(row: Any) -> Avatar:
    return Avatar(row.id, row.name, row.main, row.created, row.updated)


def _dataset(row: Any) -> Dataset:
    return Dataset(
        row.id, row.avatar_id, row.name, row.embedder, row.dimension, row.documents, int(row.chunks), row.created,
        row.updated,
    )  # fmt: skip
