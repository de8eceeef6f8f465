"""A document cut so that each chunk says why it ends where it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cantle import Chunks, MDocument, Strategy, registry
from cantle.errors import OptionError

from .settings import fields

__all__ = ["explained"]


def explained(
    document: MDocument,
    strategy: str | type[Strategy] | Strategy | None = None,
    options: Mapping[str, Any] | None = None,
) -> Chunks:
    """The chunks of a document as `document.chunk(strategy, **options)` gives them, with reasons where there are any.

    `explain=True` is given to strategies that have the option, unless `options` say something else. Raises
    `OptionError` for what is no document, and what `chunk` raises.
    """
    if not isinstance(document, MDocument):
        raise OptionError(
            f"The document must be an MDocument, got {type(document).__name__}. Make one: MDocument.from_file(path)."
        )
    given = dict(options or {})
    if strategy is None or strategy == "":
        strategy = document.strategy_for(given)
    chosen = registry().strategy(strategy) if isinstance(strategy, str) else strategy
    if "explain" in fields(chosen):
        given.setdefault("explain", True)
    return document.chunk(chosen, **given)
