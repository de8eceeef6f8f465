"""Section titles of LaTeX as Unicode text: the only user of pylatexenc."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

__all__ = ["title"]

DEEPEST = 30
"""Braces deeper than this are left as they are: pylatexenc reads them by recursion."""


def title(source: str) -> str:
    """The text of a title: macros, accents and formulas rendered, white space collapsed."""
    if not any(c in source for c in "\\${}~`'-%^_&"):
        return " ".join(source.split())
    return _rendered(source)


@lru_cache(maxsize=1024)
def _rendered(source: str) -> str:
    text = source
    if source.count("{") + source.count("\\begin") + source.count("$") <= DEEPEST:
        try:
            text = _renderer().latex_to_text(source)
        except (ValueError, IndexError, KeyError, AttributeError, RecursionError):  # not LaTeX that it can read
            text = source
    return " ".join(text.split()) or " ".join(source.split())


@lru_cache(maxsize=1)
def _renderer() -> Any:
    from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

    context = get_default_latex_context_db()
    logos = ("TeX", "LaTeX", "LaTeXe", "XeTeX", "XeLaTeX", "LuaTeX", "LuaLaTeX", "BibTeX")
    context.add_context_category("logos", prepend=True, macros=[MacroTextSpec(name, name) for name in logos])
    return LatexNodes2Text(context, math_mode="text", strict_latex_spaces=False)
