"""The two that ours is compared with: TextTiling as NLTK has it, and segments of a fixed size."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import Counter
from functools import cache
from itertools import accumulate
from math import sqrt
from typing import Any

from cantle.words import stop_words
from cases import Case

__all__ = ["SETTINGS", "fixed", "text_tiling"]

SETTINGS: tuple[dict[str, Any], ...] = tuple(
    {"w": w, "k": k, "cutoff_policy": policy}
    for w, k in ((20, 10), (20, 5), (20, 3), (10, 10), (10, 5), (40, 5))
    for policy in (1, 0)  # HC, the default, and LC
)
"""The settings of TextTiling that are tried on the development set; the first are its defaults."""


def fixed(case: Case, size: float) -> list[int]:
    """A border every `size` lines, at the nearest line that opens a paragraph."""
    lines = len(case.lines)
    opens = [i for i, line in enumerate(case.lines) if line.opens]
    found = set()
    for number in range(1, int(lines / size) + 1):
        border = round(number * size)
        at = bisect_left(opens, border)
        border = min(opens[max(0, at - 1) : at + 1], key=lambda line: abs(line - border))
        if 0 < border < lines:
            found.add(border)
    return sorted(found)


def text_tiling(case: Case, settings: dict[str, Any]) -> list[int]:
    """NLTK's TextTilingTokenizer, with our stop words; every line that may begin a topic stands after a blank line.

    It takes the letters a to z only, so accents are taken off first, which is more than it does. It fails on some short
    texts; these are one segment then.
    """
    text = "".join(unicodedata.normalize("NFD", char)[0] for char in case.text)
    stop = {"".join(unicodedata.normalize("NFD", char)[0] for char in word) for word in stop_words(case.language)}
    try:
        tiles = _tokenizer()(stopwords=sorted(stop), **settings).tokenize(text)
    except (ValueError, IndexError):
        return []
    starts = [line.start for line in case.lines]
    return sorted({bisect_left(starts, end) for end in accumulate(map(len, tiles[:-1]))} - {0, len(starts)})


@cache
def _tokenizer() -> Any:
    from nltk.tokenize import TextTilingTokenizer

    class Faster(TextTilingTokenizer):  # type: ignore[misc]
        """The same numbers in less time: NLTK goes through all words of the text for every gap."""

        def _block_comparison(self, tokseqs: Any, token_table: Any) -> list[float]:
            counts: list[Counter[str]] = [Counter() for _ in range(len(tokseqs) + 1)]
            for token, entry in token_table.items():
                for index, times in entry.ts_occurences:
                    counts[index][token] += times
            gaps = len(tokseqs) - 1
            scores = []
            for gap in range(gaps):
                size = gap + 1 if gap < self.k - 1 else gaps - gap if gap > gaps - self.k else self.k
                left, right = Counter[str](), Counter[str]()
                for i in range(gap - size + 1, gap + 1):
                    left.update(counts[int(tokseqs[i].index)])
                for i in range(gap + 1, gap + size + 1):
                    right.update(counts[int(tokseqs[i].index)])
                product = sum(times * right[token] for token, times in left.items())
                squares = sum(n * n for n in left.values()) * sum(n * n for n in right.values())
                scores.append(product / sqrt(float(squares)) if squares else 0.0)
            return scores

    return Faster
