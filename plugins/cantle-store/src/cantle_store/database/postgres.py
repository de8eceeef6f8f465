"""The one door to psycopg and pgvector."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.exc import DBAPIError

from ..errors import StoreError
from .urls import Place

__all__ = ["connect", "needs_vector", "vacuum"]

_LOCK = 0x63616E74  # the name of an advisory lock: letters of "cantle"

_SAMPLED = text(
    """
    SELECT a.attname, format_type(a.atttypid, a.atttypmod)
    FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_stats s ON s.schemaname = n.nspname AND s.tablename = c.relname AND s.attname = a.attname
    WHERE a.attrelid = to_regclass(:table) AND format_type(a.atttypid, a.atttypmod) IN ('text', 'tsvector')
    AND a.attname NOT LIKE '%id'
    """
)
"""Columns of texts of which samples are kept. ANALYZE leaves those of an empty table; a new type, if only the same one
again, takes them away."""


def connect(place: Place) -> Engine:
    """An engine for Postgres through psycopg. Raises `StoreError` where the driver is not installed."""
    try:
        import pgvector  # noqa: F401
        import psycopg  # noqa: F401
    except ImportError as error:
        raise StoreError(
            f"Postgres needs {error.name}, which is not installed. Install cantle-store with its extra: "
            "pip install 'cantle-store[postgres]'."
        ) from None
    assert place.url is not None
    # Threads beyond the pool wait for a connection: a server has few of them.
    return create_engine(place.url, pool_pre_ping=True, pool_size=5, max_overflow=10, pool_timeout=60)


def needs_vector(connection: Connection, place: Place) -> None:
    """Make the extension `vector` where it is missing, one process at a time until the transaction ends."""
    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    if connection.execute(text("SELECT 1 FROM pg_extension WHERE extname = 'vector'")).first():
        return
    try:
        connection.execute(text("CREATE EXTENSION vector"))
    except DBAPIError as error:
        known = "0A000", "58P01"  # there is no such extension on the server
        if getattr(error.orig, "sqlstate", "") in known:
            what = "Install pgvector on the server (https://github.com/pgvector/pgvector)"
        else:
            what = "Have a superuser run CREATE EXTENSION vector; in this database"
        said = " ".join(str(error.orig).split("\n")[0].split())
        raise StoreError(f"{place.shown} lacks the extension pgvector ({said}). {what}, then try again.") from None


def vacuum(engine: Engine, tables: Sequence[str], *, full: bool) -> None:
    """Have the server forget the rows that were deleted, and what its planner keeps of them (`pg_stats`).

    `full` writes the tables anew, and locks them meanwhile.
    """
    options = "FULL, ANALYZE" if full else "ANALYZE, INDEX_CLEANUP ON"
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in tables:
            connection.execute(text(f"VACUUM ({options}) {table}"))
            if connection.execute(text(f"SELECT NOT EXISTS (SELECT FROM {table})")).scalar_one():
                for column, kind in connection.execute(_SAMPLED, {"table": table}).all():
                    connection.execute(text(f'ALTER TABLE {table} ALTER COLUMN "{column}" TYPE {kind}'))
