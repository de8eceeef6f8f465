"""A text into topical blocks by the lexical engine: what a worker does for `/v1/partition`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from cantle import Source

if TYPE_CHECKING:
    from cantle_llm import PartitionResult

__all__ = ["CALLER", "by_words"]

CALLER = "smartSplit"


def by_words(text: str, source: str, options: dict[str, Any]) -> PartitionResult:
    """The blocks of a text, without a model."""
    from cantle_llm import partition

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # options that are for a model have no effect here; that is documented
        return partition(Source(text, source=source), engine="lexical", caller=CALLER, **options)
