"""Which files an input is, and what they hold."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cantle.commands import find as find_documents
from cantle.errors import OptionError

__all__ = ["FORMATS", "Input", "find"]

FORMATS = ("parquet", "jsonl", "arrow", "documents")

_SUFFIXES = {
    "parquet": (".parquet", ".pq", ".parq"),
    "jsonl": (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"),
    "arrow": (".arrow", ".arrows", ".ipc", ".feather"),
}


@dataclass(frozen=True)
class Input:
    """The files of an input, absolute and in order, and what they are."""

    files: tuple[str, ...]
    format: str
    names: tuple[str, ...] = ()
    """With documents what each is called: its path in the folder, or the name of the one file."""


def find(source: str, format: str | None = None) -> Input:
    """The files of a folder or of one file, sorted by path; hidden ones, and those that begin with `_`, are left out.

    Without a format, it is that of the suffixes: Parquet, JSON Lines, Arrow IPC, and all else documents, as
    `cantle chunk` finds them. Raises `OptionError` where there is nothing, or where a folder holds several formats.
    """
    if "://" in source:
        raise OptionError(
            f"{source} is no path of a file or folder. Mount the storage, or read it with Ray Data, Spark, Dask or "
            "DuckDB in a script, and cut there: chunk_dataset(), chunk_dataframe(), chunk_dask(), chunk_relation()."
        )
    path = Path(source)
    if not path.exists():
        raise OptionError(f"{source} is not there. Give a file, or a folder of Parquet, JSONL, Arrow or documents.")
    if not path.is_dir():
        one = format or _format_of(path.name) or "documents"
        return Input((os.path.abspath(path),), one, (path.name,) if one == "documents" else ())
    if format != "documents":
        tables = [(file, _format_of(file.name)) for file in _walk(path)]
        kinds = sorted({kind for _, kind in tables if kind is not None} if format is None else {format})
        if format is None and len(kinds) + any(kind is None for _, kind in tables) > 1:
            other = next((file for file, kind in tables if kind is None), None)
            also = f"{' and '.join(kinds)} files" + (f" and others, such as {other}" if other else "")
            raise OptionError(
                f"{source} holds {also}. Say by --input-format which are meant: {', '.join([*kinds, 'documents'])}."
            )
        if kinds:
            files = [file for file, kind in tables if kind == kinds[0]]
            if not files:
                raise OptionError(f"{source} holds no {format} file ({', '.join(_SUFFIXES[kinds[0]])}).")
            return Input(tuple(os.path.abspath(file) for file in files), kinds[0])
    documents = [Path(file) for file in find_documents([source])]
    if not documents:
        raise OptionError(f"{source} holds no file that can be read: no Parquet, JSONL or Arrow file, no document.")
    names = tuple(file.relative_to(path).as_posix() for file in documents)
    return Input(tuple(os.path.abspath(file) for file in documents), "documents", names)


def _format_of(name: str) -> str | None:
    lower = name.lower()
    return next((kind for kind, suffixes in _SUFFIXES.items() if lower.endswith(suffixes)), None)


def _walk(directory: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "_")))
        for name in sorted(files):
            file = Path(folder, name)
            if not name.startswith((".", "_")) and file.is_file():
                yield file
