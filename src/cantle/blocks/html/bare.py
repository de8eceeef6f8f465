"""Bare text: sections without an element around any of their text, whose white space is taken as Mastra does.

All of it is here, and serves nothing but that: white space stands as in the source, trimmed at both ends of the
section, and two texts of it are joined by one blank for each node between them. Everywhere else white space is as
CSS has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...whitespace import STRIP
from .names import NUMBER, VOID, members
from .pieces import Pieces
from .texts import Texts
from .tree import Tree

__all__ = ["Finder", "join", "trim"]

_VOID = [NUMBER[name] for name in VOID]


class Finder:
    """Says of stretches of a page whether they are bare."""

    def __init__(self, texts: Texts, tree: Tree) -> None:
        import numpy

        self._rough: list[int] = numpy.concatenate(([0], numpy.cumsum(~_plain(texts, tree)))).tolist()

    def is_bare(self, first: int, last: int) -> bool:
        """Whether nothing but plain tags stands between two texts."""
        return self._rough[last] == self._rough[first]


def _plain(texts: Texts, tree: Tree) -> Any:
    """Which tags neither begin nor end an element that holds something: comments, void and empty elements, strays."""
    import numpy

    codes = texts.tokens.codes
    plain = (codes == 0) | (members(_VOID, codes) & (codes > 0)) | texts.hidden_tags
    plain[tree.strays] = True
    sizes = texts.tokens.tag_at - texts.tokens.text_at
    empty = numpy.flatnonzero((codes[:-1] > 0) & (codes[1:] == -codes[:-1]) & (sizes[1:-1] == 0))
    plain[empty] = plain[empty + 1] = True
    return plain


def trim(pieces: Pieces, ranges: Sequence[tuple[int, int]]) -> None:
    """Leave out the white space around each range of texts (first and last)."""
    for first in pieces.literal_at([first for first, _ in ranges]):
        core = pieces.cores[first]
        pieces.shorten(first, len(core) - len(core.lstrip(STRIP)), 0)
    for last in pieces.literal_at([last for _, last in ranges]):
        core = pieces.cores[last]
        pieces.shorten(last, 0, len(core) - len(core.rstrip(STRIP)))


def join(joints: list[str], pieces: Pieces, is_bare: Any) -> None:
    """Put one blank for each node between two texts in the joint of each piece whose text, by number, `is_bare`."""
    import numpy

    codes, numbers = pieces.texts.tokens.codes, pieces.numbers.tolist()
    for i in numpy.flatnonzero(is_bare[pieces.numbers]).tolist():
        if i and is_bare[numbers[i - 1] : numbers[i]].all():
            elements = codes[numbers[i - 1] : numbers[i]] > 0
            joints[i] = " " * (1 + int(elements.sum()))
