"""cantle as a service: chunks, topical blocks, datasets and search over HTTP.

```python
from cantle_server import Settings, serve

serve(Settings.of({"dev": True}))
```
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from cantle import hookimpl

if TYPE_CHECKING:
    from .app import create_app
    from .auth.caller import Caller
    from .auth.tokens import issue_token
    from .errors import Problem
    from .serving import serve, server
    from .settings import Settings

_HOMES = {
    "Caller": "auth.caller",
    "Problem": "errors",
    "Settings": "settings",
    "create_app": "app",
    "issue_token": "auth.tokens",
    "serve": "serving",
    "server": "serving",
}

__all__ = [
    "Caller",
    "Problem",
    "Settings",
    "create_app",
    "issue_token",
    "serve",
    "server",
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
    return {"serve": f"{__name__}.commands.serve:command"}
