"""cantle in Haystack: a document splitter over every strategy, a converter of files, and both ways between the types.

```python
from haystack import Pipeline
from haystack.components.writers import DocumentWriter
from cantle_haystack import CantleDocumentSplitter, CantleFileConverter

pipeline = Pipeline()
pipeline.add_component("converter", CantleFileConverter())
pipeline.add_component("splitter", CantleDocumentSplitter(max_size=800, overlap=80))
pipeline.add_component("writer", DocumentWriter(store))
pipeline.connect("converter", "splitter")
pipeline.connect("splitter", "writer")
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .converter import CantleFileConverter
    from .errors import WrongTypeError
    from .packing import from_documents, to_documents
    from .splitter import CantleDocumentSplitter

_HOMES = {
    "CantleDocumentSplitter": "splitter",
    "CantleFileConverter": "converter",
    "WrongTypeError": "errors",
    "from_documents": "packing",
    "to_documents": "packing",
}

__all__ = ["CantleDocumentSplitter", "CantleFileConverter", "WrongTypeError", "from_documents", "to_documents"]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: Haystack is not loaded before."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, imported or not."""
    return sorted({*globals(), *__all__})
