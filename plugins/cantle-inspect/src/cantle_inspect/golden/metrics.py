"""How well the chunks that were found cover the stretches of documents that answer a question.

The definitions are those of Brandon Smith and Anton Troynikov, "Evaluating Chunking Strategies for Retrieval"
(Chroma, 2024), in characters: with G the stretches that answer the question (merged) and R the chunks that were
retrieved,

- recall is the share of the characters of G that are in R;
- precision is the share of the characters of R that are in G. Characters that several chunks of R have in common count
  once in what was found and each time in what was retrieved, so overlap costs;
- IoU, intersection over union, is what was found, over what was retrieved and the part of G that was not found;
- precision-omega is the IoU of exactly those chunks that touch G, each character once: the best that any
  retriever could do with these chunks.

And two that the report does not have, for a reader with a budget of tokens: recall and precision of the best chunks
that fit into the budget, of which the last is cut. What a chunk brings along besides its stretch (headings put before
it) is charged to the budget first.

Positions are code points of a document's text, ends exclusive. White space around a stretch does not count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from cantle.errors import OptionError
from cantle.lengths import TokenLength

if TYPE_CHECKING:
    from cantle import Chunk

__all__ = [
    "Interval",
    "Layout",
    "Piece",
    "Span",
    "TokenPositions",
    "bootstrap",
    "merged",
    "overlap_scores",
    "piece_of",
    "precision_omega",
    "within_budget",
]

Span = tuple[int, int]
Gold = Mapping[str, Sequence[Span]]
"""The stretches that answer a question: source -> merged `(start, end)`, in order."""

ENCODING = "cl100k_base"
"""The encoding in which budgets count."""


class Piece(NamedTuple):
    """A chunk as far as metrics go: its document, and the stretches of it that the chunk shows."""

    source: str
    spans: tuple[Span, ...]

    @property
    def size(self) -> int:
        """Characters in the stretches."""
        return sum(end - start for start, end in self.spans)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Stretches in order, those that touch or overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return tuple(found)


def piece_of(chunk: Chunk, text: str, source: str | None = None) -> Piece:
    """The stretches of a document's `text` that a chunk shows, without white space around each.

    `source` is the document's; None: what the chunk says.
    """
    spans = ((chunk.start, chunk.end),) if chunk.spans is None else chunk.spans
    shown = tuple(span for span in (_trimmed(text, *span) for span in spans) if span[0] < span[1])
    return Piece(chunk.source if source is None else source, shown)


def _trimmed(text: str, start: int, end: int) -> Span:
    body = text[start:end]
    bare = body.lstrip()
    start += len(body) - len(bare)
    return start, start + len(bare.rstrip())


def overlap_scores(gold: Gold, pieces: Sequence[Piece]) -> tuple[float, float, float]:
    """Recall, precision and IoU of the retrieved `pieces`."""
    spans: dict[str, list[Span]] = {}
    for piece in pieces:
        spans.setdefault(piece.source, []).extend(piece.spans)
    found = sum(_common(stretches, merged(spans.get(source, ()))) for source, stretches in gold.items())
    wanted = sum(end - start for stretches in gold.values() for start, end in stretches)
    retrieved = sum(piece.size for piece in pieces)
    return found / wanted, found / retrieved if retrieved else 0.0, found / (retrieved + wanted - found)


def _common(a: Sequence[Span], b: Sequence[Span]) -> int:
    """Characters that two lists of merged stretches have in common."""
    i = j = common = 0
    while i < len(a) and j < len(b):
        common += max(0, min(a[i][1], b[j][1]) - max(a[i][0], b[j][0]))
        if a[i][1] < b[j][1]:
            i += 1
        else:
            j += 1
    return common


class Layout:
    """Where the chunks of each document lie, to find those that touch a stretch."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._pieces: dict[str, list[Piece]] = {}
        for piece in pieces:
            self._pieces.setdefault(piece.source, []).append(piece)
        self._arrays: dict[str, tuple[Any, Any, Any]] = {}

    def touching(self, source: str, stretches: Sequence[Span]) -> list[Piece]:
        """The chunks of a document of which a stretch touches one of `stretches`, in order."""
        import numpy

        pieces = self._pieces.get(source, [])
        if source not in self._arrays:
            bounds = [(*span, i) for i, piece in enumerate(pieces) for span in piece.spans]
            self._arrays[source] = tuple(numpy.array(bounds, numpy.int64).reshape(-1, 3).T)  # type: ignore[assignment]
        starts, ends, owners = self._arrays[source]
        touched = numpy.zeros(len(starts), numpy.bool_)
        for start, end in stretches:
            touched |= (starts < end) & (start < ends)
        return [pieces[i] for i in numpy.unique(owners[touched])]


