"""DuckDB: chunks by a function in SQL, which works on the vectors of a query as they pass."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from inspect import Parameter, Signature
from threading import Lock
from typing import TYPE_CHECKING, Any

from cantle import Strategy
from cantle.errors import MissingDependencyError, OptionError

from ..chunker import Chunker
from ..errors import DatasetError
from .carried import chunked

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

__all__ = ["chunk_relation", "register_duckdb"]

_ROW = "__cantle_row"


def register_duckdb(
    connection: duckdb.DuckDBPyConnection,
    strategy: str | type[Strategy] | Strategy | None = None,
    *,
    name: str = "cantle_chunks",
    types: Mapping[str, str] | None = None,
    **options: Any,
) -> str:
    """Make the SQL function `name` on a connection, which gives the chunks of a document as a list of structs.

    Takes what `Chunker` takes. The function's arguments are the columns which that reads, in this order: the id
    (unless `document_id=None`), the text, the kind where it is a column, the columns of `metadata` and of `keep`; each
    is a VARCHAR unless `types` has another SQL type for it. A function of the same name is replaced. Returns the
    call, with the names of the columns, for use in a query::

        call = register_duckdb(connection, "recursive", max_size=500)
        connection.sql(f"SELECT unnest({call}, max_depth := 2) FROM docs")

    Raises what `Chunker` raises, `OptionError` for a name in `types` that is no column, and `MissingDependencyError`
    without DuckDB. An error while a query runs is DuckDB's `InvalidInputException`, with our message in it.
    """
    _duckdb("register_duckdb()")
    chunker = Chunker(strategy, **options)
    columns = dict.fromkeys(chunker.columns, "VARCHAR")
    for column, kind in (types or {}).items():
        if column not in columns:
            raise OptionError(f"types names {column!r}, but the columns read are {', '.join(columns)}.")
        columns[column] = kind
    return _register(connection, strategy, options, name, columns)


def chunk_relation(
    connection: duckdb.DuckDBPyConnection,
    relation: duckdb.DuckDBPyRelation,
    strategy: str | type[Strategy] | Strategy | None = None,
    *,
    name: str = "cantle_chunks",
    **options: Any,
) -> duckdb.DuckDBPyRelation:
    """The chunks of a relation of documents, as a relation with the columns of `schema()`.

    Lazy, as relations are, and streamed: DuckDB hands over vectors of some 2,000 rows. `connection` is the one that
    the relation was made with; the function `name` is made on it (see `register_duckdb`), so give each of several
    relations that are in use together a name of its own. Takes what `Chunker` takes. Raises what `register_duckdb`
    raises, and `OptionError` when the relation lacks a column.
    """
    _duckdb("chunk_relation()")
    there = dict(zip(relation.columns, map(str, relation.types), strict=True))
    columns = {}
    for column in Chunker(strategy, **options).columns:
        if column not in there:
            raise OptionError(f"The relation has no column {column!r}. Its columns: {', '.join(there)}.")
        columns[column] = there[column]
    call = _register(connection, strategy, options, name, columns)
    return relation.project(f"unnest({call}, max_depth := 2)")


def _register(
    connection: Any,
    strategy: Any,
    options: dict[str, Any],
    name: str,
    columns: dict[str, str],
) -> str:
    import duckdb
    import pyarrow as pa

    casts = ", ".join(f"CAST(NULL AS {kind}) AS {_quoted(column)}" for column, kind in columns.items())
    incoming = connection.sql(f"SELECT {casts} LIMIT 0").to_arrow_table().schema
    # Each chunk keeps the number of its row, so that a document without chunks gets an empty list.
    keep = options.get("keep") or ()
    keep = (keep,) if isinstance(keep, str) else tuple(keep)
    chunker = Chunker(strategy, **{**options, "keep": (*keep, _ROW)})
    numbered = incoming.append(pa.field(_ROW, pa.int64()))
    empty = _wide(pa.Table.from_batches([chunker(numbered.empty_table())]))
    outgoing = empty.drop_columns([_ROW])
    names = list(columns)
    lock = Lock()

    def chunk(*values: Any) -> Any:
        count = len(values[0])
        rows = pa.array(range(count), pa.int64())
        batch = pa.table([*values, rows], names=[*names, _ROW])
        try:
            with lock:
                tables = [_wide(pa.Table.from_batches([part])) for part in chunked(chunker, batch)]
        except Exception as error:  # DuckDB takes over the message alone
            notes = getattr(error, "__notes__", ())
            raise DatasetError(" ".join((f"{type(error).__name__}: {error}", *notes))) from error
        return _listed(pa.concat_tables(tables), count)

    parameters = [Parameter(f"a{i}", Parameter.POSITIONAL_ONLY) for i in range(len(names))]
    chunk.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # DuckDB counts them
    with_types = connection.from_arrow(outgoing)
    fields = ", ".join(f"{_quoted(c)} {t}" for c, t in zip(with_types.columns, with_types.types, strict=True))
    with suppress(duckdb.Error):  # there is none of this name
        connection.remove_function(name)
    connection.create_function(
        name,
        chunk,
        list(columns.values()),
        f"STRUCT({fields})[]",
        type="arrow",
        null_handling="special",
        side_effects=False,
    )
    return f"{_quoted(name)}({', '.join(map(_quoted, columns))})"


def _listed(table: pa.Table, count: int) -> Any:
    """The chunks as one list of structs for each of `count` rows."""
    import numpy
    import pyarrow as pa

    table = table.combine_chunks()
    rows = table.column(_ROW).to_numpy()
    offsets = numpy.searchsorted(rows, numpy.arange(count + 1))
    table = table.drop_columns([_ROW])
    columns = [_one(column) for column in table.columns]
    structs = pa.StructArray.from_arrays(columns, fields=list(table.schema))
    return pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), structs)


def _one(column: Any) -> Any:
    """A column of a table whose chunks were combined."""
    import pyarrow as pa

    return column.chunk(0) if column.num_chunks else pa.array([], column.type)


def _wide(table: pa.Table) -> pa.Table:
    """Strings with offsets of 64 bits: the chunks of a vector may be more than 2 GB."""
    import pyarrow as pa

    fields = [f.with_type(pa.large_string()) if pa.types.is_string(f.type) else f for f in table.schema]
    return table.cast(pa.schema(fields))


def _quoted(name: str) -> str:
    """A name in SQL, whatever characters it has."""
    return '"' + name.replace('"', '""') + '"'


def _duckdb(what: str) -> Any:
    """DuckDB, imported; what a user asked for is named if it is not installed."""
    try:
        import duckdb
    except ImportError as error:
        raise MissingDependencyError(what, "duckdb", "cantle-dataset[duckdb]") from error
    return duckdb
