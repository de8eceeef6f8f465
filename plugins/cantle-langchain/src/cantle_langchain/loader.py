"""`CantleLoader`: files as LangChain's documents, read as cantle reads them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document

from cantle import MDocument
from cantle.adapters import KIND
from cantle.errors import OptionError

__all__ = ["CantleLoader"]


class CantleLoader(BaseLoader):
    """A loader of files, one document each: text and Markdown, HTML, JSON, LaTeX, and what plugins read.

    ```python
    pieces = CantleTextSplitter(max_size=800).split_documents(CantleLoader("guide.md").load())
    ```

    `path` is a file or several; they are read one by one when they are asked for. `page_content` is the file's text
    without its front matter, so offsets of pieces count from there. The metadata are those of the front matter or the
    file (title, page_count, ...), `source` (the path, with `/`), and `document_kind`, by which `CantleTextSplitter`
    chooses the strategy; `metadata` that are given win over all of these.

    `kind`, `encoding` and `front_matter` are those of `MDocument.from_file`. Raises `OptionError` for a wrong argument;
    while loading `DocumentError` for a file that is broken or no text, and `OSError`.
    """

    def __init__(
        self,
        path: str | PathLike[str] | Iterable[str | PathLike[str]],
        *,
        kind: str | None = None,
        encoding: str | None = None,
        front_matter: str = "read",
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        paths = [path] if isinstance(path, str | PathLike) else path
        if isinstance(paths, bytes) or not isinstance(paths, Iterable):
            raise OptionError(f"path must be the path of a file, or a list of paths, got {path!r:.100}.")
        self.paths = list(paths)
        for one in self.paths:
            if not isinstance(one, str | PathLike) or not str(one):
                raise OptionError(f"path must be the path of a file, or a list of paths, got {one!r:.100} among them.")
        self._options: dict[str, Any] = {"kind": kind, "encoding": encoding, "front_matter": front_matter}
        MDocument.from_bytes(b"", "a.txt", **self._options)  # a wrong option is told before any file is read
        if metadata is not None and not isinstance(metadata, Mapping):
            raise OptionError(f"metadata must be a mapping of names to values, got {metadata!r:.100}.")
        self._metadata = dict(metadata or {})

    def lazy_load(self) -> Iterator[Document]:
        """The documents of the files, in order, each read when it is asked for."""
        for path in self.paths:
            document = MDocument.from_file(Path(path), **self._options)
            known = {**document.metadata, "source": document.source, KIND: document.kind, **self._metadata}
            yield Document(page_content=document.text[document.body :], metadata=known)
