"""Topical segmentation without a model: by headings, and by the words that neighbouring lines share."""

from __future__ import annotations

from .segment import Topic, segment

__all__ = ["Topic", "segment"]
