"""The one door to SQLite and sqlite-vec."""

from __future__ import annotations

import sqlite3
from typing import Any

from sqlalchemy import Engine, create_engine, event
from sqlalchemy.pool import QueuePool, StaticPool

from .vectors import cosine_distance

__all__ = ["connect", "in_memory"]

WAIT = 60.0
"""Seconds that a writer waits for another."""


def in_memory(url: str) -> bool:
    """Whether the database lives in memory alone."""
    return url in ("sqlite://", "sqlite:///", "sqlite:///:memory:")


def connect(url: str) -> Engine:
    """An engine whose connections know `vec_distance_cosine`: of sqlite-vec where it can be loaded, else by numpy."""
    module = _module()
    engine = create_engine(
        url,
        module=module,
        poolclass=StaticPool if in_memory(url) else QueuePool,
        connect_args={"check_same_thread": False, "timeout": WAIT},
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # we say BEGIN ourselves: the driver would begin reading too late
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        if not _load_extension(connection):
            connection.create_function("vec_distance_cosine", 2, cosine_distance, deterministic=True)

    @event.listens_for(engine, "begin")
    def begin(connection: Any) -> None:
        writing = connection.get_execution_options().get("writing")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writing else "BEGIN")

    return engine


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
