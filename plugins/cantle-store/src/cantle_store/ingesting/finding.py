"""Which files there are, and what they are called in a store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path, PurePosixPath

from cantle.commands import is_document
from cantle.errors import DocumentError

__all__ = ["Found", "find_files", "kept_origin", "origin_of"]


def origin_of(directory: str | Path) -> str:
    """What is kept of a directory: a hash of its real path, by which its documents are known again."""
    real = os.path.realpath(directory).encode("utf-8", "surrogatepass")
    return f"dir:{sha256(real).hexdigest()[:32]}"


def _suffix(source: str) -> str:
    return PurePosixPath(source).suffix.lower()


@dataclass
class Found:
    """Files as (path, source, origin), in order; the directories that were walked to their end, and what failed.

    `left_out` are the sources that files would have which no installed plugin reads.
    """

    prefix: str = ""
    files: list[tuple[Path, str, str]] = field(default_factory=list)
    walked: dict[str, Path] = field(default_factory=dict)
    failed: list[tuple[str, Exception]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def is_gone(self, source: str, origin: str) -> bool:
        """Whether a document came from a directory that was walked, and its file is there no more.

        One that is there and was not taken is not gone: a plugin may be missing that read it earlier.
        """
        if origin not in self.walked:
            return False
        if not source.startswith(self.prefix):  # another prefix led to it, so its path is not known
            return _suffix(source) not in self.unread
        return not os.path.isfile(os.path.join(self.walked[origin], source.removeprefix(self.prefix)))

    @cached_property
    def unread(self) -> frozenset[str]:
        """The suffixes of the files that were left out."""
        return frozenset(map(_suffix, self.left_out))


def find_files(paths: Iterable[str | Path], prefix: str = "") -> Found:
    """The files of paths. The source of a file is its path within the directory that was named, or its name.

    Directories are walked in order, without hidden files and files of unknown suffixes. Raises `DocumentError` for a
    path that is not there.
    """
    found = Found(prefix)
    for given in paths:
        path = Path(given)
        if not path.exists():
            raise DocumentError(f"{path} is not there. Name a file or a directory.")
        if not path.is_dir():
            found.files.append((path, prefix + path.name, origin_of(path.parent)))
            continue
        origin, before = origin_of(path), len(found.failed)
        for file, is_read in _walk(path, found):
            source = prefix + file.relative_to(path).as_posix()
            if is_read:
                found.files.append((file, source, origin))
            else:
                found.left_out.append(source)
        if len(found.failed) == before:  # what is in a folder that could not be opened is not gone
            found.walked[origin] = path
    return found


def kept_origin(path: Path, source: str, origin: str, before: str) -> str:
    """The origin of a file: `before`, which is kept of its document, where it came from a folder above by this path."""
    absolute = Path(os.path.abspath(path))
    for folder in absolute.parents:
        if before == origin or not source.endswith(absolute.relative_to(folder).as_posix()):
            break
        if origin_of(folder) == before:
            return before
    return origin


def _walk(directory: Path, found: Found) -> Iterator[tuple[Path, bool]]:
    """The files of a directory, and whether they are read."""
    known: set[str] = set()  # plugins say so by reading a file: once is enough for a suffix

    def failed(error: OSError) -> None:
        found.failed.append((str(error.filename), error))

    for folder, folders, files in os.walk(directory, onerror=failed):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if name.startswith(".") or not file.is_file():
                continue
            suffix = file.suffix.lower()
            is_read = suffix in known or is_document(file)
            if is_read and suffix:
                known.add(suffix)
            yield file, is_read
