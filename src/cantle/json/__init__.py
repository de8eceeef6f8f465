"""JSON between its tree and its chunks: which members and items go together, and what is written around them.

A chunk is a stretch of the compact document, with the keys of the containers around it opened before
it and closed behind it. `walk.py` opens the containers that do not fit and joins what follows one
another, `leaves.py` cuts what has nothing to open, `sizes.py` measures, `frames.py` is what they hand on.
"""

from __future__ import annotations

from .frames import Part
from .walk import Walk

__all__ = ["Part", "Walk"]
