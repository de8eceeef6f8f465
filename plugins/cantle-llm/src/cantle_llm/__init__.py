"""Language models for cantle: metadata of chunks, notes for retrieval, topical blocks of a document.

```python
from cantle_llm import Client, partition

result = partition(text)                               # by lexical cohesion, without a model
result = partition(text, client=Client("gpt-4.1-nano"))  # by a model
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from .client.client import Client, Run
    from .client.usage import Control, Cost, Usage
    from .errors import AnswerError, BudgetError, ModelError, ModelWarning, RefusedError
    from .model.protocol import Model, Reply, Request
    from .settings import Settings

_HOMES = {
    "AnswerError": "errors",
    "BudgetError": "errors",
    "Client": "client.client",
    "Control": "client.usage",
    "Cost": "client.usage",
    "Model": "model.protocol",
    "ModelError": "errors",
    "ModelWarning": "errors",
    "RefusedError": "errors",
    "Reply": "model.protocol",
    "Request": "model.protocol",
    "Run": "client.client",
    "Settings": "settings",
    "Usage": "client.usage",
}

__all__ = [
    "AnswerError",
    "BudgetError",
    "Client",
    "Control",
    "Cost",
    "Model",
    "ModelError",
    "ModelWarning",
    "RefusedError",
    "Reply",
    "Request",
    "Run",
    "Settings",
    "Usage",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: a plugin that is not used costs nothing."""
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@hookimpl
def register_commands() -> dict[str, str]:
    """Our commands."""
    return {}
