"""Page numbers as Haystack counts them: by form feeds."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from typing import Any

from cantle import Chunk

__all__ = ["Pages", "first_page"]


def first_page(metadata: Mapping[str, Any]) -> int:
    """The page that a text begins on: its own `page_number`, when it has one, else 1."""
    page = metadata.get("page_number")
    return page if isinstance(page, int) and not isinstance(page, bool) else 1


class Pages:
    """The pages of one text, divided by form feeds. `first` is the number of the first one."""

    def __init__(self, text: str, first: int = 1) -> None:
        self._first = first
        self._breaks: list[int] = []
        at = text.find("\f")
        while at >= 0:
            self._breaks.append(at)
            at = text.find("\f", at + 1)

    def of(self, chunk: Chunk) -> int:
        """The page of the chunk's first character that is no white space; that of its start when there is none.

        Where the strategy tells the page itself (`page` in what it adds to the metadata), it is that one.
        """
        told = told_page(chunk)
        if told is not None:
            return self._first + told - 1
        content = chunk.content
        start = chunk.spans[0][0] if chunk.spans else chunk.start
        blank = len(content) - len(content.lstrip())
        return self._first + bisect_left(self._breaks, start + (blank if blank < len(content) else 0))


def told_page(chunk: Chunk) -> int | None:
    """The page that the strategy tells, counted from 1 in the text that was cut; None when it tells none."""
    page = chunk.own_metadata.get("page")
    return page if isinstance(page, int) and not isinstance(page, bool) else None
