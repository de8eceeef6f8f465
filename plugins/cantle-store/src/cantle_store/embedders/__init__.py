"""What makes vectors of texts."""

from __future__ import annotations

from .embedder import Embedder, embedder

__all__ = ["Embedder", "embedder"]
