"""Documents as sections and blocks, and the engine that cuts them into chunks that know their place.

`outline` says what the engine needs to know of a document, and one module a format finds it there. `cutter` makes the
chunks, with `sections` (which go together), `leads` (what a colon holds together), `headers` (what
stands in front of a chunk) and `repeats` (overlap).
"""

from __future__ import annotations

from .cutter import Cutter, Plan
from .outline import Heading, Outline, Piece

__all__ = ["Cutter", "Heading", "Outline", "Piece", "Plan"]
