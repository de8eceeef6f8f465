"""What a strategy needs of the texts it cuts: blanks, grapheme clusters, and cutting what is too long.

For the authors of strategies. All positions are code points of the text, ends exclusive.
"""

from __future__ import annotations

from collections.abc import Sequence

from .graphemes import is_boundary, next_boundary, previous_boundary, trim
from .lengths import Measure
from .packing import Packer, level
from .whitespace import is_blank

__all__ = ["cut", "is_blank", "is_boundary", "next_boundary", "previous_boundary", "trim"]


def cut(
    text: str,
    measure: Measure,
    limit: float,
    *,
    start: int = 0,
    end: int | None = None,
    separators: Sequence[str] = (),
    overlap: float = 0,
    strip: bool = True,
) -> list[tuple[int, int]]:
    """Cut `text[start:end]` into pieces of at most `limit`, and give their `(start, end)`.

    What fits is one piece. Otherwise the text is cut at the strongest of the `separators` (first to
    last, left out at the cuts) that occurs in it, and what none cuts small enough between grapheme
    clusters; one cluster above the limit stays whole. `overlap` is how much of a piece the next one
    repeats at most. With `strip`, pieces are trimmed and blank ones left out.

    `measure` is `length.measure(text)`, of a strategy's `length` or of `cantle.lengths.resolve(...)`;
    `limit` and `overlap` count its units.
    """
    levels = [level(separator) for separator in separators]
    packer = Packer(text, measure, levels, limit=limit, overlap=overlap, strip=strip)
    packer.add_or_cut(start, len(text) if end is None else end)
    return list(zip(packer.spans.starts, packer.spans.ends, strict=True))