def precision_omega(gold: Gold, layout: Layout) -> float:
    """The IoU of exactly the chunks that touch `gold`, each character once."""
    found = whole = wanted = 0
    for source, stretches in gold.items():
        touching = merged(span for piece in layout.touching(source, stretches) for span in piece.spans)
        found += _common(stretches, touching)
        whole += sum(end - start for start, end in touching)
        wanted += sum(end - start for start, end in stretches)
    return found / (whole + wanted - found)


@dataclass(frozen=True)
class TokenPositions:
    """Where the tokens of a document's text begin: one encoding of the whole text answers for all its stretches."""

    text: str

    @cached_property
    def _starts(self) -> Any:
        return _length().starts(self.text)

    def count(self, start: int, end: int) -> int:
        """The tokens that begin in `[start, end)`."""
        first, last = self._starts.searchsorted([start, end])
        return int(last - first)

    def after(self, start: int, tokens: int) -> int:
        """The character at which so many tokens, counted from `start`, are used up; the end of the text at most."""
        at = int(self._starts.searchsorted(start)) + tokens
        return int(self._starts[at]) if at < len(self._starts) else len(self.text)

    def header(self, chunk: Chunk, piece: Piece) -> int:
        """The tokens of a chunk's text beyond those of its stretches: of headings put before it, for example."""
        if chunk.spans is None and chunk.text.strip() == chunk.content.strip():
            return 0
        return max(0, int(_length()(chunk.text)) - sum(self.count(*span) for span in piece.spans))


@cache
def _length() -> TokenLength:
    return TokenLength(ENCODING)


def within_budget(budget: int, ranked: Iterable[tuple[Piece, int, TokenPositions]]) -> list[Piece]:
    """The best chunks that fit into a budget of tokens, the last of them cut.

    `ranked` are the chunks, best first, each with the tokens of its header and the positions of its document.
    """
    found: list[Piece] = []
    left = budget
    for piece, header, positions in ranked:
        left -= header
        kept = []
        for start, end in piece.spans:
            if left <= 0:
                break
            tokens = positions.count(start, end)
            end = end if tokens <= left else min(end, positions.after(start, left))
            if end > start:
                kept.append((start, end))
            left -= tokens
        if kept:
            found.append(Piece(piece.source, tuple(kept)))
        if left <= 0:
            break
    return found


class Interval(NamedTuple):
    """A mean over questions, and the bounds that hold it with a probability of 95 %."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float]:
        """The same, ready for JSON."""
        return {name: round(number, 6) for name, number in self._asdict().items()}


def bootstrap(values: Sequence[float], rounds: int = 1000, seed: int = 7) -> Interval:
    """The mean with a 95 % interval by the percentile bootstrap (Efron 1979).

    `rounds` times as many questions as there are, are drawn with replacement; the interval holds the middle 95 % of
    their means. The draws depend on nothing but `seed` and the number of values. Raises `OptionError` without values,
    or where one is not a finite number.
    """
    import numpy

    array = numpy.asarray(values, numpy.float64)
    size = len(array)
    if array.ndim != 1 or not size or not numpy.isfinite(array).all():
        raise OptionError(f"values must be finite numbers, one at least, got {array.tolist()!r:.80}.")
    if rounds < 1:
        raise OptionError(f"rounds must be at least 1, got {rounds}.")
    rng = numpy.random.default_rng(seed)
    step = max(1, _AT_ONCE // size)
    means = [array[rng.integers(0, size, (min(step, rounds - done), size))].mean(1) for done in range(0, rounds, step)]
    low, high = numpy.percentile(numpy.concatenate(means), [2.5, 97.5])
    return Interval(float(array.mean()), float(low), float(high))


_AT_ONCE = 1 << 20  # draws in memory
