"""ZIP archives, looked over before anything is unpacked: DOCX, EPUB and such. Nothing is written to disk."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from zipfile import BadZipFile, LargeZipFile, ZipFile, ZipInfo

from cantle.errors import DocumentError

from ..limits import Limits, too_large

__all__ = ["MOST_RATIO", "opened", "peeked", "read_entry"]

MOST_RATIO = 300
"""How many times its packed size an archive may hold; what office programs write stays below 100."""

_SMALL = 20_000_000
"""Bytes that any archive may hold, whatever the ratio: short files may be very regular."""

_END = b"PK\x05\x06"
_ENTRY = b"PK\x01\x02"
_END_SIZE = 22
_LOCAL_SIZE = 30
_ENCRYPTED = 0x1

_FAULTS = (BadZipFile, LargeZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
"""What zipfile raises for archives that are broken or that it cannot read."""


@contextmanager
def opened(data: bytes, name: str, limits: Limits) -> Iterator[ZipFile]:
    """The archive that the bytes hold; read it with `read_entry`. `name` is what messages call the file.

    Raises `DocumentError` for what is no archive, is encrypted, has entries that overlap or whose names lead out of the
    archive, or holds more than the limits allow.
    """
    file = io.BytesIO(data)
    _check_count(file, name, limits)
    try:
        archive = ZipFile(file)
    except _FAULTS as error:
        raise DocumentError(f"{name} is a damaged ZIP archive ({_plain(error)}). Get the file once more.") from None
    with archive:
        archive.filename = name
        _check(archive.infolist(), name, len(data), limits)
        yield archive


def read_entry(archive: ZipFile, entry_name: str) -> bytes:
    """The bytes of an entry of an archive that `opened` gave, never more than it declares.

    Raises `DocumentError` where there is none of this name, and where it is damaged.
    """
    name = archive.filename
    try:
        info = archive.getinfo(entry_name)
        with archive.open(info) as file:
            data = file.read(info.file_size)
            file.read(1)  # behind the end the checksum is compared
    except KeyError:
        raise DocumentError(f"{name} lacks {entry_name!r}, which it needs to be read: it is damaged.") from None
    except _FAULTS as error:
        raise DocumentError(
            f"{entry_name!r} in {name} is damaged ({_plain(error)}). Get the file once more, or open it with the "
            "program that made it and save it again."
        ) from None
    if len(data) != info.file_size:
        raise DocumentError(f"{entry_name!r} in {name} is shorter than the archive says: it was cut off.")
    return data


@contextmanager
def peeked(data: bytes | Path) -> Iterator[ZipFile | None]:
    """The archive of a file of which only the type is looked for; None where it is none, or a strange one."""
    with io.BytesIO(data) if isinstance(data, bytes) else data.open("rb") as file:
        archive = None
        try:
            _check_count(file, "", Limits())
            archive = ZipFile(file)
        except (DocumentError, *_FAULTS):
            yield None
        else:
            with archive:
                archive.filename = "the archive"
                yield archive


def _check_count(file: BinaryIO, name: str, limits: Limits) -> None:
    """Count entries before zipfile makes an object of each; it goes by the size of the directory, not by a count."""
    file.seek(0, io.SEEK_END)
    size = file.tell()
    file.seek(max(0, size - _END_SIZE - 0xFFFF))
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise DocumentError(f"{name} is no ZIP archive that can be read: its end is missing. Get the file once more.")
    end = size - len(tail) + at
    (length,) = struct.unpack_from("<L", tail, at + 12)
    start = max(0, end - length) if length != 0xFFFFFFFF else 0
    count = 0
    file.seek(start)
    while (block := file.read(1 << 20)) and count <= limits.max_entries:
        count += block.count(_ENTRY)
    file.seek(0)
    if count > limits.max_entries:
        raise too_large(name, "files in it", None, limits.max_entries, "max_entries")


def _check(entries: list[ZipInfo], name: str, size: int, limits: Limits) -> None:
    unpacked = 0
    for entry in entries:
        if entry.flag_bits & _ENCRYPTED:
            raise DocumentError(f"{name} is encrypted ({entry.filename!r} in it is). Save it without a password.")
        parts = entry.filename.replace("\\", "/").split("/")
        if ".." in parts or not parts[0] or (len(parts[0]) == 2 and parts[0][1] == ":"):
            raise DocumentError(
                f"{name} holds an entry whose name leads out of the archive, {entry.filename!r}: no office program "
                "writes such. If you trust the file, open it with the program that made it and save it again."
            )
        unpacked += entry.file_size
    if unpacked > limits.max_unpacked:
        raise too_large(name, "bytes in it once unpacked", unpacked, limits.max_unpacked, "max_unpacked")
    if unpacked > max(_SMALL, MOST_RATIO * size):
        raise DocumentError(
            f"{name} unpacks from {size:,} to {unpacked:,} bytes, more than {MOST_RATIO} times its size: that is how "
            "archives are made that are meant to fill up memory. If you trust the file, save it again with the program "
            "that made it."
        )
    end = 0
    for entry in sorted(entries, key=lambda one: one.header_offset):
        if entry.header_offset < end:
            raise DocumentError(
                f"{name} has entries that lie over one another ({entry.filename!r} in it does): that is how archives "
                "are made that are meant to fill up memory."
            )
        end = entry.header_offset + _LOCAL_SIZE + entry.compress_size


def _plain(error: BaseException) -> str:
    return str(error).rstrip(".") or type(error).__name__
