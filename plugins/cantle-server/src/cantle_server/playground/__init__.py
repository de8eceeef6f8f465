"""A page to try strategies on: paste a text, choose a strategy, see the cuts."""

from __future__ import annotations

from .router import PATHS, router

__all__ = ["PATHS", "router"]
