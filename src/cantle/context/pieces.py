"""What blocks are cut into."""

from __future__ import annotations

from .places import Place

__all__ = ["Piece"]


class Piece:
    """A block, or a part of one. Positions are code points of the text.

    Its text is `made`, or else `text[at:end]`; `start` is where it begins with its indentation. `block` numbers the
    block it is a part of. `inside` says that it begins inside a word, `words` that it has no borders but words,
    `table` that it is a line of a table in a paragraph (the number of the table's paragraph).
    """

    __slots__ = ("at", "block", "end", "inside", "label", "made", "place", "size", "start", "words")

    def __init__(
        self,
        label: str,
        start: int,
        end: int,
        place: Place,
        size: int,
        block: int,
        at: int = -1,
        made: str | None = None,
        inside: bool = False,
        words: bool = False,
    ) -> None:
        self.label, self.start, self.end, self.place, self.size, self.block = label, start, end, place, size, block
        self.at = start if at < 0 else at
        self.made, self.inside, self.words = made, inside, words
