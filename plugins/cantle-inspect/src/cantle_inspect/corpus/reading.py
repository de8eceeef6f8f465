"""The documents of a directory, with the metadata that each brings along."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from cantle import MDocument
from cantle.commands import counted, find
from cantle.errors import CantleError, CantleWarning, DocumentError, OptionError

from .golden_files import looks_golden
from .own_files import looks_written
from .unread import unread

__all__ = ["Corpus", "LeftOut", "is_missing", "read_corpus", "why"]


class LeftOut(NamedTuple):
    """A file that is no document of the corpus, and why."""

    source: str
    reason: str


@dataclass(frozen=True, repr=False)
class Corpus:
    """Documents in a fixed order, each with a `source` of its own, and what was left out of them.

    Raises `DocumentError` when two documents have one source, or one has none.
    """

    documents: tuple[MDocument, ...]
    left_out: tuple[LeftOut, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", tuple(self.documents))
        for source, count in Counter(document.source for document in self.documents).items():
            if not source:
                raise DocumentError("a document has no source. Give each a name: MDocument.from_text(..., source=...).")
            if count > 1:
                raise DocumentError(f"{count} documents are named {source!r}. Give each a source of its own.")

    def __repr__(self) -> str:
        return f"<Corpus: {counted(len(self.documents), 'document')}, {len(self.left_out)} left out>"


def read_corpus(
    paths: str | Path | Sequence[str | Path],
    *,
    require: Iterable[str] = (),
    skip: Collection[str | Path] = (),
    read: Mapping[str, Any] | None = None,
) -> Corpus:
    """Read files and directories: Markdown and every other kind that cantle or a plugin reads.

    A document's name is `source` of its front matter, or else its path within the directory; where that names two
    documents, both have their path as it was given, with a `CantleWarning`. `require` names keys of the metadata that a
    document must have (an empty text or list does not count); those without are left out. So are files that cannot be
    read, PDF files and others that no installed plugin reads, what commands of this plugin wrote, and files of golden
    questions. `Corpus.left_out` says which and why. `skip` are files to pass over in silence, `read` more arguments of
    `MDocument.from_file`.

    Raises `DocumentError` when no document is left.
    """
    required = require.split(",") if isinstance(require, str) else list(require)
    roots = [Path(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    found: list[_Found] = []
    left_out: list[LeftOut] = []
    for name, path in _files(roots, {Path(path).resolve() for path in skip}, left_out):
        try:
            document = MDocument.from_file(path, **{**(read or {}), "source": name})
        except OptionError:
            raise
        except (CantleError, OSError) as error:
            left_out.append(LeftOut(name, why(error, path.as_posix())))
            continue
        reason = _why_not(document, path, required)
        if reason:
            left_out.append(LeftOut(name, reason))
        else:
            found.append(_Found(document, name, path.as_posix()))
    if not found:
        raise DocumentError(_nothing(roots, left_out))
    return Corpus(tuple(_told_apart(found)), tuple(left_out))


_JSON = {".json", ".jsonl", ".ndjson"}


class _Found(NamedTuple):
    document: MDocument
    name: str
    path: str

    @property
    def names(self) -> list[str]:
        """What the document may be called, the best first."""
        given = self.document.metadata.get("source")
        if isinstance(given, int | float) and not isinstance(given, bool):
            given = str(given)
        return [*([given] if isinstance(given, str) and given.strip() else []), self.name, self.path]


def _files(roots: Sequence[Path], passed: Collection[Path], left_out: list[LeftOut]) -> Iterator[tuple[str, Path]]:
    """Each file once, with its name: its path within the directory that it was found in."""
    seen: dict[Path, str] = {}
    for root in roots:
        if not root.exists():
            raise DocumentError(f"{root} does not exist. Name a directory of documents, or files.")
        for path in map(Path, find([str(root)])):
            name = path.relative_to(root).as_posix() if root.is_dir() else path.name
            real = path.resolve()
            if real in passed:
                continue
            if real not in seen:
                seen[real] = name
                if path.is_file():
                    yield name, path
                else:  # reading it might never end
                    left_out.append(LeftOut(name, "it is a pipe or a device: save what it gives to a file first"))
            elif seen[real] != name:
                left_out.append(LeftOut(name, f"it is the same file as {seen[real]}"))
        if root.is_dir():
            for path in unread(root, seen.keys() | set(passed)):
                name = path.relative_to(root).as_posix()
                left_out.append(LeftOut(name, f"no installed plugin reads {path.suffix.lower()} files"))


def _why_not(document: MDocument, path: Path, required: Sequence[str]) -> str:
    """Why this is no document of the corpus; nothing when it is one."""
    if document.kind == "json" or path.suffix.lower() in _JSON:
        if looks_golden(document.text):
            return "it holds golden questions"
        if written := looks_written(document.text):
            return f"it is {written}"
    missing = [key for key in required if is_missing(document.metadata.get(key))]
    return f"its metadata has no {', '.join(missing)}" if missing else ""


def is_missing(value: Any) -> bool:
    """Whether a value of the metadata counts as not being there: None, and an empty text, list or mapping."""
    return value is None or (isinstance(value, str | list | dict) and not value)


def why(error: Exception, name: str) -> str:
    """What an error says of a file or document, without the name and the point at the end."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return said.removeprefix(f"{name} ").removeprefix(f"{name}: ").removesuffix(".")


def _nothing(roots: Sequence[Path], left_out: Sequence[LeftOut]) -> str:
    places = ", ".join(map(str, roots)) or "an empty list of paths"
    if not left_out:
        return (
            f"There is no document in {places}. Looked for Markdown, HTML, JSON, LaTeX and text (.md, .html, .json, "
            ".tex, .txt and others) and for what installed plugins read (`cantle plugins`), in all folders that are "
            "not hidden."
        )
    shown = "; ".join(f"{source}: {reason}" for source, reason in left_out[:5])
    more = f"; and {len(left_out) - 5} more" if len(left_out) > 5 else ""
    return f"No document in {places} is left. Left out: {shown}{more}."


def _told_apart(found: Sequence[_Found]) -> Iterator[MDocument]:
    """The documents with names of their own: those that share one take the next that they may have.

    The last is the path, which no two share: each file is read once.
    """
    names = [one.names for one in found]
    while shared := {name for name, count in Counter(given[0] for given in names).items() if count > 1}:
        for name in sorted(shared):
            paths = [one.path for one, given in zip(found, names, strict=True) if given[0] == name]
            where = ", ".join(paths[:5]) + (", ..." if len(paths) > 5 else "")
            warnings.warn(
                f"{len(paths)} documents are named {name!r}, so they are called by their paths: {where}. Give each a "
                "source of its own in the front matter.",
                CantleWarning,
                stacklevel=3,
            )
        names = [given[1:] if given[0] in shared and len(given) > 1 else given for given in names]
    for one, given in zip(found, names, strict=True):
        yield replace(one.document, source=given[0])
