"""What names a database, read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ..errors import StoreError

__all__ = ["Place", "masked", "place"]

_FORMS = "'sqlite:///FILE', 'sqlite://' (in memory), 'postgresql://USER:PASSWORD@HOST/DATABASE', or a Path"
_POSTGRES = ("postgres", "postgresql", "postgresql+psycopg")
_SQLITE = ("sqlite", "sqlite+pysqlite")
_READABLE = re.compile(r"([^@/?#]*@)?[^@]*")  # user and password, then no other @
_MODES = ("ro", "rw", "rwc")
_SECRETS = ("password", "sslpassword")  # parameters of libpq


@dataclass(frozen=True)
class Place:
    """Where a database is. `shown` names it in messages and has no password; `secrets` are passwords.

    `file` and `query` are those of an SQLite file; both are empty for one in memory. `url` is that of Postgres.
    """

    shown: str
    file: Path | None = None
    query: Mapping[str, str] | None = None
    url: URL | None = None
    secrets: tuple[str, ...] = ()


def place(given: Any) -> Place:
    """The database that a URL or a path names. Raises `StoreError` for what names none; no password is shown then."""
    if isinstance(given, Path):
        return _file(given, {})
    if not isinstance(given, str):
        raise StoreError(f"A store is named by {_FORMS}, got {given!r}.")
    scheme, separator, _ = given.partition("://")
    if not separator:
        shown = masked(given)
        raise StoreError(f"A store is named by {_FORMS}. {shown!r} is no URL{_hint(shown)}.")
    if scheme not in _POSTGRES + _SQLITE:
        raise StoreError(f"A store is in 'sqlite' or 'postgresql', got {scheme!r}. Name it by {_FORMS}.")
    try:
        if scheme in _POSTGRES and not _READABLE.fullmatch(given.partition("://")[2]):
            raise ValueError("a sign of the password would be read as an end of it")
        url = make_url(given)
    except (ArgumentError, ValueError):  # their messages show the password
        raise StoreError(
            f"The URL of the store ({scheme}://...) cannot be read. Write {_FORMS}; in user and password, the signs "
            "@ : / ? # % are written as %40 %3A %2F %3F %23 %25."
        ) from None
    return _sqlite(url) if scheme in _SQLITE else _postgres(url)


def masked(given: str) -> str:
    """What was given as the name of a store, without what could be a password."""
    return re.sub("(?s):[^:].*@", ":***@", given)


def _hint(given: str) -> str:
    return f"; for a file write 'sqlite:///{given}'" if given and not given.startswith("sqlite") else ""


def _sqlite(url: URL) -> Place:
    if url.host or url.username or url.password or url.port:
        raise StoreError(
            f"An SQLite file has no host: write three slashes for a relative path ('sqlite:///{url.host or 'FILE'}'), "
            "four for an absolute one ('sqlite:////var/lib/chunks.db')."
        )
    if not url.database or url.database == ":memory:":
        if url.query:
            raise StoreError("A store in memory ('sqlite://') takes no parameters.")
        return Place("sqlite://")
    query = {name: value if isinstance(value, str) else value[-1] for name, value in url.query.items()}
    unknown = set(query) - {"mode", "immutable"}
    if unknown:
        raise StoreError(f"An SQLite file takes the parameters mode and immutable, got {min(unknown)!r}.")
    if query.get("mode", "rw") not in _MODES or query.get("immutable", "1") not in ("0", "1"):
        raise StoreError(
            f"mode is one of {', '.join(_MODES)} (read, write, write and create) and immutable 0 or 1, got "
            f"{', '.join(f'{name}={value!r}' for name, value in query.items())}."
        )
    return _file(Path(url.database), query)


def _file(given: Path, query: Mapping[str, str]) -> Place:
    if "\0" in str(given):
        raise StoreError(f"The name of a file has no NUL, got {str(given)!r}.")
    try:
        path = given.expanduser().absolute()  # a later change of directory makes no difference
    except RuntimeError as error:
        raise StoreError(f"{str(given)!r}: {error}") from None
    if path.is_dir():
        raise StoreError(f"{path} is a directory. Name a file in it, such as {path / 'chunks.db'}.")
    if not path.parent.is_dir():
        raise StoreError(f"{path.parent} is no directory, so {path.name} cannot be there. Make the directory first.")
    return Place(str(path), path, query)


def _postgres(url: URL) -> Place:
    hidden = {name: "***" for name in url.query if name in _SECRETS}
    values = [url.password, *(url.query[name] for name in hidden)]
    secrets = [one for value in values for one in ([value] if isinstance(value, str) else value or ())]
    shown = url.set(drivername="postgresql").update_query_dict(hidden).render_as_string(hide_password=True)
    return Place(
        shown.replace("=%2A%2A%2A", "=***"),
        url=url.set(drivername="postgresql+psycopg"),
        secrets=tuple(filter(None, secrets)),
    )
