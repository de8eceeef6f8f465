"""Whether something answers at the address of a cluster: engines themselves try for many minutes."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

from ..errors import DatasetError

__all__ = ["check"]

SECONDS = 10


def check(address: str, what: str, schemes: tuple[str, ...], port: int | None = None) -> None:
    """Raise `DatasetError` where nobody listens at HOST:PORT, or SCHEME://HOST:PORT; say nothing of other addresses."""
    scheme, _, rest = address.rpartition("://")
    if scheme not in schemes or "," in rest:
        return
    try:
        found = urlsplit(f"//{rest}")
        host, place = found.hostname, found.port or port
    except ValueError:  # the engine says what is wrong with it
        return
    if not host or place is None:
        return
    try:
        socket.create_connection((host, place), SECONDS).close()
    except OSError as error:
        raise DatasetError(f"There is no {what} at {address!r}: {error}. Check --address, and that it runs.") from error
