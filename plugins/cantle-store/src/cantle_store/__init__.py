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

from cantle import hookimpl

if TYPE_CHECKING:
    from .embedders.e5 import E5Embedder
    from .embedders.embedder import Embedder, embedder
    from .embedders.openai import OpenAIEmbedder
    from .embedders.wordllama import WordllamaEmbedder
    from .errors import (
        ClosedError,
        DimensionError,
        EmbedderError,
        FatalEmbedderError,
        NoEmbedderError,
        NotFoundError,
        OtherEmbedderError,
        SchemaError,
        StoreError,
        UnavailableError,
    )
    from .ingesting.ingest import ingest
    from .ingesting.ingested import Counts, Ingested
    from .records import Avatar, Dataset, Deleted, Document, Hit, StoredChunk, Synced
    from .store import Store

_HOMES = {
    "Avatar": "records",
    "Counts": "ingesting.ingested",
    "ClosedError": "errors",
    "Dataset": "records",
    "Deleted": "records",
    "DimensionError": "errors",
    "Document": "records",
    "E5Embedder": "embedders.e5",
    "Embedder": "embedders.embedder",
    "EmbedderError": "errors",
    "FatalEmbedderError": "errors",
    "Hit": "records",
    "Ingested": "ingesting.ingested",
    "NoEmbedderError": "errors",
    "NotFoundError": "errors",
    "OpenAIEmbedder": "embedders.openai",
    "OtherEmbedderError": "errors",
    "SchemaError": "errors",
    "Store": "store",
    "StoreError": "errors",
    "StoredChunk": "records",
    "Synced": "records",
    "UnavailableError": "errors",
    "WordllamaEmbedder": "embedders.wordllama",
    "embedder": "embedders.embedder",
    "ingest": "ingesting.ingest",
}

__all__ = [
    "Avatar",
    "Counts",
    "ClosedError",
    "Dataset",
    "Deleted",
    "DimensionError",
    "Document",
    "E5Embedder",
    "Embedder",
    "EmbedderError",
    "FatalEmbedderError",
    "Hit",
    "Ingested",
    "NoEmbedderError",
    "NotFoundError",
    "OpenAIEmbedder",
    "OtherEmbedderError",
    "SchemaError",
    "Store",
    "StoreError",
    "StoredChunk",
    "Synced",
    "UnavailableError",
    "WordllamaEmbedder",
    "embedder",
    "ingest",
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


_COMMANDS = ("ingest", "search", "datasets", "forget", "roles", "reembed")


@hookimpl
def register_commands() -> dict[str, str]:
    """Our commands."""
    return {name: f"{__name__}.commands.{name}:command" for name in _COMMANDS}
