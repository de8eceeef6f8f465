"""A database and its transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from threading import Lock

from sqlalchemy import Connection, Engine

from ..errors import ClosedError, NoTablesError
from . import migrating, postgres, sqlite
from .failures import failing
from .urls import place

__all__ = ["Database"]


class Database:
    """One engine. Reading and writing are transactions; SQLite has one writer at a time, Postgres many.

    Raises `StoreError` for whatever the database refuses, and `SchemaError` for tables that are not ours.
    """

    def __init__(self, url: str | Path, *, migrate: bool = True) -> None:
        self.place = place(url)
        self.engine: Engine
        if self.place.url is not None:
            self.engine = postgres.connect(self.place)
        else:
            self.engine = sqlite.connect(self.place, create=migrate)
        self._turn = Lock()
        self._closed = False
        try:
            self._bring_up(migrate)
        except BaseException:
            self.close()
            raise

    def _bring_up(self, migrate: bool) -> None:
        with self.read() as connection:
            is_current = migrating.is_current(connection, self.place)
        if migrate and self.place.file is not None:  # not before it is known to be ours, or nobody's
            with self.failing():
                sqlite.use_log(self.engine, self.place)
        if is_current:
            return
        if not migrate:
            raise NoTablesError(
                f"{self.place.shown} has no tables of a store, or older ones, and migrate is False. Open it once with "
                "migrate=True to make them."
            )
        with self.write() as connection:
            if self.is_postgres:
                postgres.needs_vector(connection, self.place)
            migrating.upgrade(connection, self.place)

    @property
    def is_postgres(self) -> bool:
        """Whether it is Postgres, else SQLite."""
        return self.place.url is not None

    def failing(self) -> AbstractContextManager[None]:
        """What the database raises in here becomes a `StoreError`."""
        return failing(self.place)

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Writers of this process take turns in SQLite, which would have them look again and again."""
        if self.is_postgres:
            yield
        else:
            with self._turn:
                yield

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state. It must not be kept open while others get their turn (`yield`)."""
        self._check_open()
        if self.is_postgres:
            options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
            with self.failing(), self.engine.connect().execution_options(**options) as connection, connection.begin():
                yield connection
        elif self.place.file is None:  # one connection is all that there is
            with self._turn, self.failing(), self.engine.connect() as connection, connection.begin():
                yield connection
        else:
            with self.failing(), self.engine.connect() as connection, connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may write; all of it is kept, or nothing."""
        self._check_open()
        with (
            self.turn(),
            self.failing(),
            self.engine.connect().execution_options(writing=True) as connection,
            connection.begin(),
        ):
            yield connection

    def _check_open(self) -> None:
        if self._closed:
            raise ClosedError(f"The store {self.place.shown} is closed. Open it again: Store(...).")

    def close(self) -> None:
        """Close all connections. Twice is once."""
        self._closed = True
        self.engine.dispose()
