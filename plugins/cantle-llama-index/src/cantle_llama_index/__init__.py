"""cantle in LlamaIndex: a node parser over every strategy, chunks as nodes and back, and a reader of files.

```python
from cantle_llama_index import CantleNodeParser, CantleReader

parser = CantleNodeParser("structural-context", max_size=400, length_function="cl100k_base")
for node in parser.get_nodes_from_documents(CantleReader().load_data("guide.md")):
    print(node.id_, node.start_char_idx, node.end_char_idx, node.text)
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .nodes import from_nodes, to_nodes
    from .parser import CantleNodeParser
    from .reader import CantleReader

_HOMES = {
    "CantleNodeParser": "parser",
    "CantleReader": "reader",
    "from_nodes": "nodes",
    "to_nodes": "nodes",
}

__all__ = [
    "CantleNodeParser",
    "CantleReader",
    "from_nodes",
    "to_nodes",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: LlamaIndex is loaded with it."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names too, imported or not."""
    return sorted({*globals(), *__all__})
