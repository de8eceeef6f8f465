"""A cleaned text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..source import OffsetMap

__all__ = ["Cleaned"]


class Cleaned(NamedTuple):
    """A cleaned text, and how it came about. All positions are code points.

    `offsets` maps positions of `text` to those of the original. `dropped` says why more than white space is in the
    original and not in `text`: `(start, end, reason)` in the original, ascending and disjoint. `pages` is where each
    page of the original begins in `text`, ascending; a page that left nothing begins where the next one does. It is
    empty when the original is not paginated.
    """

    text: str
    offsets: OffsetMap
    dropped: Sequence[tuple[int, int, str]] = ()
    pages: Sequence[int] = ()
