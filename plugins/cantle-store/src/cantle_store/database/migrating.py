"""The one door to Alembic: brings the schema of a database up to this version."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, column, inspect, select, table

from ..errors import SchemaError
from ..tables import Base
from .urls import Place

__all__ = ["SCHEMA", "VERSION_TABLE", "is_current", "upgrade"]

SCHEMA = "0001"
"""The version of the schema that this code works with: the last of the migrations."""

VERSION_TABLE = "cantle_store_version"
"""Where the schema's version is kept: a table of ours, since others use Alembic in the same database."""


def is_current(connection: Connection, place: Place) -> bool:
    """Whether the tables are those of this version; False when there are none, or older ones.

    Raises `SchemaError` for those of a newer version, and where others have tables with our names.
    """
    tables = set(inspect(connection).get_table_names())
    if VERSION_TABLE in tables:
        versions: Any = select(column("version_num")).select_from(table(VERSION_TABLE))
        found = [str(version) for version in connection.execute(versions).scalars()]
        if found == [SCHEMA]:  # and Alembic need not be loaded
            return True
        known = {script.revision for script in _scripts().walk_revisions()}
        if found and not known.issuperset(found):
            raise SchemaError(
                f"{place.shown} has the schema {found[0]!r}, which this version of cantle-store does not know. Install "
                "the version that made it, or a newer one."
            )
        return False
    clash = sorted(tables & {*Base.metadata.tables, "chunk_terms"})
    if clash:
        raise SchemaError(
            f"{place.shown} has a table {clash[0]!r} already, which is not ours. Give the store a database of its own, "
            "or in Postgres a schema (add ?options=-csearch_path%3DSCHEMA,public to the URL)."
        )
    return False


def upgrade(connection: Connection, place: Place) -> None:
    """Make or migrate the tables, in the transaction of this connection. Raises `SchemaError` as `is_current` does."""
    if is_current(connection, place):
        return
    from alembic import command

    config = _config()
    config.attributes["connection"] = connection
    config.attributes["version_table"] = VERSION_TABLE
    command.upgrade(config, SCHEMA)


def _config() -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", f"{__package__.partition('.')[0]}:migrations")
    config.set_main_option("path_separator", "os")
    return config


def _scripts() -> Any:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config())
