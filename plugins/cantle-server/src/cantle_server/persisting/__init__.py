"""Blocks of a partition into a dataset of the caller's host."""

from __future__ import annotations

from .saving import Saving, failure_of
from .sources import source_of
from .target import Target, check_embedder, find_avatar, find_dataset, resolve
from .wiping import Wiping

__all__ = [
    "Saving",
    "Target",
    "Wiping",
    "check_embedder",
    "failure_of",
    "find_avatar",
    "find_dataset",
    "resolve",
    "source_of",
]
