"""Which language a chunk is in."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from ..words import language_of

if TYPE_CHECKING:
    from ..document import MDocument

__all__ = ["Languages"]


class Languages:
    """The language that was asked for; else a chunk's own, and that of the document where it cannot be told."""

    def __init__(self, document: MDocument, given: str | None) -> None:
        self._document, self._given = document, given

    def of(self, text: str) -> str:
        """The language of a chunk's text; `"any"` where neither it nor the document tells."""
        return self._given or language_of(text) or self._main or "any"

    @cached_property
    def _main(self) -> str | None:
        return language_of(self._document.text)
