"""The one door to Alembic: brings the schema of a database up to this version."""

from __future__ import annotations

from sqlalchemy import Connection

from ..errors import SchemaError

__all__ = ["upgrade"]


def upgrade(connection: Connection) -> None:
    """Make or migrate the tables, in the transaction of this connection. Raises `SchemaError` for a newer schema."""
    from alembic import command
    from alembic.config import Config
    from alembic.runtime.migration import MigrationContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", f"{__package__.partition('.')[0]}:migrations")
    config.attributes["connection"] = connection
    scripts = ScriptDirectory.from_config(config)
    found = MigrationContext.configure(connection).get_current_revision()
    if found == scripts.get_current_head():
        return
    if found is not None and found not in {script.revision for script in scripts.walk_revisions()}:
        raise SchemaError(
            f"The database has the schema {found!r}, which this version of cantle-store does not know. Install the "
            "version that made it, or a newer one."
        )
    command.upgrade(config, "head")
