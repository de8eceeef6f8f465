"""What a request may cost: bytes, time, how many at once, how many a minute."""

from __future__ import annotations

from .body import Bounded
from .gate import Gate, Limits
from .rates import Rated, Rates

__all__ = ["Bounded", "Gate", "Limits", "Rated", "Rates"]
