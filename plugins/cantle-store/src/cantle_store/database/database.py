"""A database and its transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import RLock

from sqlalchemy import Connection, Engine, text

from ..errors import StoreError
from . import migrating, postgres, sqlite

__all__ = ["Database"]

_MIGRATION = 0x63616E74  # the name of an advisory lock: letters of "cantle"


class Database:
    """One engine. Reading and writing are transactions; SQLite has one writer at a time, Postgres many."""

    def __init__(self, url: str | Path, *, migrate: bool = True) -> None:
        self.url = _url(url)
        self.engine = _engine(self.url)
        # One connection in memory is all that there is: transactions of several threads take turns.
        self._turn = RLock() if sqlite.in_memory(self.url) else nullcontext()
        if migrate:
            with self.write() as connection:
                if self.is_postgres:
                    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION})
                    connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
                migrating.upgrade(connection)

    @property
    def is_postgres(self) -> bool:
        """Whether it is Postgres, else SQLite."""
        return self.engine.dialect.name == "postgresql"

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that sees one state."""
        with self._turn, self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that may write; all of it is kept, or nothing."""
        with self._turn, self.engine.connect().execution_options(writing=True) as connection, connection.begin():
            yield connection

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _url(url: str | Path) -> str:
    if isinstance(url, Path):
        return f"sqlite:///{url.as_posix()}"
    if not isinstance(url, str) or "://" not in url:
        raise StoreError(
            f"A store is named by 'sqlite:///FILE' or 'postgresql://USER:PASSWORD@HOST/DATABASE', got {url!r}."
        )
    return url


def _engine(url: str) -> Engine:
    scheme = url.partition("://")[0]
    if scheme == "sqlite":
        return sqlite.connect(url)
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return postgres.connect(url)
    raise StoreError(f"A store is in 'sqlite' or 'postgresql', got {scheme!r}.")
