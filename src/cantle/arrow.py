"""Chunks as flat rows and as Arrow tables; pyarrow's door."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from .errors import MissingDependencyError
from .written import to_json, without_surrogates

if TYPE_CHECKING:
    import pyarrow

    from .chunks import Chunks

__all__ = ["COLUMNS", "ParquetFile", "flat", "table"]

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


def flat(chunks: Chunks) -> list[dict[str, Any]]:
    """One row a chunk, with the names of `COLUMNS`: metadata and cut as JSON, lone surrogates as `?`.

    A chunk that is a literal slice has its one stretch in `spans`.
    """
    rows = []
    for row in chunks.to_dicts():
        row["metadata"] = to_json(row["metadata"], sort_keys=True)
        row["cut"] = None if row["cut"] is None else to_json(row["cut"])
        for name, kind in COLUMNS.items():
            if kind == "text" and row[name] is not None:
                row[name] = without_surrogates(row[name])
        row["path"] = [without_surrogates(part) for part in row["path"]]
        row["spans"] = row["spans"] or [[row["start"], row["end"]]]
        rows.append(row)
    return rows


def table(chunks: Chunks) -> pyarrow.Table:
    """A `pyarrow.Table`, one row a chunk. Raises `MissingDependencyError` without pyarrow."""
    arrow = _pyarrow("to_arrow()")
    made: pyarrow.Table = arrow.Table.from_pylist(flat(chunks), schema=_schema(arrow))
    return made


class ParquetFile:
    """A Parquet file that is written table by table. Raises `MissingDependencyError` without pyarrow."""

    def __init__(self, file: Any) -> None:
        pyarrow = _pyarrow("Parquet output")
        from pyarrow import parquet

        self._pyarrow = pyarrow
        self._writer = parquet.ParquetWriter(file, _schema(pyarrow))

    def write(self, tables: Iterable[pyarrow.Table]) -> None:
        """Append tables made by `table`, as one row group."""
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


def _schema(pyarrow: Any) -> Any:
    kinds = {
        "text": pyarrow.string(),
        "number": pyarrow.int64(),
        "truth": pyarrow.bool_(),
        "texts": pyarrow.list_(pyarrow.string()),
        "numbers": pyarrow.list_(pyarrow.int64()),
        "pairs": pyarrow.list_(pyarrow.list_(pyarrow.int64())),
    }
    return pyarrow.schema([(name, kinds[kind]) for name, kind in COLUMNS.items()])
