"""Documents from the rows of a batch."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from cantle import MDocument, registry
from cantle.errors import DocumentError, OptionError

__all__ = ["KINDS", "Given", "Reader"]

KINDS = ("text", "markdown", "html", "json", "latex", "pdf")
"""The kinds of documents that cantle itself knows; plugins bring others."""


@dataclass(frozen=True, slots=True)
class Given:
    """One row of a batch: what becomes a document when it is read. Nothing of it is checked yet."""

    reader: Reader
    row: Mapping[str, pa.Array[Any]]
    at: int

    def value(self, column: str) -> Any:
        """What stands in a column. Raises `DocumentError` where Arrow cannot tell: bytes that are no UTF-8."""
        try:
            return self.row[column][self.at].as_py()
        except UnicodeDecodeError as error:
            raise _no_utf8(column, error) from None
        except ValueError as error:  # nanoseconds without pandas, times out of Python's range
            raise DocumentError(f"the value of the column {column!r} cannot be read: {error}") from None

    def id(self) -> str:
        """The document id: what the column holds, as a string; without one the hash of the text, or the path.

        Raises `DocumentError` where the column holds null.
        """
        reader = self.reader
        if reader.document_id is not None:
            found = self.value(reader.document_id)
            if found is None:
                raise DocumentError(f"the document has no id: the column {reader.document_id!r} holds null there.")
            return _decoded(reader.document_id, found) if isinstance(found, bytes) else str(found)
        if reader.path is not None:
            return self.path() or ""
        text = self.text()
        return "" if text is None else hashlib.sha256(text.encode()).hexdigest()[:16]

    def text(self) -> str | None:
        """The text, None where there is none."""
        assert self.reader.text is not None
        found = self.value(self.reader.text)
        return _decoded(self.reader.text, found) if isinstance(found, bytes) else found

    def path(self) -> str | None:
        """The path of the file, None where there is none."""
        assert self.reader.path is not None
        found = self.value(self.reader.path)
        return os.fsdecode(found) if isinstance(found, bytes) else found

    def document(self, identity: str) -> MDocument | None:
        """The document, of that id; None where there is no text, or no path. Raises what reading a file raises."""
        reader = self.reader
        kind = reader.kind if reader.kind_column is None else self.value(reader.kind_column)
        if reader.path is not None:
            path = self.path()
            if path is None:
                return None
            return MDocument.from_file(path, kind=kind, metadata=self._metadata(), source=identity)
        text = self.text()
        return None if text is None else MDocument(text, kind or "text", self._metadata(), identity)

    def _metadata(self) -> dict[str, Any]:
        reader = self.reader
        if not isinstance(reader.metadata, str):
            return {name: self._field(name) for name in reader.metadata}
        found = self.value(reader.metadata)
        if isinstance(found, str | bytes):
            try:
                found = json.loads(found)
            except (ValueError, RecursionError) as error:
                raise DocumentError(f"the metadata in the column {reader.metadata!r} is no JSON: {error}.") from None
        if isinstance(found, list):  # of an Arrow map
            found = dict(found) if all(isinstance(pair, tuple) for pair in found) else found
        if found is not None and not isinstance(found, dict):
            raise DocumentError(
                f"the metadata in the column {reader.metadata!r} is no JSON object but {type(found).__name__}. "
                "To make metadata of whole columns, name them in a list."
            )
        return found or {}

    def _field(self, name: str) -> Any:
        found = self.value(name)
        return json.loads(found) if found is not None and name in self.reader.json else found


class Reader:
    """Which columns of a batch hold what."""

    def __init__(
        self, text: str, path: str | None, document_id: str | None, kind: str | None, metadata: str | Sequence[str]
    ) -> None:
        for name, value, none in (
            ("text", text, False),
            ("path", path, True),
            ("document_id", document_id, True),
            ("kind", kind, True),
        ):
            if not (isinstance(value, str) or (none and value is None)):
                raise OptionError(f"{name} must be the name of a column{' or None' * none}, got {value!r}.")
        self.text = text if path is None else None
        self.path, self.document_id = path, document_id
        self.metadata = metadata if isinstance(metadata, str) else names("metadata", metadata)
        constant = kind is None or kind in KINDS or kind in registry().kinds()
        self.kind: str | None = kind if constant else None
        self.kind_column: str | None = None if constant else kind
        self.json: frozenset[str] = frozenset()
        """Columns that say of themselves that they are JSON: those of JSON Lines without a type in common."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The columns that metadata is made of."""
        return (self.metadata,) if isinstance(self.metadata, str) else self.metadata

    @property
    def columns(self) -> list[str]:
        """The columns that are read, each once."""
        all_ = (self.document_id, self.text, self.path, self.kind_column, *self.fields)
        return list(dict.fromkeys(name for name in all_ if name is not None))

    def check(self, schema: pa.Schema) -> None:
        """Raise `OptionError` for a column that is missing, is there twice, or is of a type that cannot be."""
        self.json = frozenset(field.name for field in schema if b"cantle.json" in (field.metadata or {}))
        for name in self.columns:
            places = schema.get_all_field_indices(name)
            if not places:
                raise OptionError(self._missing(name, schema))
            if len(places) > 1:
                raise OptionError(f"There are {len(places)} columns {name!r}. Rename or leave out all but one.")
            kind = schema.field(name).type
            if name in (self.text, self.path) and b"cantle.json" in (schema.field(name).metadata or {}):
                raise OptionError(f"The column {name!r} must hold strings, and holds other JSON too.")
            is_id = name == self.document_id
            checked = is_id or name in (self.text, self.path, self.kind_column)
            if checked and not (_is_text(kind) or (is_id and pa.types.is_integer(kind))):
                what = "strings or integers" if is_id else "strings"
                raise OptionError(f"The column {name!r} must hold {what}, got {kind}. Cast it before.")

    def _missing(self, name: str, schema: pa.Schema) -> str:
        there = f"there are: {', '.join(schema.names) or 'none'}."
        if name == self.document_id:
            return (
                f"There is no column {name!r} for the ids of documents; {there} Name it by document_id=, or give "
                "document_id=None for ids made of the texts."
            )
        if name == self.kind_column:
            return (
                f"kind={name!r} is no kind ({', '.join(dict.fromkeys((*KINDS, *registry().kinds())))}), and no column; "
                f"{there}"
            )
        use = "text" if name == self.text else "path" if name == self.path else "metadata"
        return f"There is no column {name!r}; {there} Name the right one by {use}=."

    def documents(self, batch: pa.RecordBatch | pa.Table) -> Iterator[Given]:
        """The rows of a batch that `check` has seen."""
        for part in batch.to_batches() if isinstance(batch, pa.Table) else [batch]:
            columns = {name: part.column(name) for name in self.columns}
            for at in range(part.num_rows):
                yield Given(self, columns, at)


def names(option: str, value: Any) -> tuple[str, ...]:
    """The names of columns in a list. Raises `OptionError` for what is none."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence) or not all(isinstance(n, str) for n in value):
        raise OptionError(f"{option} must be a list of names of columns, got {value!r}.")
    return tuple(dict.fromkeys(value))


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return str(kind) in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view", "null")


def _decoded(column: str, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _no_utf8(column, error) from None


def _no_utf8(column: str, error: UnicodeDecodeError) -> DocumentError:
    return DocumentError(
        f"the column {column!r} holds no UTF-8 there: byte 0x{error.object[error.start]:02x} at offset {error.start}."
    )
