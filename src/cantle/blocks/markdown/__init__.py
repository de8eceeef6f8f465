"""Markdown (CommonMark with tables, front matter and display formulas): its top-level blocks, by position."""

from __future__ import annotations

from .scan import Block, outline
from .text import is_atx, nested_fences, title

__all__ = ["Block", "is_atx", "nested_fences", "outline", "title"]
