"""The cosines of one vector with others; numpy's door here."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["cosines"]


def cosines(vector: Sequence[float], others: Sequence[Sequence[float]]) -> list[float]:
    """The cosine of a vector with each of the others, to 9 digits; 0 where one of the two is all zeros."""
    import numpy as np

    if not others:
        return []
    # As the databases hold it: numbers of float32. Sums along a row are the same for any number of rows.
    one, many = np.asarray(vector, "<f4").astype(np.float64), np.asarray(others, "<f4").astype(np.float64)
    sizes = np.sqrt((many * many).sum(axis=1) * (one * one).sum())
    found = np.divide((many * one).sum(axis=1), sizes, out=np.zeros(len(many)), where=sizes > 0)
    return [round(float(value), 9) + 0.0 for value in found]
