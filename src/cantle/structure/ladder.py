"""Where a stretch of prose and blocks is cut, strongest first."""

from __future__ import annotations

from collections.abc import Sequence

from ..blocks.sentences import Segmenter
from ..chunk import Span
from ..packing import Breaks, Clusters, Level, Literal, Outside, Sentences

__all__ = ["ladder"]


def ladder(
    text: str, start: int, end: int, keep: Sequence[Span], segmenter: Segmenter, inner: Sequence[Level] = ()
) -> list[Level]:
    """Paragraphs, then the levels `inner`, sentences, lines and words outside of what to keep; then anywhere."""
    mixed = text.find("\r", start, end) >= 0

    def paragraphs(kept: Sequence[Span]) -> Level:
        return Breaks(2, kept) if mixed else _outside("\n\n", kept)

    def lines(kept: Sequence[Span]) -> Level:
        return Breaks(1, kept) if mixed else _outside("\n", kept)

    first = [paragraphs(keep), *inner, Sentences(segmenter, keep), lines(keep)]
    if not keep:
        return [*first, Literal(" "), Clusters()]
    return [*first, _outside(" ", keep), paragraphs(()), lines(()), Literal(" "), Clusters()]


def _outside(separator: str, keep: Sequence[Span]) -> Level:
    return Outside(Literal(separator), keep) if keep else Literal(separator)
