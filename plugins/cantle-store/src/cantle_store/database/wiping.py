"""What was deleted, wiped from the disk too.

SQLite keeps deleted bytes: in its log until that is written back, in the segments of FTS5 until these are merged, and,
`secure_delete` or not, in the gaps of pages between which rows were moved. So the index of words is merged, the file
written anew, and the log emptied. The header of the file counts what was deleted since (`user_version`): a crash before
the end leaves the count, and the next one who deletes or wipes does it.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

from . import postgres
from .database import Database

__all__ = ["mark", "wipe"]

_TABLES = ("chunk_terms", "chunk_labels", "chunks", "document_labels", "documents", "datasets")


def mark(connection: Connection) -> None:
    """Note, in the transaction that deletes, that there is something to wipe."""
    if connection.dialect.name == "sqlite":
        count = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        connection.exec_driver_sql(f"PRAGMA user_version = {count % 1_000_000_000 + 1}")


def wipe(database: Database, *, full: bool = False) -> bool:
    """Wipe what was deleted; whether nothing of it is left. Takes time in proportion to the store.

    In Postgres, rows are freed by VACUUM; with `full` the tables are written anew, so that their files have no trace.
    """
    if database.is_postgres:
        with database.failing():
            postgres.vacuum(database.engine, _TABLES, full=full)
        return True
    return _wipe_sqlite(database)


def _wipe_sqlite(database: Database) -> bool:
    in_memory = database.place.file is None
    with database.read() as connection:
        count = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    if not count:
        return True
    with database.write() as connection:
        connection.execute(text("INSERT INTO chunk_terms (chunk_terms) VALUES ('optimize')"))
    if not in_memory:
        options = {"without_transaction": True}  # in which neither can be done
        with database.turn(), database.failing(), database.engine.connect().execution_options(**options) as connection:
            connection.exec_driver_sql("VACUUM")
            is_busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()[0]
        if is_busy:  # somebody has been reading for a minute: the log cannot be emptied
            return False
    with database.write() as connection:
        if connection.exec_driver_sql("PRAGMA user_version").scalar_one() == count:
            connection.exec_driver_sql("PRAGMA user_version = 0")
    return True
