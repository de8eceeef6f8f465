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
    from .contextualizing import Contextualized, contextualize, estimate_notes
    from .errors import AnswerError, BudgetError, ModelError, ModelWarning, PersistError, RefusedError
    from .estimates import Estimate
    from .extracting import refused
    from .media.image import describe_image
    from .media.kinds import media_type_of
    from .media.sound import transcribe
    from .model.protocol import Media, Model, Reply, Request
    from .partitioning.counters import counts
    from .partitioning.partition import apartition, estimate_partition, partition
    from .partitioning.result import Block, PartitionResult, Persisted
    from .partitioning.strategy import Partition
    from .settings import Settings

_HOMES = {
    "AnswerError": "errors",
    "Block": "partitioning.result",
    "BudgetError": "errors",
    "Client": "client.client",
    "Contextualized": "contextualizing",
    "Control": "client.usage",
    "Cost": "client.usage",
    "Estimate": "estimates",
    "Media": "model.protocol",
    "Model": "model.protocol",
    "ModelError": "errors",
    "ModelWarning": "errors",
    "Partition": "partitioning.strategy",
    "PartitionResult": "partitioning.result",
    "PersistError": "errors",
    "Persisted": "partitioning.result",
    "RefusedError": "errors",
    "Reply": "model.protocol",
    "Request": "model.protocol",
    "Run": "client.client",
    "Settings": "settings",
    "Usage": "client.usage",
    "apartition": "partitioning.partition",
    "contextualize": "contextualizing",
    "counts": "partitioning.counters",
    "describe_image": "media.image",
    "estimate_notes": "contextualizing",
    "estimate_partition": "partitioning.partition",
    "media_type_of": "media.kinds",
    "partition": "partitioning.partition",
    "refused": "extracting",
    "transcribe": "media.sound",
}

__all__ = [
    "AnswerError",
    "Block",
    "BudgetError",
    "Client",
    "Contextualized",
    "Control",
    "Cost",
    "Estimate",
    "Media",
    "Model",
    "ModelError",
    "ModelWarning",
    "Partition",
    "PartitionResult",
    "PersistError",
    "Persisted",
    "RefusedError",
    "Reply",
    "Request",
    "Run",
    "Settings",
    "Usage",
    "apartition",
    "contextualize",
    "counts",
    "describe_image",
    "estimate_notes",
    "estimate_partition",
    "media_type_of",
    "partition",
    "refused",
    "transcribe",
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
    """Our commands."""
    return {name: f"{__name__}.commands.{name}:command" for name in ("partition", "contextualize")}


@hookimpl
def register_extractors() -> dict[str, Any]:
    """Our extractors; what does the work is imported when a field is extracted."""
    from .extracting import EXTRACTORS

    return dict(EXTRACTORS)


@hookimpl
def register_strategies() -> list[type[Any]]:
    """Our strategy."""
    from .partitioning.strategy import Partition

    return [Partition]
