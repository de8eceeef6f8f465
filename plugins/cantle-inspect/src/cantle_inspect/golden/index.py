"""An index of the chunks that may be seen, and of nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ..corpus.pool import Passage
from ..rank import Ranker
from ..rank.hits import Hit, lowest, ranker_name, scorer, scores
from .metrics import Layout, Piece, Span, TokenPositions, overlap_scores, piece_of, precision_omega, within_budget
from .questions import Question, folded

__all__ = ["Index", "Ranking"]


class Index:
    """Passages, and a scorer made of them alone. `positions` are those of the documents, by source.

    Whose a passage is, its document says: the source that is written in a chunk may be changed by a plugin. `fold`
    folds a text. What scores `lowest` or less is not found.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        ranker: Ranker,
        positions: Mapping[str, TokenPositions],
        fold: Callable[[str], str] = folded,
    ) -> None:
        # A chunk of nothing but white space answers nothing, and has no place in a ranking.
        self.passages = [passage for passage in passages if passage.chunk.content.strip()]
        self._positions = positions
        self._scorer = scorer(ranker, [passage.chunk.text for passage in self.passages]) if self.passages else None
        self._name = ranker_name(ranker)
        self._fold = fold
        self.lowest = lowest(ranker)
        self._headers: dict[int, int] = {}

    @cached_property
    def by_source(self) -> dict[str, Any]:
        """The passages of each document: source -> an array of their numbers, ascending."""
        import numpy

        found: dict[str, list[int]] = {}
        for i, passage in enumerate(self.passages):
            found.setdefault(passage.document.source, []).append(i)
        return {source: numpy.array(numbers) for source, numbers in found.items()}

    @cached_property
    def pieces(self) -> list[Piece]:
        """The stretches of each passage."""
        return [piece_of(p.chunk, p.document.text, p.document.source) for p in self.passages]

    @cached_property
    def layout(self) -> Layout:
        """Where the passages lie in their documents."""
        return Layout(self.pieces)

    def rank(self, question: Question) -> Ranking:
        """The passages as a question ranks them."""
        import numpy

        count = len(self.passages)
        given = scores(self._scorer, question.question, count, self._name) if self._scorer else []
        found = numpy.array(given, numpy.float64)
        for source in question.exclude:
            if source in self.by_source:
                found[self.by_source[source]] = -numpy.inf
        return Ranking(self, found)

    def holds(self, number: int, text: str) -> bool:
        """Whether a passage holds a text that is folded."""
        return text in self._fold(self.passages[number].chunk.text)

    def touches(self, number: int, spans: Mapping[str, Sequence[Span]]) -> bool:
        """Whether a passage shows a part of one of the stretches."""
        piece = self.pieces[number]
        wanted = spans.get(piece.source, ())
        return any(a < end and start < b for a, b in piece.spans for start, end in wanted)

    def measured(self, number: int) -> tuple[Piece, int, TokenPositions]:
        """A passage's stretches, the tokens of its header and the token positions of its document."""
        passage, piece = self.passages[number], self.pieces[number]
        positions = self._positions[passage.document.source]
        if number not in self._headers:
            self._headers[number] = positions.header(passage.chunk, piece)
        return piece, self._headers[number], positions


class Ranking:
    """The scores of an index's passages for one question. What is excluded scores minus infinity and is never given."""

    def __init__(self, index: Index, scores: Any) -> None:
        self._index = index
        self._scores = scores

    def best(self, count: int) -> list[int]:
        """The numbers of the `count` best passages, best first; equal scores in the order of the corpus."""
        import numpy

        falling = -self._scores
        numbers = numpy.arange(len(falling))
        if count < len(falling):
            numbers = numpy.flatnonzero(falling <= numpy.partition(falling, count - 1)[count - 1])
        order = numbers[numpy.argsort(falling[numbers], kind="stable")][:count]
        return [int(i) for i in order if falling[i] < numpy.inf]

    def hit(self, number: int) -> Hit:
        """A passage with its score."""
        return Hit(self._index.passages[number], float(self._scores[number]))

    def place(self, number: int) -> int:
        """The rank of a passage, from 1."""
        score = self._scores[number]
        ahead = int((self._scores > score).sum()) + int((self._scores[:number] == score).sum())
        return ahead + 1

    def right(self, question: Question, sources: Collection[str] | None) -> int | None:
        """The best passage that is right for a question and has a score that counts; `sources` None: of any source."""
        import numpy

        by_source = self._index.by_source
        if sources is None:
            numbers = numpy.arange(len(self._scores))
        else:
            parts = [by_source[source] for source in sources if source in by_source]
            numbers = numpy.sort(numpy.concatenate(parts)) if parts else numpy.zeros(0, numpy.int64)
        numbers = numbers[self._scores[numbers] > self._index.lowest]
        is_right = self._is_right(question)
        order = numbers[numpy.argsort(-self._scores[numbers], kind="stable")]
        return next((int(i) for i in order if is_right(int(i))), None)

    def _is_right(self, question: Question) -> Callable[[int], bool]:
        text = folded(question.text)
        return lambda i: (
            (not text or self._index.holds(i, text)) and (not question.spans or self._index.touches(i, question.spans))
        )

    def span_metrics(self, question: Question, top_k: int, budgets: Sequence[int]) -> dict[str, float]:
        """The metrics of a question with spans: those of its `top_k` best chunks, then within each budget of tokens."""
        order = self.best(max(top_k, *budgets, 1))
        pieces = self._index.pieces
        recall, precision, iou = overlap_scores(question.spans, [pieces[i] for i in order[:top_k]])
        found = {"span recall": recall, "span precision": precision, "iou": iou}
        found["precision-omega"] = precision_omega(question.spans, self._index.layout)
        for budget in budgets:
            kept = within_budget(budget, self._measured(order))
            recall, precision, _ = overlap_scores(question.spans, kept)
            found[f"recall@{budget}"], found[f"precision@{budget}"] = recall, precision
        return found

    def _measured(self, order: Sequence[int]) -> Iterator[tuple[Piece, int, TokenPositions]]:
        return map(self._index.measured, order)
