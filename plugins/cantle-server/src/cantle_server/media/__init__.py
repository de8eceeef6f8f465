"""Media to text: fetched from public addresses alone, checked, and read."""

from __future__ import annotations

from .addresses import Rules
from .fetching import Fetched, Fetcher
from .texts import MediaText, in_worker, to_text

__all__ = ["Fetched", "Fetcher", "MediaText", "Rules", "in_worker", "to_text"]
