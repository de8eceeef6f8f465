"""Failures of media as the client is told them. None is a 5xx: the URL came with the request."""

from __future__ import annotations

from ..errors import Problem

__all__ = ["problem", "refused"]


def problem(status: int, code: str, message: str, url: str = "") -> Problem:
    """A failure; `url` is repeated without its query, which may hold a key."""
    return Problem(status, code, message, url=_shown(url)) if url else Problem(status, code, message)


def refused(message: str, url: str = "") -> Problem:
    """A URL that may not be asked for."""
    return problem(422, "media_refused", message, url)


def _shown(url: str) -> str:
    shown = url.partition("?")[0].partition("#")[0]
    before, at, after = shown.rpartition("@")
    shown = f"...@{after}" if at else before + after
    return shown if len(shown) <= 200 else f"{shown[:200]}..."
