"""Which files there are, and what they are called in a store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from cantle.commands import is_document
from cantle.errors import DocumentError

__all__ = ["Found", "find_files", "origin_of"]


def origin_of(directory: str | Path) -> str:
    """What is kept of a directory: a hash of its real path, by which its documents are known again."""
    real = os.path.realpath(directory).encode("utf-8", "surrogatepass")
    return f"dir:{sha256(real).hexdigest()[:32]}"


@dataclass
class Found:
    """Files as (path, source, origin), in order; the directories that were walked to their end, and what failed."""

    files: list[tuple[Path, str, str]] = field(default_factory=list)
    walked: list[str] = field(default_factory=list)
    failed: list[tuple[str, Exception]] = field(default_factory=list)


def find_files(paths: Iterable[str | Path], prefix: str = "") -> Found:
    """The files of paths. The source of a file is its path within the directory that was named, or its name.

    Directories are walked in order, without hidden files and files of unknown suffixes. Raises `DocumentError` for a
    path that is not there.
    """
    found = Found()
    for given in paths:
        path = Path(given)
        if not path.exists():
            raise DocumentError(f"{path} is not there. Name a file or a directory.")
        if not path.is_dir():
            found.files.append((path, prefix + path.name, origin_of(path.parent)))
            continue
        origin, before = origin_of(path), len(found.failed)
        found.files += [(file, prefix + file.relative_to(path).as_posix(), origin) for file in _walk(path, found)]
        if len(found.failed) == before:  # what is in a folder that could not be opened is not gone
            found.walked.append(origin)
    return found


def _walk(directory: Path, found: Found) -> Iterator[Path]:
    def failed(error: OSError) -> None:
        found.failed.append((str(error.filename), error))

    for folder, folders, files in os.walk(directory, onerror=failed):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if file.is_file() and is_document(file):
                yield file
