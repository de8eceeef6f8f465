"""The documents of a directory, with the metadata that each brings along."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from cantle import MDocument
from cantle.commands import find
from cantle.errors import CantleError, DocumentError

__all__ = ["Corpus", "LeftOut", "read_corpus"]


class LeftOut(NamedTuple):
    """A file that is no document of the corpus, and why."""

    source: str
    reason: str


@dataclass(frozen=True)
class Corpus:
    """Documents in a fixed order, each with a `source` of its own, and what was left out of them."""

    documents: tuple[MDocument, ...]
    left_out: tuple[LeftOut, ...] = ()


def read_corpus(
    paths: str | Path | Sequence[str | Path],
    *,
    require: Iterable[str] = (),
    skip: Collection[Path] = (),
) -> Corpus:
    """Read files and directories: Markdown and every other kind that cantle or a plugin reads.

    A document's name is `source` of its front matter, or else its path within the directory. `require` names keys of
    the metadata that a document must have; those without are left out. `skip` are files to pass over in silence. Files
    that cannot be read and files of golden questions are left out too; `Corpus.left_out` says which and why.
    """
    required = list(require)
    documents: list[MDocument] = []
    left_out: list[LeftOut] = []
    passed = {path.resolve() for path in skip}
    for root, path in _files([paths] if isinstance(paths, str | Path) else paths):
        name = path.relative_to(root).as_posix() if root.is_dir() else path.name
        if path.resolve() in passed:
            continue
        try:
            document = MDocument.from_file(path, source=name)
        except (CantleError, OSError) as error:
            left_out.append(LeftOut(name, str(error)))
            continue
        if document.kind == "json" and _is_golden(document.text):
            left_out.append(LeftOut(name, "it holds golden questions"))
            continue
        missing = [key for key in required if document.metadata.get(key) in (None, "")]
        if missing:
            left_out.append(LeftOut(name, f"its metadata has no {', '.join(missing)}"))
            continue
        documents.append(_named(document))
    return Corpus(_told_apart(documents), tuple(left_out))


def _files(paths: Sequence[str | Path]) -> Iterable[tuple[Path, Path]]:
    """Each file with the path that it was found under."""
    for root in map(Path, paths):
        if not root.exists():
            raise DocumentError(f"{root} does not exist. Name a directory of documents, or files.")
        for path in find([str(root)]):
            yield root, Path(path)


def _named(document: MDocument) -> MDocument:
    given = document.metadata.get("source")
    return replace(document, source=given) if isinstance(given, str) and given else document


def _told_apart(documents: Sequence[MDocument]) -> tuple[MDocument, ...]:
    seen: set[str] = set()
    for document in documents:
        if document.source in seen:
            raise DocumentError(
                f"two documents are named {document.source!r}. Give each a source of its own in the front matter."
            )
        seen.add(document.source)
    return tuple(documents)


def _is_golden(text: str) -> bool:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    entries = value.get("questions") if isinstance(value, dict) else value
    return isinstance(entries, list) and bool(entries) and all(isinstance(e, dict) and "question" in e for e in entries)
