"""Processes that work on batches: what `chunk_many` stands on, for plugins that have batches of their own.

A batch that kills its process is tried once more, and goes on without the item that did it; an item that takes too long
is ended with its process. Nothing is lost, nothing comes twice, and no more is read than is worked on.
"""

from __future__ import annotations

from .pool import Pool, Work

__all__ = ["Pool", "Work"]
