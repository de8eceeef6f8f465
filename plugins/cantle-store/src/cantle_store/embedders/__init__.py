"""What makes vectors of texts."""

from __future__ import annotations

from .embedder import Embedder, embedder
from .vectors import query_vector, read_vector, vectors_of

__all__ = ["Embedder", "embedder", "query_vector", "read_vector", "vectors_of"]
