"""Chunks as flat rows and as Arrow tables; pyarrow's door."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .errors import MissingDependencyError
from .written import to_json, without_surrogates

if TYPE_CHECKING:
    import pyarrow

    from .chunks import Chunks

__all__ = ["COLUMNS", "RELATIONS", "ParquetFile", "flat", "packed", "table"]

COLUMNS = {
    "id": "text",
    "key": "text",
    "index": "number",
    "source": "text",
    "text": "text",
    "content": "text",
    "prefix": "text",
    "start": "number",
    "end": "number",
    "spans": "pairs",
    "overlap": "number",
    "path": "texts",
    "hash": "text",
    "embed_hash": "text",
    "oversize": "truth",
    "cut": "text",
    "metadata": "text",
    "lines": "numbers",
}
"""The columns of a row and what they hold. Positions count code points; metadata and cut are JSON."""

RELATIONS = {"parent": "text", "previous": "text", "next": "text", "children": "texts", "section": "numbers"}
"""The further columns of chunks with their relations: keys, and a stretch of the source."""


def flat(chunks: Chunks, *, relations: bool = False) -> list[dict[str, Any]]:
    """One row a chunk, with the names of `COLUMNS`: metadata and cut as JSON, lone surrogates as `?`.

    A chunk that is a literal slice has its one stretch in `spans`. `relations` adds those of `RELATIONS`.
    """
    rows = []
    columns = _columns(relations)
    for row in chunks.to_dicts(relations=relations):
        row["metadata"] = to_json(row["metadata"], sort_keys=True)
        row["cut"] = None if row["cut"] is None else to_json(row["cut"])
        for name, kind in columns.items():
            if kind == "text" and row[name] is not None:
                row[name] = without_surrogates(row[name])
            elif kind == "texts":
                row[name] = [without_surrogates(part) for part in row[name]]
        row["spans"] = row["spans"] or [[row["start"], row["end"]]]
        rows.append(row)
    return rows


def table(chunks: Chunks, *, relations: bool = False) -> pyarrow.Table:
    """A `pyarrow.Table`, one row a chunk. Raises `MissingDependencyError` without pyarrow."""
    arrow = _pyarrow("to_arrow()")
    schema = _schema(arrow, relations)
    made: pyarrow.Table
    if relations:
        made = arrow.Table.from_pylist(flat(chunks, relations=True), schema=schema)
        return made
    values = chunks.to_columns()
    arrays = [_array(arrow, name, values, schema.field(name).type) for name in COLUMNS]
    made = arrow.Table.from_arrays(arrays, schema=schema)
    return made


def _array(arrow: Any, name: str, values: Mapping[str, Sequence[Any]], kind: Any) -> Any:
    """A column; what `flat` does to each value is done here to all of them."""
    column = values[name]
    if name == "metadata":
        column = json_of(column)
    elif name == "cut":
        column = [None if cut is None else to_json(cut._asdict()) for cut in column]
    elif name == "spans":
        column = [spans or ((a, b),) for spans, a, b in zip(column, values["start"], values["end"], strict=True)]
    try:
        return arrow.array(column, kind)
    except UnicodeEncodeError:
        if name == "path":
            return arrow.array([[without_surrogates(part) for part in path] for path in column], kind)
        return arrow.array([None if text is None else without_surrogates(text) for text in column], kind)


def json_of(metadata: Iterable[Mapping[str, Any]]) -> list[str]:
    """Each as JSON with sorted keys; what stands there several times in a row is written once."""
    found: list[str] = []
    last = None
    for one in metadata:
        found.append(found[-1] if one is last else to_json(one, sort_keys=True))
        last = one
    return found


def packed(chunks: Chunks, *, relations: bool = False) -> bytes:
    """`table` as bytes, for `ParquetFile.table`: its batches as Arrow IPC, without the schema, which all have alike."""
    made = table(chunks, relations=relations)
    return b"".join(batch.serialize().to_pybytes() for batch in made.to_batches())


class ParquetFile:
    """A Parquet file that is written table by table. Raises `MissingDependencyError` without pyarrow."""

    def __init__(self, file: Any, *, relations: bool = False) -> None:
        pyarrow = _pyarrow("Parquet output")
        from pyarrow import parquet

        self._pyarrow = pyarrow
        self._schema = _schema(pyarrow, relations)
        self._writer = parquet.ParquetWriter(file, self._schema)

    def table(self, data: bytes) -> pyarrow.Table:
        """The table that `packed` made these bytes of; its values stay in them."""
        batches = []
        with self._pyarrow.BufferReader(data) as reader:
            while reader.tell() < len(data):
                batches.append(
                    self._pyarrow.ipc.read_record_batch(self._pyarrow.ipc.read_message(reader), self._schema)
                )
        made: pyarrow.Table = self._pyarrow.Table.from_batches(batches, self._schema)
        return made

    def write(self, tables: Iterable[pyarrow.Table]) -> None:
        """Append such tables, as one row group."""
        self._writer.write_table(self._pyarrow.concat_tables(tables))

    def close(self) -> None:
        """Write the end of the file; without it the file cannot be read."""
        self._writer.close()


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingDependencyError(what, "pyarrow", "cantle[arrow]") from None
    return pyarrow


def _columns(relations: bool) -> dict[str, str]:
    return COLUMNS | RELATIONS if relations else COLUMNS


def _schema(pyarrow: Any, relations: bool) -> Any:
    kinds = {
        "text": pyarrow.string(),
        "number": pyarrow.int64(),
        "truth": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.string()),
        "numbers": pyarrow.list_(pyarrow.int64()),
        "pairs": pyarrow.list_(pyarrow.list_(pyarrow.int64())),
    }
    return pyarrow.schema([(name, kinds[kind]) for name, kind in _columns(relations).items()])
