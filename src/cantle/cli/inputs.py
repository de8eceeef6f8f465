"""What commands read: files, directories, standard input."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from ..document import MDocument
from ..errors import CantleWarning
from ..files import TEXT_SUFFIXES, assemble, kind_of, media_type
from ..loading import load, text_of
from ..plugins import registry
from ..warn import warn

__all__ = ["document", "find", "is_document", "is_special", "standard_input"]


def find(arguments: Sequence[str]) -> Iterator[str | Path]:
    """The inputs that the arguments stand for, in their order: `-` and paths.

    Files are taken as they are named. Directories are walked, sorted; hidden files and directories
    and files whose suffix neither we nor a plugin know are left out.
    """
    known = set(TEXT_SUFFIXES)
    for argument in arguments:
        path = Path(argument)
        if argument == "-" or not path.is_dir():
            yield argument if argument == "-" else path
            continue
        found = False
        for file in _walk(path):
            if _readable(file, known):
                found = True
                yield file
        if not found:
            hint = "Name files of other types to read them as text."
            click.echo(f"Warning: {argument} holds no document (by suffix). {hint}", err=True)


def _walk(directory: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(directory, onerror=_not_opened):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            file = Path(folder, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _not_opened(error: OSError) -> None:
    warn(f"{error.filename} cannot be opened ({error.strerror}): what is in it is left out.", CantleWarning)


def is_document(path: str | Path) -> bool:
    """Whether `find` takes a file of this name from a directory, going by its suffix. It need not exist."""
    return not Path(path).name.startswith(".") and _readable(Path(path), set(TEXT_SUFFIXES))


def is_special(path: Path) -> bool:
    """Whether a path is a pipe or a device: what was read of it once cannot be read again."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _readable(file: Path, known: set[str]) -> bool:
    """Whether the suffix is known. A plugin is asked once for a suffix: it says so by reading the file."""
    suffix = file.suffix.lower()
    if suffix in known:
        return True
    host = registry()
    if not any("load_document" in plugin.hooks for plugin in host.plugins.values() if not plugin.error):
        return False
    try:
        if host.load_document(file, file.name, media_type(file)) is None:
            return False
    except Exception:  # it knows the suffix but not this file; the error is reported when it is cut
        return True
    known.add(suffix)
    return True


def document(argument: str | Path, read: dict[str, Any], source: str | None = None) -> MDocument:
    """The document that an argument names: a file, or `-` for standard input. `read` is that of `reading`."""
    if argument == "-":
        return standard_input(source or "", read)
    return MDocument.from_file(argument, source=source, **read)


def standard_input(source: str, read: dict[str, Any]) -> MDocument:
    """The document on standard input. `source` names it; its suffix gives the kind when `read` does not."""
    data = sys.stdin.buffer.read()
    kind, encoding = read.get("kind"), read.get("encoding")
    loaded = load(data, source, kind, encoding)  # plugins know files by what is in them, too
    if loaded is not None:
        return MDocument(loaded.text, loaded.kind, loaded.metadata, source or "-", loaded.body)
    name = source or "standard input"
    text = text_of(data, name, kind, encoding)
    kind = kind or kind_of(source)
    return assemble(MDocument, text, kind, {}, source or "-", read.get("front_matter", "read"))
