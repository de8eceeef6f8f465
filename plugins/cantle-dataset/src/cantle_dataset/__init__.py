"""Whole datasets cut by cantle: Arrow in, Arrow out, on one machine, on Ray Data or on Spark.

```python
import pyarrow as pa
from cantle_dataset import chunk_table

documents = pa.table({"id": ["guide"], "text": ["All about tides.\\n\\nAnd about ferries."]})
chunks = chunk_table(documents, "recursive", max_size=20)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from .chunker import Chunker, chunk_table
    from .columns import SCHEMA_VERSION, schema
    from .engines.dask import chunk_dask
    from .engines.duckdb import chunk_relation, register_duckdb
    from .engines.ray import chunk_dataset, for_ray
    from .engines.spark import chunk_dataframe, for_spark
    from .errors import BatchTooLargeError, DatasetError

_HOMES = {
    "BatchTooLargeError": "errors",
    "Chunker": "chunker",
    "DatasetError": "errors",
    "SCHEMA_VERSION": "columns",
    "chunk_dask": "engines.dask",
    "chunk_dataframe": "engines.spark",
    "chunk_dataset": "engines.ray",
    "chunk_relation": "engines.duckdb",
    "chunk_table": "chunker",
    "for_ray": "engines.ray",
    "for_spark": "engines.spark",
    "register_duckdb": "engines.duckdb",
    "schema": "columns",
}

__all__ = [
    "BatchTooLargeError",
    "Chunker",
    "DatasetError",
    "SCHEMA_VERSION",
    "chunk_dask",
    "chunk_dataframe",
    "chunk_dataset",
    "chunk_relation",
    "chunk_table",
    "for_ray",
    "for_spark",
    "register_duckdb",
    "schema",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a plugin that is not used costs nothing."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, imported or not."""
    return sorted({*globals(), *__all__})


@hookimpl
def register_commands() -> dict[str, str]:
    """Our command."""
    return {"dataset": f"{__name__}.commands.dataset:command"}
