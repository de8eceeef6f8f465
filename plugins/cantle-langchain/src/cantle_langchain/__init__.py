"""cantle in LangChain: a text splitter over every strategy, chunks as documents and back, and a loader.

```python
from cantle_langchain import CantleLoader, CantleTextSplitter

splitter = CantleTextSplitter("markdown", max_size=400, length_function="cl100k_base")
for piece in splitter.split_documents(CantleLoader("guide.md").load()):
    print(piece.id, piece.metadata["start_index"], piece.metadata["end_index"], piece.page_content)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .documents import document_key, from_documents, to_documents
    from .loader import CantleLoader
    from .splitter import CantleTextSplitter

_HOMES = {
    "CantleLoader": "loader",
    "CantleTextSplitter": "splitter",
    "document_key": "documents",
    "from_documents": "documents",
    "to_documents": "documents",
}

__all__ = [
    "CantleLoader",
    "CantleTextSplitter",
    "document_key",
    "from_documents",
    "to_documents",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: LangChain is loaded with it."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, imported or not."""
    return sorted({*globals(), *__all__})
