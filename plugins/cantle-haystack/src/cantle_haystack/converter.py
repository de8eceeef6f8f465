"""The converter of files."""

import codecs
from copy import deepcopy
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from haystack import Document, component, default_from_dict, default_to_dict, logging
from haystack.components.converters.utils import normalize_metadata
from haystack.dataclasses import ByteStream

from cantle import MDocument
from cantle.adapters import KIND
from cantle.errors import OptionError

from .errors import WrongTypeError
from .names import name_of

# No `from __future__ import annotations`: older releases of Haystack read the types of `run` as they stand.

__all__ = ["CantleFileConverter"]

logger = logging.getLogger(__name__)


@component
class CantleFileConverter:
    """Reads files with cantle: text, Markdown, HTML, JSON, LaTeX, and what installed plugins such as cantle-files read.

    ```python
    from cantle_haystack import CantleFileConverter

    documents = CantleFileConverter().run(sources=["guide.md", "report.pdf"])["documents"]
    ```

    Each file gives one `Document`: its text, without front matter; in its meta what the file tells about itself (front
    matter, title, ...), `file_path`, and `document_kind`, from which `CantleDocumentSplitter` knows how to cut it.

    Args:
        kind: The kind of all files, such as `markdown`; None takes what each file's name and content say.
        encoding: The encoding of all files; None finds it out. `encoding` in the meta of a stream goes first. With a
            kind or an encoding files are read as text, and no plugin is asked.
        front_matter: `read` puts YAML front matter into the meta, `keep` leaves it in the text.
        store_full_path: Whether `file_path` is the path as it was given, or only the file's name. Chunk ids begin with
            it: say True where files of one name lie in several folders.

    Raises `OptionError`.
    """

    def __init__(
        self,
        *,
        kind: str | None = None,
        encoding: str | None = None,
        front_matter: str = "read",
        store_full_path: bool = False,
    ) -> None:
        if encoding is not None:
            try:
                codecs.lookup(encoding)
            except (LookupError, TypeError, ValueError):
                raise OptionError(
                    f"there is no encoding {encoding!r}. Give one that Python knows, such as 'utf-8' or 'cp1252', or "
                    "none, to have it found out."
                ) from None
        if not isinstance(store_full_path, bool):
            raise OptionError(f"store_full_path must be True or False, got {store_full_path!r}.")
        MDocument.from_bytes(b"", kind=kind, front_matter=front_matter)  # refuses what is wrong with these two
        self.kind = kind
        self.encoding = encoding
        self.front_matter = front_matter
        self.store_full_path = store_full_path

    @component.output_types(documents=list[Document])
    def run(
        self,
        sources: list[str | Path | ByteStream],
        meta: dict[str, Any] | list[dict[str, Any]] | None = None,
    ) -> dict[str, list[Document]]:
        """Read files, given as paths or as streams.

        `meta` is one dictionary for all documents, or a list with one for each source; it goes before what the stream
        and the file tell. A source that cannot be read is left out, with a warning in the log. Raises `ValueError` when
        the list has another length than `sources`.
        """
        if not isinstance(sources, list):
            raise WrongTypeError(f"sources must be a list of paths and ByteStreams, got {sources!r:.100}.")
        documents = []
        for source, given in zip(sources, normalize_metadata(meta, len(sources)), strict=True):
            try:
                documents.append(self._read(source, given))
            except Exception as error:  # as Haystack's converters do: one broken file does not end the run
                name = source.meta.get("file_path", "a stream") if isinstance(source, ByteStream) else source
                logger.warning("Could not convert {source}. Skipping it. Error: {error}", source=name, error=error)
        return {"documents": documents}

    def to_dict(self) -> dict[str, Any]:
        """The component as a dictionary."""
        made: dict[str, Any] = default_to_dict(
            self,
            kind=self.kind,
            encoding=self.encoding,
            front_matter=self.front_matter,
            store_full_path=self.store_full_path,
        )
        return made

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """The component that `to_dict` made this dictionary of."""
        made: Self = default_from_dict(cls, data)
        return made

    def _read(self, source: str | Path | ByteStream, given: dict[str, Any]) -> Document:
        if isinstance(source, ByteStream):
            told = deepcopy(source.meta)
            encoding = told.get("encoding", self.encoding)
            name = name_of(told, source.mime_type)
            read = MDocument.from_bytes(
                source.data, name, kind=self.kind, encoding=encoding, front_matter=self.front_matter
            )
        elif isinstance(source, str | Path):
            told = {"file_path": str(source)}
            read = MDocument.from_file(source, kind=self.kind, encoding=self.encoding, front_matter=self.front_matter)
        else:
            raise WrongTypeError(f"a source is a path or a ByteStream, got {type(source).__name__}.")
        if not self.store_full_path and told.get("file_path"):
            told["file_path"] = Path(str(told["file_path"])).name
        text = read.text[read.body :]
        meta = {KIND: read.kind, **read.metadata, **told, **deepcopy(given)}
        try:
            return Document(content=text, meta=meta)
        except UnicodeEncodeError:  # the id that Haystack makes is of UTF-8, which holds no lone surrogates
            return Document(id=sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), content=text, meta=meta)
