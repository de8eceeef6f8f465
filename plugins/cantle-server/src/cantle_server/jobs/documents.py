"""A text into chunks for a dataset: what a worker does for `/v1/datasets/{id}/documents`."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from cantle import MDocument

from .chunk import refuse_models

if TYPE_CHECKING:
    from cantle import Chunks

__all__ = ["chunks_of"]


def chunks_of(
    text: str, kind: str, source: str, metadata: dict[str, Any], strategy: str | None, options: dict[str, Any]
) -> Chunks:
    """The chunks of a text."""
    from cantle_llm import refused

    document = MDocument(text, kind, metadata, source)
    name = strategy or document.strategy_for(options)
    refuse_models(name, options)
    with warnings.catch_warnings(), refused("Datasets are filled without a model; POST /v1/partition has one."):
        warnings.simplefilter("ignore")
        return document.chunk(name, **options)
