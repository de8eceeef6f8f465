"""What blocks are cut into."""

from __future__ import annotations

from .places import Place

__all__ = ["Piece"]


class Piece:
    """A block, or a part of one. Positions are code points of the text.

    Its text is `made`, or else `text[at:end]`; `start` is where it begins with its indentation. `weak` says
    that it was cut from the piece before within a sentence, `inside` within a word, `words` that it has no borders but
    words.
    """

    __slots__ = ("at", "end", "inside", "label", "made", "place", "size", "start", "weak", "words")

    def __init__(
        self,
        label: str,
        start: int,
        end: int,
        place: Place,
        size: int,
        at: int = -1,
        made: str | None = None,
        weak: bool = False,
        inside: bool = False,
        words: bool = False,
    ) -> None:
        self.label, self.start, self.end, self.place, self.size = label, start, end, place, size
        self.at = start if at < 0 else at
        self.made, self.weak, self.inside, self.words = made, weak, inside, words
