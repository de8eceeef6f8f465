"""A place to keep chunks: SQLite or Postgres, incremental sync, search with access filters.

```python
from cantle import MDocument
from cantle_store import Store

with Store("sqlite:///chunks.db") as store:
    store.sync("docs", "guide.md", MDocument.from_file("guide.md").chunk(), embedder=embed)
    for hit in store.search("how long is the leave?", embedder=embed, where={"dept": "hr"}):
        print(hit.score, hit.chunk.text)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .embedders.embedder import Embedder, embedder
    from .errors import DimensionError, EmbedderError, NotFoundError, SchemaError, StoreError
    from .records import Avatar, Dataset, Deleted, Document, Hit, StoredChunk, Synced
    from .store import Store

_HOMES = {
    "Avatar": "records",
    "Dataset": "records",
    "Deleted": "records",
    "DimensionError": "errors",
    "Document": "records",
    "Embedder": "embedders.embedder",
    "EmbedderError": "errors",
    "Hit": "records",
    "NotFoundError": "errors",
    "SchemaError": "errors",
    "Store": "store",
    "StoreError": "errors",
    "StoredChunk": "records",
    "Synced": "records",
    "embedder": "embedders.embedder",
}

__all__ = [
    "Avatar",
    "Dataset",
    "Deleted",
    "DimensionError",
    "Document",
    "Embedder",
    "EmbedderError",
    "Hit",
    "NotFoundError",
    "SchemaError",
    "Store",
    "StoreError",
    "StoredChunk",
    "Synced",
    "embedder",
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
