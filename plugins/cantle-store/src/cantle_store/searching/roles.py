"""The roles of a host, kept in the database."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from cantle.access import Roles, read_roles

from ..tables import RoleRow, made_id

__all__ = ["keep_roles", "kept_roles", "roles_of"]


def roles_of(given: str | Path | Mapping[str, Any] | None) -> Roles:
    """Roles from a file, a mapping, or none at all. Raises `OptionError` for what is no roles."""
    if given is None:
        return Roles({})
    return read_roles(given) if isinstance(given, str | Path) else Roles.of(given)


def keep_roles(connection: Connection, host: str, roles: Roles) -> None:
    """Put these roles in the place of those of the host, whose row must be there."""
    held = {row.name: row.rules for row in connection.execute(select(RoleRow.name, RoleRow.rules).where(_of(host)))}
    wanted = roles.to_dict()
    if held == wanted:
        return
    connection.execute(delete(RoleRow).where(_of(host)))
    if wanted:
        rows = [
            {"id": made_id("role", host, name), "host_id": host, "name": name, "rules": rules}
            for name, rules in wanted.items()
        ]
        connection.execute(insert(RoleRow), rows)


def kept_roles(connection: Connection, host: str) -> Roles:
    """The roles of the host, by name."""
    rows = connection.execute(select(RoleRow.name, RoleRow.rules).where(_of(host)).order_by(RoleRow.name)).all()
    return Roles.of({row.name: row.rules for row in rows}) if rows else Roles({})


def _of(host: str) -> Any:
    return RoleRow.host_id == host
