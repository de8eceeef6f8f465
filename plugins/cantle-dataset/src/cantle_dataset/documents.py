"""Documents from the rows of a batch."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cantle import MDocument, registry
from cantle.errors import DocumentError, OptionError

__all__ = ["KINDS", "Given", "Reader"]

KINDS = ("text", "markdown", "html", "json", "latex", "pdf")


@dataclass(frozen=True)
class Given:
    """One row: what becomes a document when it is read."""

    id: str | None
    text: Any
    path: Any
    kind: str | None
    metadata: dict[str, Any]

    def read(self) -> MDocument | None:
        """The document; None where there is no text."""
        if self.id is None:
            raise DocumentError("the document has no id: the column holds null there.")
        if self.path is not None:
            return MDocument.from_file(self.path, kind=self.kind, metadata=self.metadata, source=self.id)
        if self.text is None:
            return None
        text = self.text.decode() if isinstance(self.text, bytes) else self.text
        return MDocument(text, self.kind or "text", self.metadata, self.id)


class Reader:
    """Which columns hold what."""

    def __init__(
        self, text: str, path: str | None, document_id: str | None, kind: str | None, metadata: str | Sequence[str]
    ) -> None:
        self.text = text if path is None else None
        self.path, self.document_id, self.metadata = path, document_id, metadata
        known = kind is None or kind in KINDS or kind in registry().kinds()
        self.kind, self.kind_column = (kind, None) if known else (None, kind)

    @property
    def columns(self) -> list[str]:
        """The columns that are read."""
        more = [self.metadata] if isinstance(self.metadata, str) else [*self.metadata]
        return [name for name in (self.document_id, self.text, self.path, self.kind_column, *more) if name is not None]

    def documents(self, batch: pa.RecordBatch | pa.Table) -> Iterator[Given]:
        """The rows of a batch."""
        found = {}
        for name in self.columns:
            if name not in batch.schema.names:
                raise OptionError(f"There is no column {name!r}; there are: {', '.join(batch.schema.names)}.")
            found[name] = batch.column(name).to_pylist()
        for i in range(batch.num_rows):
            row = {name: values[i] for name, values in found.items()}
            text, path = row.get(self.text or ""), row.get(self.path or "")
            if self.document_id is not None:
                value = row[self.document_id]
                identity = None if value is None else str(value)
            else:
                identity = hashlib.sha256(str(text).encode()).hexdigest()[:16]
            if isinstance(self.metadata, str):
                metadata = row[self.metadata] or {}
                metadata = json.loads(metadata) if isinstance(metadata, str) else metadata
            else:
                metadata = {name: row[name] for name in self.metadata}
            kind = self.kind if self.kind_column is None else row[self.kind_column]
            yield Given(identity, text, path, kind, metadata)
