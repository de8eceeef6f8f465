"""The earlier state that costs are compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from cantle import Chunk, read_jsonl
from cantle.commands import find
from cantle.errors import DocumentError, OptionError

from ..corpus.pool import Cutting, Pool
from ..corpus.reading import Corpus, read_corpus
from .changes import Record

__all__ = ["Since", "corpus_of", "files_of", "records_of"]

Since = str | Path | Corpus | Iterable[Record]
"""A file of chunks, a directory or corpus to be cut alike, or chunks."""

_WRITE = "Write one with `cantle chunk DIR -n 480 --overlap 80 -o old.jsonl`."


def corpus_of(given: Corpus | str | Path, since: Any) -> Corpus:
    """The corpus, or that of a path; an earlier copy in it is no part of it. Raises `OptionError` for other types."""
    if isinstance(given, Corpus):
        return given
    if not isinstance(given, str | Path):
        raise OptionError(
            f"The corpus must be a Corpus or a path, got {type(given).__name__}. Give read_corpus(path), or "
            "Corpus((document, ...)) of documents with a source."
        )
    skip = files_of(since, [given]) if isinstance(since, str | Path) else []
    return read_corpus(given, skip=skip)


def files_of(since: str | Path, paths: Iterable[str | Path]) -> list[Path]:
    """The files of an earlier state, as far as they lie in one of the directories and are no documents of it."""
    old = Path(since).resolve()
    if not old.is_dir():
        return [old]
    roots = [Path(path).resolve() for path in paths]
    if old in roots or not any(old.is_relative_to(root) for root in roots):
        return []
    return [Path(path) for path in find([str(old)])]


def records_of(since: Any, cutting: Cutting) -> list[Record]:
    """The chunks of an earlier state. Raises `OptionError` for other types, `DocumentError` for other files."""
    if isinstance(since, str | Path):
        path = Path(since)
        if path.is_file():
            return _file(path)
        since = read_corpus(path)
    if isinstance(since, Corpus):
        return [passage.chunk for passage in Pool.of(since, cutting).passages]
    if not isinstance(since, Iterable) or isinstance(since, bytes | Mapping):
        raise OptionError(
            f"since must be a file of chunks, a directory, a Corpus or chunks, got {type(since).__name__}. {_WRITE}"
        )
    return list(since)


def _file(path: Path) -> list[Record]:
    found: list[Record] = list(read_jsonl(path))
    if not found:
        raise DocumentError(f"{path} holds no chunk. {_WRITE}")
    for number, record in enumerate(found, 1):
        if not _is_chunk(record):
            raise DocumentError(f"{path}, record {number}: it is no chunk: it has no hash and no place. {_WRITE}")
    return found


def _is_chunk(record: Record) -> bool:
    """Whether a record is that of a chunk: other JSON, golden questions for example, has a `text` too."""
    if isinstance(record, Chunk):
        return True
    return isinstance(record.get("embed_hash"), str) or {"text", "start", "end"} <= record.keys()
