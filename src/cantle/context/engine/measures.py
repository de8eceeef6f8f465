"""Sizes of stretches of the document and of texts made of it, in the unit in force."""

from __future__ import annotations

from ...graphemes import previous_boundary
from ...lengths import Length

__all__ = ["Sizes"]

_SHORT = 24
"""Stretches of at most so many characters come again and again; their token counts are remembered."""
_KEPT = 50_000


class Sizes:
    """Sizes in the unit in force. Positions are code points of `text`."""

    def __init__(self, text: str, length: Length, tokens: bool) -> None:
        self.text, self._length, self.tokens = text, length, tokens
        self._measure = length.measure(text)
        self._known: dict[str, int] = {}
        self._plain = not tokens and length(text) == len(text)

    def of(self, text: str) -> int:
        """The size of a text made of parts of the document."""
        return len(text) if self._plain else int(self._length(text))

    def span(self, start: int, end: int) -> int:
        """The size of `text[start:end]`."""
        if self._plain:
            return end - start
        if self.tokens and end - start <= _SHORT:
            piece = self.text[start:end]
            found = self._known.get(piece)
            if found is None:
                if len(self._known) >= _KEPT:
                    self._known.clear()
                found = self._known[piece] = int(self._measure.length(start, end))
            return found
        return int(self._measure.length(start, end))

    def reach(self, start: int, end: int, limit: int) -> int:
        """The greatest end of at most `end` with `span(start, end) <= limit`, or nearly; more than `start`."""
        at = max(start + 1, min(end, self._measure.fit(start, limit)))
        size = self.span(start, at)
        while size > limit and at > start + 1:
            at = max(start + 1, min(at - 1, start + (at - start) * limit // size))
            size = self.span(start, at)
        return at

    def cut(self, start: int, end: int, limit: int) -> int:
        """Like `reach`, at the border of a grapheme cluster; a first cluster above the limit is kept whole."""
        at = self.reach(start, end, limit)
        if at == end:
            return end
        border = previous_boundary(self.text, at, start)
        while start + 1 < border <= at and self.span(start, border) > limit:  # a shorter text can have more tokens
            before = previous_boundary(self.text, border - 1, start)
            if before >= border:
                break
            border = before
        return min(end, border)
