"""Dask: chunks by `map_partitions`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cantle import Strategy
from cantle.errors import MissingDependencyError, OptionError

from ..chunker import Chunker
from .carried import carry, cut

if TYPE_CHECKING:
    import dask.dataframe
    import pandas as pd

__all__ = ["chunk_dask"]

REMEDY = (
    "Install it on all workers, or send it along: client.upload_file(...), or the plugin PipInstall of distributed."
)


def chunk_dask(
    dataframe: dask.dataframe.DataFrame,
    strategy: str | type[Strategy] | Strategy | None = None,
    **options: Any,
) -> dask.dataframe.DataFrame:
    """The chunks of a Dask DataFrame of documents, as a DataFrame with the columns of `schema()`.

    Lazy, as all of Dask. Takes what `Chunker` takes. All columns have Arrow types (`int64[pyarrow]`, ...), so that a
    missing value stays one and lists stay lists. Cutting holds Python's lock: threads gain nothing, so compute with
    `scheduler="processes"` or on a cluster of `distributed`.

    Raises what `Chunker` raises, and `MissingDependencyError` without Dask.
    """
    cloudpickle = _cloudpickle("chunk_dask()")
    chunker = Chunker(strategy, **options)
    for column in chunker.columns:
        if column not in dataframe.columns:
            raise OptionError(f"The DataFrame has no column {column!r}. Its columns: {', '.join(dataframe.columns)}.")
    chosen = dataframe[chunker.columns]
    meta = _frame(chunker, chosen._meta)
    data = carry(chunker, cloudpickle.dumps)
    chunks = chosen.map_partitions(_cut, data, chunker.name, meta=meta, enforce_metadata=False)
    cleared: dask.dataframe.DataFrame = chunks.clear_divisions()  # the index of a part counts its chunks
    return cleared


def _cut(part: pd.DataFrame, data: bytes, name: str) -> pd.DataFrame:
    import pandas
    import pyarrow as pa

    batch = pa.Table.from_pandas(part, preserve_index=False)
    tables = [pa.Table.from_batches([piece]) for piece in cut(data, name, REMEDY, batch)]
    found: pd.DataFrame = pa.concat_tables(tables).to_pandas(types_mapper=pandas.ArrowDtype)
    return found


def _frame(chunker: Chunker, empty: pd.DataFrame) -> pd.DataFrame:
    """No chunks of no documents, with the types that those of some have."""
    import pandas
    import pyarrow as pa

    made = chunker(pa.Table.from_pandas(empty, preserve_index=False))
    found: pd.DataFrame = pa.Table.from_batches([made]).to_pandas(types_mapper=pandas.ArrowDtype)
    return found


def _cloudpickle(what: str) -> Any:
    """What Dask pickles with; what a user asked for is named if Dask is not installed."""
    try:
        import cloudpickle
        import dask.dataframe  # noqa: F401  # tried here, for the message
    except ImportError as error:
        raise MissingDependencyError(what, "dask", "cantle-dataset[dask]") from error
    return cloudpickle
