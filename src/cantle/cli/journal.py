"""The journal of a run that can be resumed: which documents are done, and where what was made of them is.

A file of JSON Lines that only grows. The first line holds the configuration of the run. Every other line is a document
that is done: its source, the SHA-256 of its bytes, where in the partial file its output is, and how many chunks it has.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from .group import Failure

__all__ = ["Done", "Entries", "Journal", "checksum", "opened_for_both", "sync_directory", "write_all"]

_HEAD = "cantle chunk"
_FORM = 1


class Done(NamedTuple):
    """One document that is done. `at` and `size` are bytes of the partial file, `crc` is `checksum`."""

    source: str
    sha256: str
    at: int
    size: int
    chunks: int
    crc: int


class Entries:
    """Many of them, in the order in which they were done; those of earlier runs are found by their source."""

    def __init__(self) -> None:
        self._number: dict[bytes, int] = {}  # of the latest one of a source
        self._digests = bytearray()
        self.at, self.size, self.chunks, self.crc = (array("q") for _ in range(4))

    def __len__(self) -> int:
        return len(self.at)

    @property
    def end(self) -> int:
        """Where the last one ends."""
        return self.at[-1] + self.size[-1] if self.at else 0

    def add(self, done: Done, *, before: bool = False) -> int:
        """Append one; its number. Only those of `before` are found again, and take some 200 bytes each for that."""
        number = len(self.at)
        if before:
            self._number[_key(done.source)] = number
            self._digests += bytes.fromhex(done.sha256) if done.sha256 else bytes(32)
        self.at.append(done.at)
        self.size.append(done.size)
        self.chunks.append(done.chunks)
        self.crc.append(done.crc)
        return number

    def knows(self, source: str) -> bool:
        """Whether there is a document of that name."""
        return _key(source) in self._number

    def find(self, source: str, sha256: str) -> int | None:
        """The number of the latest document of that name, if it had these bytes."""
        number = self._number.get(_key(source))
        if number is None or self._digests[32 * number : 32 * number + 32].hex() != sha256:
            return None
        return number


def _key(source: str) -> bytes:
    return hashlib.blake2b(source.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def checksum(source: str, sha256: str, data: bytes, before: int | None = None) -> int:
    """CRC-32 of what belongs together; `before` is that of the data which stands in front, if some does."""
    if before is None:
        before = zlib.crc32(f"{source}\0{sha256}\0".encode("utf-8", "surrogatepass"))
    return zlib.crc32(data, before)


class Journal:
    """An open journal, locked: no other process has it meanwhile. The system lets go of it when ours ends, however."""

    def __init__(self, path: Path, mode: int) -> None:
        self.path = path
        while True:
            self._file = opened_for_both(path, mode)
            try:
                _lock(self._file.fileno(), path)
                if _is_at(path, self._file.fileno()):
                    return
            except BaseException:
                self._file.close()
                raise
            self._file.close()  # it was removed by the run that had it before

    def read(self) -> tuple[dict[str, Any] | None, Iterator[Done]]:
        """The configuration, None where none was written, and the documents, as far as they are whole."""
        reader = self._reader()
        line = reader.readline()
        config = _configuration(line)
        if config is None and not _is_torn_head(line):
            raise Failure(
                f"{self.path} is no journal of `cantle chunk --resume`. Rename it, or give -o another name.", 2
            )
        return config, _documents(reader)

    def _reader(self) -> BinaryIO:
        self._file.seek(0)
        return open(self._file.fileno(), "rb", closefd=False)  # closing it would unlock the file

    def begin(self, config: Mapping[str, Any]) -> None:
        """Empty it and write the configuration."""
        self._file.truncate(0)
        self._file.seek(0)
        self._write({_HEAD: _FORM, **config})
        self.sync()
        sync_directory(self.path.parent)

    def shorten(self, entries: int) -> None:
        """Keep the first line and so many documents."""
        reader = self._reader()
        end = sum(len(reader.readline()) for _ in range(entries + 1))
        self._file.truncate(end)
        self._file.seek(end)

    def add(self, done: Done) -> None:
        """Append a document."""
        self._write(done._asdict())

    def _write(self, line: dict[str, Any]) -> None:
        write_all(self._file, json.dumps(line, separators=(",", ":")).encode("ascii") + b"\n")

    def sync(self) -> None:
        """Have everything on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of it."""
        self._file.close()

    def remove(self) -> None:
        """Remove the file, and let go of it."""
        if os.name != "nt":  # while it is locked: it must not be another run's by now
            self.path.unlink(missing_ok=True)
        self.close()
        if os.name == "nt":  # an open file cannot be removed there, neither by us nor by others
            with suppress(OSError):
                self.path.unlink(missing_ok=True)


def opened_for_both(path: Path, mode: int) -> io.FileIO:
    """A file for reading and writing, made with that mode if it is not there. No link is followed."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
    return io.FileIO(os.open(path, flags, mode), "r+")


def write_all(file: io.FileIO, data: bytes) -> None:
    """Write everything: a single call may write a part."""
    view = memoryview(data)
    while view:
        view = view[file.write(view) :]


def sync_directory(path: Path) -> None:
    """Have the names in a directory on the disk, where the system can."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _configuration(line: bytes) -> dict[str, Any] | None:
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not line.endswith(b"\n") or not isinstance(head, dict) or head.pop(_HEAD, None) != _FORM:
        return None
    return head


def _is_torn_head(line: bytes) -> bool:
    begin = f'{{"{_HEAD}":'.encode("ascii")
    return not line.strip(b"\0") or (not line.endswith(b"\n") and (line + begin[len(line) :]).startswith(begin))


def _documents(lines: Iterable[bytes]) -> Iterator[Done]:
    for line in lines:
        done = _document(line)
        if done is None:  # torn: the machine stopped while it was written
            return
        yield done


def _document(line: bytes) -> Done | None:
    try:
        done = Done(**json.loads(line))
        bytes.fromhex(done.sha256)
    except (TypeError, ValueError, RecursionError):
        return None
    numbers = (done.at, done.size, done.chunks, done.crc)
    whole = isinstance(done.source, str) and all(isinstance(n, int) and 0 <= n < 1 << 62 for n in numbers)
    return done if whole and len(done.sha256) in (0, 64) and line.endswith(b"\n") else None


def _is_at(path: Path, handle: int) -> bool:
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except FileNotFoundError:
        return False


def _lock(handle: int, path: Path) -> None:
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, 1 << 40, os.SEEK_SET)  # where nothing is: others may read what is there
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            # Not flock: workers would have that one too, and might outlive us for a moment.
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EACCES, errno.EAGAIN, errno.EDEADLK):
            raise Failure(
                f"Another run is at work on {path.name.removesuffix('.journal')}. Wait for it or end it; "
                "or give -o another name.",
                2,
            ) from None
        raise Failure(
            f"{path} cannot be locked ({error.strerror}), so two runs could spoil each other's work. "
            "Put -o on another file system, or leave --resume out.",
            2,
        ) from None
