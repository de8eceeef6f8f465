"""`Chunker` and `chunk_table`: a batch of documents in, a batch of chunks out."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from cantle import Chunks, MDocument, Registry, Strategy, registry
from cantle.errors import CantleWarning, OptionError

from .documents import Given, Reader
from .rows import Rows
from .columns import declared, schema

__all__ = ["Chunker", "chunk_table"]

ERRORS = ("raise", "skip", "collect")


class Chunker:
    """Cuts batches of documents; a call takes a `RecordBatch` or `Table` and gives a `RecordBatch` of `schema()`."""

    def __init__(
        self,
        strategy: str | type[Strategy] | Strategy | None = None,
        *,
        text: str = "text",
        path: str | None = None,
        document_id: str | None = "id",
        kind: str | None = None,
        metadata: str | Sequence[str] = (),
        metadata_schema: str | pa.StructType | pa.Schema = "json",
        keep: Sequence[str] = (),
        errors: str = "raise",
        timeout: float | None = None,
        extract: Mapping[str, Any] | None = None,
        plugins: Registry | None = None,
        **options: Any,
    ) -> None:
        if errors not in ERRORS:
            raise OptionError(f"errors must be one of {', '.join(map(repr, ERRORS))}, got {errors!r}.")
        self.errors, self.timeout = errors, timeout
        self.keep = tuple(keep)
        self.reader = Reader(text, path, document_id, kind, metadata)
        self.struct = declared(metadata_schema)
        self._extract, self._plugins = extract, plugins
        self._strategy, self._options = strategy, options
        if strategy is not None:
            self._strategy, self._options = (plugins or registry()).make(strategy, options), {}

    @property
    def text(self) -> str | None:
        """The column that holds the text; None where files are read."""
        return self.reader.text

    @property
    def columns(self) -> list[str]:
        """The columns of the documents that are needed; all others may be left out before."""
        return list(dict.fromkeys((*self.reader.columns, *self.keep)))

    @property
    def name(self) -> str:
        """The name of the strategy, for messages."""
        return getattr(self._strategy, "name", "default")

    @property
    def schema(self) -> pa.Schema:
        """The schema of the chunks. Raises `OptionError` with `keep`: the types are those of the documents' columns."""
        if self.keep:
            raise OptionError("The schema of kept columns is that of the documents: give theirs to schema_for(schema).")
        return self.schema_for(pa.schema([]))

    def schema_for(self, documents: pa.Schema) -> pa.Schema:
        """The schema of the chunks of documents with this schema."""
        missing = [name for name in self.keep if name not in documents.names]
        if missing:
            raise OptionError(f"There is no column {missing[0]!r} to keep; there are: {', '.join(documents.names)}.")
        return schema("json" if self.struct is None else self.struct, [documents.field(name) for name in self.keep])

    def __call__(self, batch: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
        """The chunks of a batch of documents."""
        rows = Rows(self.schema_for(batch.schema))
        for i, given in enumerate(self.reader.documents(batch)):
            try:
                found = self._cut(given)
                if found is not None:
                    rows.add(i, given.id, *found)
            except Exception as error:  # a strategy may be anyone's
                if self.errors == "raise":
                    error.add_note(f"The document is {given.id!r}.")
                    raise
                if self.errors == "collect":
                    rows.fail(i, given.id, error)
                else:
                    message = f"{given.id or 'A document'} was skipped: {type(error).__name__}: {error}"
                    warnings.warn(message, CantleWarning, stacklevel=2)
        return rows.batch(batch)

    def _cut(self, given: Given) -> tuple[Chunks, str] | None:
        document = given.read()
        if document is None:
            return None
        chunks = document.chunk(self._strategy, extract=self._extract, plugins=self._plugins, **self._options)
        return chunks, chunks.config_hash


def chunk_table(
    batch: pa.RecordBatch | pa.Table, strategy: str | type[Strategy] | Strategy | None = None, **options: Any
) -> pa.RecordBatch:
    """The chunks of a batch of documents: a call of `Chunker(strategy, **options)`."""
    return Chunker(strategy, **options)(batch)


_ = (Callable, MDocument)
