"""The one door to SQLite and sqlite-vec."""

from __future__ import annotations

import os
import sqlite3
import time
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool, StaticPool

from .urls import Place
from .vectors import cosine_distance

__all__ = ["connect", "use_log"]

WAIT = 60.0
"""Seconds that a writer waits for those of other processes."""


def connect(place: Place, *, create: bool) -> Engine:
    """An engine whose connections know `vec_distance_cosine`: of sqlite-vec where it can be loaded, else by numpy."""
    module = _module()
    mode = _mode(place, create)

    def opened() -> Any:
        name = ":memory:" if place.file is None else f"{place.file.as_uri()}?{mode}"
        connection = module.connect(name, uri=True, timeout=WAIT, check_same_thread=False, isolation_level=None)
        try:
            _prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine(
        "sqlite://",
        module=module,
        creator=opened,
        poolclass=StaticPool if place.file is None else QueuePool,
        **({} if place.file is None else {"pool_size": 5, "max_overflow": 60, "pool_timeout": WAIT}),
    )

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        # Said by us, since the driver would begin too late; a writer says so at once, or it might have read what
        # another one changes before it writes.
        options = connection.get_execution_options()
        if not options.get("without_transaction"):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("writing") else "BEGIN")

    return engine


def _mode(place: Place, create: bool) -> str:
    query = dict(place.query or {})
    if place.file is not None and "mode" not in query:
        query["mode"] = "rwc" if create else "rw"
        if place.file.exists() and not os.access(place.file, os.W_OK):
            query["mode"] = "ro"
    if query.get("mode") == "ro" and place.file is not None and "immutable" not in query:
        # Reading a file in WAL mode writes beside it, which may be forbidden: nobody else writes there then.
        beside = place.file.with_name(f"{place.file.name}-wal")
        if not os.access(place.file.parent, os.W_OK) and not beside.exists():
            query["immutable"] = "1"
    return "&".join(f"{name}={value}" for name, value in query.items())


def use_log(engine: Engine, place: Place) -> None:
    """Have SQLite write to a log (WAL), so that readers and writers do not wait for each other. The file remembers."""
    if "mode=ro" in _mode(place, create=True):
        return
    with engine.connect().execution_options(without_transaction=True) as connection:
        if connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() != "wal":
            _patiently(connection, "PRAGMA journal_mode = WAL")


def _prepare(connection: Any) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    if not _load_extension(connection):
        connection.create_function("vec_distance_cosine", 2, cosine_distance, deterministic=True)


def _patiently(connection: Connection, statement: str) -> None:
    """SQLite does not wait for others when the journal's mode is changed."""
    end = time.monotonic() + WAIT
    while True:
        try:
            connection.exec_driver_sql(statement)
        except DBAPIError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def _module() -> Any:
    """The SQLite driver: Python's own where it can load extensions, else pysqlite3 where it is installed."""
    if hasattr(sqlite3.Connection, "enable_load_extension"):
        return sqlite3
    try:
        import pysqlite3
    except ImportError:
        return sqlite3
    return pysqlite3


def _load_extension(connection: Any) -> bool:
    if not hasattr(connection, "enable_load_extension"):
        return False
    import sqlite_vec

    connection.enable_load_extension(True)
    sqlite_vec.load(connection)
    connection.enable_load_extension(False)
    return True
