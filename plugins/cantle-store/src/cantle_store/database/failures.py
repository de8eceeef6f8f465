"""What a database says when it fails, as errors of ours: what happened, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import (
    DBAPIError,
    DisconnectionError,
    InterfaceError,
    InternalError,
    OperationalError,
    SQLAlchemyError,
)
from sqlalchemy.exc import TimeoutError as PoolTimeout

from ..errors import StoreError, UnavailableError
from .urls import Place

__all__ = ["explained", "failing"]

_SQLITE = {
    "database is locked": "others were writing all the time. Try again, or write less at once",
    "readonly database": "it can only be read: the file, or its directory, may not be written to (or the URL says "
    "mode=ro)",
    "unable to open database file": "the file cannot be opened. Look whether it is there and whether you may read it",
    "file is not a database": "this is no file of SQLite. Name another file",
    "database or disk is full": "the disk is full. Nothing was written; make room and try again",
    "disk i/o error": "the disk fails, or has no room. Nothing was written",
    "malformed": "the file is damaged. Take a backup, or make the store anew from the documents",
    "string or blob too big": "a text is longer than SQLite takes (1 GB)",
}

_POSTGRES = {
    "28P01": "user or password is wrong",
    "28000": "this user may not log in. Look at the name, and at pg_hba.conf of the server",
    "3D000": "there is no such database. Make it with createdb",
    "3F000": "there is no such schema. Make it with CREATE SCHEMA, or change the search_path",
    "42501": "this user may not do that. Give it the rights on the database and its schema",
    "25006": "the server can only be read: it is a replica, or set to read-only. Name the one that writes",
    "53100": "the disk of the server is full. Nothing was written; make room and try again",
    "53200": "the server has no memory left. Nothing was written; try again",
    "53300": "the server has no free connection. Close some, or raise max_connections",
    "57P01": "the server was shut down. Nothing was written; try again",
    "57P03": "the server is starting or stopping. Try again",
    "55P03": "others held what was to be written. Try again",
    "57014": "it took longer than the server allows. Nothing was written",
    "54000": "a text is longer than Postgres takes",
}
_OUTSIDE = (OperationalError, InterfaceError, InternalError, DisconnectionError)
"""What is no fault of the statement: no server, a lock, a full disk."""

_UNREACHED = "the server cannot be reached. Look at host and port, and whether it runs"


def explained(error: SQLAlchemyError, place: Place) -> StoreError:
    """The error of a database or of its driver as one of ours. It shows neither SQL, nor texts, nor the password."""
    original = error.orig if isinstance(error, DBAPIError) else error
    # Of Postgres the message alone: details and hints show values.
    said = " ".join((getattr(getattr(original, "diag", None), "message_primary", None) or str(original)).split())
    for secret in place.secrets:
        said = said.replace(secret, "***")
    if isinstance(error, PoolTimeout):
        return UnavailableError(f"{place.shown}: all connections were in use for too long. Use fewer threads at once.")
    if place.url is None:
        known = next((what for sign, what in _SQLITE.items() if sign in said.lower()), None)
    else:
        state = getattr(original, "sqlstate", None)
        known = _POSTGRES.get(state or "") or _of_connection(state, said)
    said = said.rstrip(".")
    kind = UnavailableError if isinstance(error, _OUTSIDE) else StoreError
    return kind(f"{place.shown}: {known} ({said})." if known else f"{place.shown}: {said}.")


def _of_connection(state: str | None, said: str) -> str | None:
    """libpq gives no code for what went wrong before there was a connection."""
    if state is not None and not state.startswith("08"):
        return None
    lower = said.lower()
    if "password authentication failed" in lower or "no password supplied" in lower:
        return _POSTGRES["28P01"]
    if "does not exist" in lower and "database" in lower:
        return _POSTGRES["3D000"]
    if "pg_hba" in lower or ("role" in lower and "does not exist" in lower):
        return _POSTGRES["28000"]
    return _UNREACHED


@contextmanager
def failing(place: Place) -> Iterator[None]:
    """What databases raise in here becomes a `StoreError`."""
    try:
        yield
    except SQLAlchemyError as error:
        raise explained(error, place) from None
