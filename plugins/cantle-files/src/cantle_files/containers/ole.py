"""The package olefile: the container of old Microsoft Office files and of encrypted new ones. Its only door."""

from __future__ import annotations

import io
from pathlib import Path

__all__ = ["MAGIC", "stream", "streams"]

MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What such a file begins with."""


def streams(data: bytes | Path) -> frozenset[str]:
    """The names at the top of the container; none where it is damaged."""
    from olefile import OleFileIO

    try:
        with OleFileIO(io.BytesIO(data) if isinstance(data, bytes) else str(data)) as container:
            return frozenset(path[0] for path in container.listdir(streams=True, storages=True) if path)
    except Exception:  # olefile raises whatever comes up in a damaged file
        return frozenset()


def stream(data: bytes, *names: str) -> bytes | None:
    """The bytes of the first of these streams that is there; None where none is, or the container is damaged."""
    from olefile import OleFileIO

    try:
        with OleFileIO(io.BytesIO(data)) as container:
            for name in names:
                if container.exists(name):
                    return bytes(container.openstream(name).read())
    except Exception:  # olefile raises whatever comes up in a damaged file
        return None
    return None
