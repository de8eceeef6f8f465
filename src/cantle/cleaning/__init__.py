"""What is taken out of a text before it is cut, with the way back to the positions of the original."""

from __future__ import annotations

from .cleaned import Cleaned

__all__ = ["Cleaned"]
