"""What Alembic runs: the migrations on the connection that it is handed. No logging, no output."""

from __future__ import annotations

from alembic import context

from cantle_store.tables import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    transactional_ddl=True,
    version_table=context.config.attributes["version_table"],
)
context.run_migrations()
