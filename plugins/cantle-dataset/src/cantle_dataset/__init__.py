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
    from .errors import BatchTooLargeError, DatasetError
    from .columns import SCHEMA_VERSION, schema

_HOMES = {
    "BatchTooLargeError": "errors",
    "Chunker": "chunker",
    "DatasetError": "errors",
    "SCHEMA_VERSION": "columns",
    "chunk_table": "chunker",
    "schema": "columns",
}

__all__ = [
    "BatchTooLargeError",
    "Chunker",
    "DatasetError",
    "SCHEMA_VERSION",
    "chunk_table",
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
