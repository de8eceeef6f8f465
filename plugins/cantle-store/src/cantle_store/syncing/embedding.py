"""Vectors for texts, made in batches and checked against what the dataset has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..database.batches import batches
from ..embedders import Embedder, vectors_of
from ..errors import DimensionError, OtherEmbedderError
from ..tables import packed

__all__ = ["check_dimension", "check_embedder", "made_vectors"]

_BATCH = 256
"""Texts that an embedder is asked for at once, unless it says so itself (`batch_size`)."""


def check_embedder(dataset: Any, maker: Embedder | None) -> None:
    """Refuse an embedder whose vectors cannot be compared with those that are there, before it is asked (and paid)."""
    if maker is None or dataset.dimension is None:
        return
    if dataset.embedder != maker.name:
        raise OtherEmbedderError(
            f"The dataset {dataset.name!r} has vectors of {dataset.embedder!r}, which cannot be compared with those of "
            f"{maker.name!r}. Give that embedder, or make all vectors anew with store.reembed({dataset.name!r}, "
            "embedder)."
        )
    size = getattr(maker, "dimension", None)
    if isinstance(size, int):
        check_dimension(dataset, maker, size)


def check_dimension(dataset: Any, maker: Embedder, size: int) -> None:
    """Refuse vectors of another length than those that are there."""
    if dataset.dimension is not None and size != dataset.dimension:
        raise DimensionError(
            f"The embedder {maker.name!r} gives vectors of {size} numbers, the dataset {dataset.name!r} has vectors of "
            f"{dataset.dimension}. Give the embedder that made those, or make all vectors anew with "
            f"store.reembed({dataset.name!r}, embedder)."
        )


def made_vectors(maker: Embedder, texts: Mapping[str, str]) -> dict[str, bytes]:
    """Vectors of texts by their hashes, packed. Raises `EmbedderError` and `DimensionError`."""
    size = getattr(maker, "batch_size", None)
    size = size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else _BATCH
    found: dict[str, bytes] = {}
    length = 0
    for some in batches(texts, size):
        vectors = vectors_of(maker, [texts[name] for name in some])
        length = length or len(vectors[0])
        if len(vectors[0]) != length:
            raise DimensionError(
                f"The embedder {maker.name!r} gave vectors of {length} numbers, then some of {len(vectors[0])}."
            )
        found.update(zip(some, map(packed, vectors), strict=True))
    return found
