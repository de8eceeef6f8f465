"""The texts of a page: which of them a browser shows, which hold nothing but white space."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from typing import Any

from ...whitespace import is_blank
from .references import decode
from .tokens import SPACE, Tokens
from .tree import Tree

__all__ = ["Texts", "covering", "read"]


def covering(size: int, ranges: Iterable[tuple[int, int]]) -> Any:
    """A boolean array of `size` that is True in the ranges (ends exclusive)."""
    import numpy

    pairs = numpy.array(list(ranges), numpy.int64).reshape(-1, 2)
    steps = numpy.zeros(size + 1, numpy.int64)
    numpy.add.at(steps, pairs[:, 0], 1)
    numpy.add.at(steps, pairs[:, 1], -1)
    return numpy.cumsum(steps[:size]) > 0


@dataclass
class Texts:
    """The texts of a page, by number; the arrays and lists have one entry for each.

    `cores` are the texts without the white space around them, of the sizes `sizes`; `busy` those with references.
    `shown` are those that a browser shows, `kept_space` those whose white space it keeps, `blank` those that
    hold nothing but white space, `solid` those shown that say something. `hidden_tags` are the tags of
    hidden elements.
    """

    tokens: Tokens
    cores: list[str]
    sizes: Any
    busy: list[int]
    shown: Any
    kept_space: Any
    blank: Any
    solid: Any
    hidden_tags: Any

    @property
    def count(self) -> int:
        """How many texts there are."""
        return len(self.tokens) + 1

    def title(self, opens: int, closes: int, gaps: Any) -> tuple[str, str]:
        """The text of an element as it stands, and as it is shown, on one line."""
        texts = self.tokens.texts
        if closes == opens + 1:  # nearly always: one text
            text = decode(texts[closes]) if self.shown[closes] else ""
            return text, " ".join(text.split())
        numbers = [i for i in range(opens + 1, closes + 1) if texts[i] and self.shown[i]]
        plain = [decode(texts[i]) for i in numbers]
        pieces: list[str] = []
        last = numbers[0] if numbers else 0
        for i, text in zip(numbers, plain, strict=True):
            if i > last and gaps[last:i].any():
                pieces.append(" ")
            pieces.append(text)
            last = i
        return "".join(plain), " ".join("".join(pieces).split())


def read(tokens: Tokens, tree: Tree) -> Texts:
    """What of a page's text is shown."""
    import numpy

    count = len(tokens) + 1
    codes = tokens.codes
    hidden = covering(count, ((opens + 1, closes + 1) for opens, closes in tree.hidden))
    own_end = ((o, c + (c == o or (c < len(codes) and codes[c] == -codes[o]))) for o, c in tree.hidden)
    hidden_tags = covering(count, own_end)[:-1]
    kept = covering(count, ((opens + 1, closes + 1) for opens, closes in tree.kept_space))
    shown = ~hidden
    cores = list(map(str.strip, tokens.texts, repeat(SPACE)))
    sizes = numpy.fromiter(map(len, cores), numpy.int64, count)
    blank = sizes == 0
    solid = shown & ~blank
    filled = numpy.flatnonzero(~blank).tolist()
    # There is other white space than HTML's, and a reference may stand for some.
    for i in [i for i in filled if not "!" <= (first := cores[i][0]) <= "~" or first == "&"]:
        solid[i] &= not is_blank(decode(cores[i]))
    busy = [i for i in filled if "&" in cores[i]]
    return Texts(tokens, cores, sizes, busy, shown, kept, blank, solid, hidden_tags)
