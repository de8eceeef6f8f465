"""${message}"""

from __future__ import annotations

${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the schema up to this revision."""
    ${upgrades if upgrades else "pass"}
