"""The one door to Alembic: brings the schema of a database up to this version."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, inspect

from ..errors import SchemaError
from ..tables import Base
from .urls import Place

__all__ = ["VERSION_TABLE", "is_current", "upgrade"]

VERSION_TABLE = "cantle_store_version"
"""Where the schema's version is kept: a table of ours, since others use Alembic in the same database."""


def is_current(connection: Connection, place: Place) -> bool:
    """Whether the tables are those of this version; False when there are none, or older ones.

    Raises `SchemaError` for those of a newer version, and where others have tables with our names.
    """
    _, scripts, found = _state(connection)
    if found == scripts.get_current_head():
        return True
    if found is None:
        clash = sorted(set(inspect(connection).get_table_names()) & {*Base.metadata.tables, "chunk_terms"})
        if clash:
            raise SchemaError(
                f"{place.shown} has a table {clash[0]!r} already, which is not ours. Give the store a database of its "
                "own, or in Postgres a schema (add ?options=-csearch_path%3DSCHEMA,public to the URL)."
            )
    elif found not in {script.revision for script in scripts.walk_revisions()}:
        raise SchemaError(
            f"{place.shown} has the schema {found!r}, which this version of cantle-store does not know. Install the "
            "version that made it, or a newer one."
        )
    return False


def upgrade(connection: Connection, place: Place) -> None:
    """Make or migrate the tables, in the transaction of this connection. Raises `SchemaError` as `is_current` does."""
    if is_current(connection, place):
        return
    from alembic import command

    config, _, _ = _state(connection)
    command.upgrade(config, "head")


def _state(connection: Connection) -> tuple[Any, Any, str | None]:
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", f"{__package__.partition('.')[0]}:migrations")
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    return config, ScriptDirectory.from_config(config), context.get_current_revision()
