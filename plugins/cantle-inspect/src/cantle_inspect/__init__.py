"""Look at chunks before you pay for them: `cantle view`, `compare`, `preview`, `eval` and `cost`.

The same in Python:

```python
from cantle_inspect import read_corpus, preview

corpus = read_corpus("policies/", require=["dept", "classification"])
print(preview(corpus, "Quantos dias de ferias?", where={"dept": "hr"}).to_dict())
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from .access import Access, read_roles
    from .corpus import Corpus, LeftOut, read_corpus
    from .pool import Cutting, Passage, Pool
    from .preview import Hit, Preview, preview

_HOMES = {
    "Access": "access",
    "Corpus": "corpus",
    "Cutting": "pool",
    "Hit": "preview",
    "LeftOut": "corpus",
    "Passage": "pool",
    "Pool": "pool",
    "Preview": "preview",
    "preview": "preview",
    "read_corpus": "corpus",
    "read_roles": "access",
}

__all__ = [
    "Access",
    "Corpus",
    "Cutting",
    "Hit",
    "LeftOut",
    "Passage",
    "Pool",
    "Preview",
    "preview",
    "read_corpus",
    "read_roles",
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
    names = ("preview",)
    return {name: f"{__name__}.commands.{name}:command" for name in names}
