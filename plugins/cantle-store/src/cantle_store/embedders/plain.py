"""Texts as models take them."""

from __future__ import annotations

__all__ = ["plain"]


def plain(text: str) -> str:
    """The text as UTF-8 can be: lone surrogates as `?`; and without NUL, which ends a text in C."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\0", " ")
