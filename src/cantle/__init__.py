"""Cut documents into chunks for retrieval.

```python
from cantle import MDocument

for chunk in MDocument.from_file("README.md").chunk(max_size=400, length_function="cl100k_base"):
    print(chunk.start, chunk.end, chunk.text)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .batch import Result, chunk_many
    from .chunk import Chunk, Cut
    from .chunks import Chunks
    from .context.chunker import ContextRetrievalChunker
    from .context.contextualize import acontextualize, contextualize
    from .document import MDocument
    from .errors import CantleError
    from .hookspecs import hookimpl
    from .lengths import Length, Measure
    from .metadata import aextract, extract
    from .plugins import Registry, registry
    from .relations import Relation
    from .source import OffsetMap, Source
    from .strategy import Sized, Strategy, option
    from .streams import ChunkStream, TextReader, chunk_stream
    from .sync import diff, read_jsonl

__version__ = "0.1.0"

_HOMES = {
    "CantleError": "errors",
    "Chunk": "chunk",
    "ChunkStream": "streams",
    "Chunks": "chunks",
    "ContextRetrievalChunker": "context.chunker",
    "Cut": "chunk",
    "Length": "lengths",
    "MDocument": "document",
    "Measure": "lengths",
    "OffsetMap": "source",
    "Registry": "plugins",
    "Relation": "relations",
    "Result": "batch",
    "Sized": "strategy",
    "Source": "source",
    "Strategy": "strategy",
    "TextReader": "streams",
    "acontextualize": "context.contextualize",
    "aextract": "metadata",
    "chunk_many": "batch",
    "chunk_stream": "streams",
    "contextualize": "context.contextualize",
    "diff": "sync",
    "extract": "metadata",
    "hookimpl": "hookspecs",
    "option": "strategy",
    "read_jsonl": "sync",
    "registry": "plugins",
}

__all__ = [
    "CantleError",
    "Chunk",
    "ChunkStream",
    "Chunks",
    "ContextRetrievalChunker",
    "Cut",
    "Length",
    "MDocument",
    "Measure",
    "OffsetMap",
    "Registry",
    "Relation",
    "Result",
    "Sized",
    "Source",
    "Strategy",
    "TextReader",
    "acontextualize",
    "aextract",
    "chunk_many",
    "chunk_stream",
    "contextualize",
    "diff",
    "extract",
    "hookimpl",
    "option",
    "read_jsonl",
    "registry",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: importing cantle costs next to nothing."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__", "errors"})
