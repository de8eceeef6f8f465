"""Markdown between its blocks and its chunks: what the strategies for it share.

`cuts` says where it may be cut, `sections` divides it at the headings that a caller lists, `tables` cuts long
tables at their rows.
"""

from __future__ import annotations

from .cuts import Layout
from .sections import Part, sections
from .tables import Tables

__all__ = ["Layout", "Part", "Tables", "sections"]
