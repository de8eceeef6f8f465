"""Markdown (CommonMark with tables, front matter and display formulas): its top-level blocks, by position.

`outline` is what cuts need and is fast; `blocks` is all of them.
"""

from __future__ import annotations

from .patterns import view
from .scan import Block, outline
from .text import blocks, is_atx, line_gaps, nested_fences, title

__all__ = ["Block", "blocks", "is_atx", "line_gaps", "nested_fences", "outline", "title", "view"]
