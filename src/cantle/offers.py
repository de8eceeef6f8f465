"""What a plugin offers, checked: the answers of its hooks, and calls of those that do work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .errors import CantleError, PluginError
from .strategy import Strategy

__all__ = ["Hook", "by_name", "is_target", "named", "shown"]


class Hook:
    """One plugin's implementation of a hook. What it raises names the plugin; cantle's own errors pass."""

    def __init__(self, name: str, implementation: Any) -> None:
        self.name, self.plugin = name, implementation.plugin_name
        self._function, self._arguments = implementation.function, implementation.argnames

    def call(self, **arguments: Any) -> Any:
        """Call it with the arguments that it names, as pluggy does."""
        try:
            return self._function(*(arguments[name] for name in self._arguments))
        except CantleError:
            raise
        except Exception as error:
            raise PluginError(
                f"{self.name}() of plugin {self.plugin!r} failed: {type(error).__name__}: {error}"
            ) from error

    def checked(self, result: Any, kind: type[Any], wanted: str) -> Any:
        """The result, if it is of the kind that the hook asks for."""
        if not isinstance(result, kind):
            raise PluginError(f"{self.name}() of plugin {self.plugin!r} must return {wanted}, got {result!r}.")
        return result


def named(offered: Any, hook: str, good: Callable[[Any], bool]) -> dict[str, Any]:
    """Names to functions or targets, as a hook gives them; anything else is a `PluginError`."""
    found = dict(offered or {})
    for name, value in found.items():
        if not isinstance(name, str) or not name or not good(value):
            what = "'module:command'" if good is is_target else "functions"
            raise PluginError(f"{hook}() must give a mapping of names to {what}, got {name!r}: {value!r}")
    return found


def is_target(value: Any) -> bool:
    """Whether a value is `module:command`."""
    return isinstance(value, str) and ":" in value


def by_name(offered: Any) -> dict[str, type[Strategy]]:
    """Strategy classes by their names; two of one name are a `PluginError`."""
    found: dict[str, type[Strategy]] = {}
    for cls in offered or ():
        name = _strategy_name(cls)
        if found.setdefault(name, cls) is not cls:
            raise PluginError(f"register_strategies() gave two strategies named {name!r}: {found[name]!r} and {cls!r}")
    return found


def _strategy_name(cls: Any) -> str:
    name = getattr(cls, "name", None)
    if not isinstance(name, str) or not name or not callable(getattr(cls, "split", None)):
        raise PluginError(
            f"register_strategies() gave {cls!r}, which is no strategy: it needs a name and split(source)"
        )
    return name


def shown(error: BaseException) -> str:
    """An error on one line that can be printed; some of pluggy's list whole modules."""
    text = " ".join(f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode("utf-8").split())
    return text if len(text) <= 500 else f"{text[:497]}..."
