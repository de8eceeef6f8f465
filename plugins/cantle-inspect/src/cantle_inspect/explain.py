"""A document cut so that each chunk says why it ends where it ends."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from cantle import Chunks, MDocument, Strategy, registry

__all__ = ["explained", "fields"]


def explained(
    document: MDocument,
    strategy: str | type[Strategy] | Strategy | None = None,
    options: Mapping[str, Any] | None = None,
) -> Chunks:
    """The chunks of a document as `document.chunk(strategy, **options)` gives them, with reasons where there are any.

    `explain=True` is given to strategies that have the option, unless `options` say something else.
    """
    given = dict(options or {})
    # As `chunk` itself chooses when no strategy is named.
    if strategy in (None, ""):
        strategy = "recursive" if {"separators", "language"} & given.keys() else document.default_strategy
    chosen = registry().strategy(strategy) if isinstance(strategy, str) else strategy
    if "explain" in fields(chosen):
        given.setdefault("explain", True)
    return document.chunk(chosen, **given)


def fields(strategy: Any) -> frozenset[str]:
    """The options that a strategy, a class or an instance, takes and uses; none when it does not tell them."""
    if not dataclasses.is_dataclass(strategy):
        return frozenset()
    unused = getattr(strategy, "unused", ())
    return frozenset(f.name for f in dataclasses.fields(strategy) if f.init and f.name not in unused)
