"""The distance of two vectors, for an SQLite that cannot load sqlite-vec."""

from __future__ import annotations

import numpy as np

__all__ = ["cosine_distance"]


def cosine_distance(a: bytes | None, b: bytes | None) -> float | None:
    """1 minus the cosine of two vectors of float32; None when one is missing or their lengths differ."""
    if a is None or b is None or len(a) != len(b):
        return None
    first, second = np.frombuffer(a, "<f4").astype(np.float64), np.frombuffer(b, "<f4").astype(np.float64)
    size = float(np.sqrt((first @ first) * (second @ second)))
    return 1.0 if size == 0 else 1.0 - float(first @ second) / size
