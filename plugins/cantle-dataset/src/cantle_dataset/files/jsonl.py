"""JSON Lines as batches: an object a line, whatever its fields are."""

from __future__ import annotations

import gzip
import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import pyarrow as pa

from cantle.commands import to_json

from ..errors import DatasetError
from .missing import missing_column

__all__ = ["JsonLines"]

BATCH_BYTES = 4 << 20
BATCH_ROWS = 4096
MARK_BYTES = 4 << 20
PEEKED = 1000
"""So many lines are looked at for a column that must be somewhere."""


class JsonLines:
    """Files of JSON Lines. The types of columns are those that all lines have in common.

    Strings, integers, numbers, booleans; what is none of these in all lines is JSON, which the field says in its
    metadata, so that it is read as what it was.
    """

    def __init__(self, files: Sequence[str], columns: Sequence[str], typed: Sequence[str]) -> None:
        self._files, self._columns, self._typed = files, columns, typed
        self._count: int | None = None
        self._marks = [_Mark(0, 0, 0, 1)]
        self.schema = self._inferred()

    def _inferred(self) -> pa.Schema:
        kinds: dict[str, set[type]] = {name: set() for name in self._columns}
        there: dict[str, None] = {}
        count = 0
        lines = self._lines()
        for row in map(self._object, lines if self._typed else islice(lines, PEEKED)):
            count += 1
            for name, found in kinds.items():
                if (value := row.get(name)) is not None:
                    found.add(type(value) if not isinstance(value, int) or abs(value) < 1 << 63 else object)
            if len(there) < 1000:
                there.update(dict.fromkeys(row))
        missing = [name for name, found in kinds.items() if not found and name not in there]
        if missing and count:
            raise missing_column(self._files[0], missing[0], list(there))
        if self._typed:
            self._count = count
        return pa.schema([_field(name, found if name in self._typed else {str}) for name, found in kinds.items()])

    def rows(self) -> int:
        """How many lines hold an object."""
        if self._count is None:
            self._count = sum(rows for rows, _ in self.stretches())
        return self._count

    def stretches(self) -> Iterator[tuple[int, int]]:
        """Lines of about 4 MB together: how many, and their bytes. Where they begin is remembered for `batches`."""
        marks, row, rows, size = [], 0, 0, 0
        for line in self._lines():
            if size >= MARK_BYTES or not rows:
                if rows:
                    yield rows, size
                marks.append(_Mark(row, line.file, line.offset, line.number))
                rows = size = 0
            row, rows, size = row + 1, rows + 1, size + len(line.text)
        if rows:
            yield rows, size
        self._marks = marks or self._marks

    def batches(self, start: int = 0, stop: int | None = None) -> Iterator[pa.RecordBatch]:
        """The lines from `start` to before `stop`, or all, in order; of those before 4 MB are passed over, or all."""
        mark = self._marks[bisect_right(self._marks, start, key=lambda mark: mark.row) - 1]
        lines = islice(self._lines(mark), start - mark.row, None if stop is None else max(stop, start) - mark.row)
        columns: dict[str, list[Any]] = {name: [] for name in self._columns}
        rows = size = 0
        for row in map(self._object, lines):
            for name, values in columns.items():
                value = row.get(name)
                values.append(value)
                size += len(value) if isinstance(value, str) else 8
            rows += 1
            if rows >= BATCH_ROWS or size >= BATCH_BYTES:
                yield self._batch(columns)
                columns, rows, size = {name: [] for name in self._columns}, 0, 0
        if rows:
            yield self._batch(columns)

    def _batch(self, columns: dict[str, list[Any]]) -> pa.RecordBatch:
        arrays = []
        for field in self.schema:
            values = columns[field.name]
            if field.metadata is not None:
                values = [None if value is None else to_json(value) for value in values]
            elif pa.types.is_string(field.type):
                values = [None if value is None else self._string(field.name, value) for value in values]
            elif pa.types.is_floating(field.type):
                values = [None if value is None else float(value) for value in values]
            arrays.append(pa.array(values, field.type))
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema)

    def _string(self, name: str, value: Any) -> str:
        """A text or an id; UTF-8 has no lone surrogates, JSON may."""
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            shown = to_json(value)
            raise DatasetError(
                f"{self._files[0]}: the field {name!r} must hold strings (or integers), got {shown[:100]} in this file "
                "or one behind it."
            )
        return value.encode("utf-8", "replace").decode()

    def _lines(self, mark: _Mark | None = None) -> Iterator[_Line]:
        """The lines that are not blank, from a mark on."""
        begin, offset, first = (0, 0, 1) if mark is None else mark[1:]
        for i in range(begin, len(self._files)):
            file = self._files[i]
            try:
                with gzip.open(file) if file.lower().endswith(".gz") else open(file, "rb") as lines:
                    lines.seek(offset)
                    for number, line in enumerate(lines, first):
                        text = line.strip() if number > 1 else line.removeprefix(b"\xef\xbb\xbf").strip()
                        if text:
                            yield _Line(i, offset, number, text)
                        offset += len(line)
            except (EOFError, gzip.BadGzipFile, zlib.error) as error:
                raise DatasetError(f"{file} cannot be read: {error}") from error
            offset, first = 0, 1

    def _object(self, line: _Line) -> dict[str, Any]:
        where = f"{self._files[line.file]}, line {line.number}"
        try:
            found = json.loads(line.text.decode())
        except (ValueError, RecursionError) as error:
            raise DatasetError(f"{where}: {error or 'nested too deeply'}. Each line must be JSON.") from None
        if not isinstance(found, dict):
            raise DatasetError(f"{where} is no JSON object. Each line must be one: {{...}}.")
        return found


class _Mark(NamedTuple):
    """Where a row begins: in which file, at which byte and line."""

    row: int
    file: int
    offset: int
    number: int


class _Line(NamedTuple):
    file: int
    offset: int
    number: int
    text: bytes


def _field(name: str, kinds: set[type]) -> pa.Field[Any]:
    if kinds <= {str}:
        return pa.field(name, pa.string())
    if kinds == {bool}:
        return pa.field(name, pa.bool_())
    if kinds == {int}:
        return pa.field(name, pa.int64())
    if kinds <= {int, float}:
        return pa.field(name, pa.float64())
    return pa.field(name, pa.string(), metadata={"cantle.json": "1"})
