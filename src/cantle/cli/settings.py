"""What the output of `cantle chunk` depends on besides the documents: for runs that are resumed."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import PackageNotFoundError, entry_points, version
from typing import Any

from .. import __version__
from ..plugins import GROUP, registry
from ..written import to_json

__all__ = ["differences", "settings"]

_PACKAGES = ("beautifulsoup4", "charset-normalizer", "nltk", "pyyaml", "regex", "tiktoken", "tokenizers")
"""Packages of ours that chunks depend on. The faster tokenizers are left out: they give what tiktoken gives."""

_HOOKS = {
    *("finish_chunks", "load_document", "prepare_source"),
    *("register_extractors", "register_length_functions", "register_strategies"),
}
"""What makes a plugin matter: one that only adds commands does not."""

_NAMED = 6
"""So many differences are named."""


def settings(
    strategy: str | None, options: Mapping[str, Any], read: Mapping[str, Any], format: str, relations: bool
) -> dict[str, Any]:
    """Everything that decides what a document gives, as JSON has it."""
    host = registry()
    plugins = {
        name: plugin.version or "without a version"
        for name, plugin in host.plugins.items()
        if not plugin.error and _HOOKS & set(plugin.hooks) and not host.is_builtin(name)
    }
    packages = sorted({*_PACKAGES, *_required_by(plugins)} - {"cantle"})
    made: dict[str, Any] = json.loads(
        to_json(
            {
                "format": format,
                "relations": relations,
                "strategy": strategy,
                "options": options,
                "read": read,
                "cantle": __version__,
                "python": f"{sys.version_info.major}.{sys.version_info.minor}",
                "packages": {name: found for name in packages if (found := _version(name))},
                "plugins": plugins,
            }
        )
    )
    return made


def _required_by(plugins: Mapping[str, str]) -> Iterator[str]:
    """The packages that installed plugins ask for: those that read PDF, for instance."""
    for point in entry_points(group=GROUP) if plugins else ():
        if point.name in plugins and point.dist is not None:
            for requirement in point.dist.requires or ():
                if "extra ==" not in requirement and (name := re.match(r"[\w.-]+", requirement)):
                    yield name[0].lower()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Each setting that is another, for a message."""
    old, new = dict(_flat(before)), dict(_flat(now))
    names = [name for name in {**new, **old} if old.get(name) != new.get(name)]
    shown = [f"{name} was {_shown(old.get(name))} and is {_shown(new.get(name))}" for name in names[:_NAMED]]
    return "; ".join(shown + [f"and {len(names) - _NAMED} more"] * (len(names) > _NAMED))


def _flat(config: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in config.items():
        if isinstance(value, Mapping) and name in ("options", "read", "packages", "plugins"):
            yield from value.items()
        else:
            yield name, value


def _shown(value: Any) -> str:
    return "not given" if value is None else to_json(value)
