"""`CantleReader`: files as LlamaIndex's documents, read as cantle reads them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from llama_index.core.readers.base import BasePydanticReader
from llama_index.core.schema import Document
from pydantic import Field

from cantle import MDocument
from cantle.adapters import KIND
from cantle.errors import OptionError

__all__ = ["CantleReader"]


class CantleReader(BasePydanticReader):
    """A reader of files, one document each: text and Markdown, HTML, JSON, LaTeX, and what plugins read.

    ```python
    documents = CantleReader().load_data("guide.md")
    documents = SimpleDirectoryReader("docs", file_extractor={".md": CantleReader()}).load_data()
    ```

    The text is the file's without its front matter, so offsets of nodes count from there. The metadata are those of the
    front matter or the file (title, page_count, ...), `file_path`, `file_name`, and `document_kind`, by which
    `CantleNodeParser` chooses the strategy and which models do not see; `extra_info` wins over all of these. The id is
    the path, so docstores know a file again.

    `kind`, `encoding` and `front_matter` are those of `MDocument.from_file`. Raises `OptionError` for a wrong argument;
    while loading `DocumentError` for a file that is broken or no text, and `OSError`.
    """

    kind: str | None = Field(default=None, description="Kind of all files; without it, their suffix tells.")
    encoding: str | None = Field(
        default=None, description="Encoding of all files; without it, they tell or it is guessed."
    )
    front_matter: str = Field(default="read", description="Front matter: read (into the metadata) or keep.")

    def __init__(
        self, *, kind: str | None = None, encoding: str | None = None, front_matter: str = "read", **more: Any
    ) -> None:
        ours: dict[str, Any] = {"kind": kind, "encoding": encoding, "front_matter": front_matter}
        MDocument.from_bytes(b"", "a.txt", **ours)  # a wrong option is told before any file is read
        unknown = sorted(more.keys() - {"is_remote", "class_name"})
        if unknown:
            raise OptionError(f"CantleReader has no option {', '.join(unknown)}: kind, encoding, front_matter.")
        super().__init__(is_remote=more.get("is_remote", False), **ours)

    @classmethod
    def class_name(cls) -> str:
        """The name that serialised pipelines know the class by."""
        return "CantleReader"

    def lazy_load_data(
        self,
        file: str | PathLike[str],
        extra_info: Mapping[str, Any] | None = None,
        fs: Any = None,
    ) -> Iterable[Document]:
        """The document of a file, read when it is asked for.

        `extra_info` goes into its metadata; `fs` is a file system of fsspec that has the file.
        """
        if not isinstance(file, str | PathLike) or not fspath(file):
            raise OptionError(f"file must be the path of a file, got {file!r:.100}.")
        if extra_info is not None and not isinstance(extra_info, Mapping):
            raise OptionError(f"extra_info must be a mapping of names to values, got {extra_info!r:.100}.")
        return self._documents(file, dict(extra_info or {}), fs)

    def _documents(self, file: str | PathLike[str], extra_info: dict[str, Any], fs: Any) -> Iterable[Document]:
        read: dict[str, Any] = {"kind": self.kind, "encoding": self.encoding, "front_matter": self.front_matter}
        if fs is None:
            document = MDocument.from_file(Path(file), **read)
        else:
            with fs.open(fspath(file), "rb") as opened:
                document = MDocument.from_bytes(opened.read(), fspath(file), **read)
        place = {"file_path": document.source, "file_name": document.source.rpartition("/")[2]}
        metadata = {**document.metadata, **place, KIND: document.kind, **extra_info}
        yield Document(
            id_=str(metadata["file_path"]),
            text=document.text[document.body :],
            metadata=metadata,
            excluded_embed_metadata_keys=[KIND],
            excluded_llm_metadata_keys=[KIND],
        )
