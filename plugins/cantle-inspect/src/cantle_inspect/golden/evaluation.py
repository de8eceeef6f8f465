"""The result of an evaluation: answers, means with intervals, and whether it is good enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..corpus.pool import MODEL, Pool
from ..names import camel
from .answers import FATAL, Answer
from .metrics import Interval, bootstrap

__all__ = ["Evaluation", "totals_to_dict"]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class Evaluation:
    """What golden questions found. `answers` are in the order of the questions, and for each of the roles."""

    answers: tuple[Answer, ...]
    pool: Pool
    ranker: str
    top_k: int
    budgets: tuple[int, ...]
    min_recall: float = 1.0
    min_mrr: float = 0.0

    @cached_property
    def scores(self) -> dict[str, dict[str, float]]:
        """Every measure of every question: measure -> question id -> value.

        The measures are `recall` (at `top_k`), `hit@1`, `mrr`, and for questions with spans `span recall`,
        `span precision`, `iou`, `precision-omega`, and `recall@N` and `precision@N` for budgets of N tokens. A question
        that several roles must find counts once, with the mean of theirs.
        """
        found: dict[str, dict[str, list[float]]] = {}
        for answer in self.answers:
            if answer.wanted:
                for name, value in answer.values.items():
                    found.setdefault(name, {}).setdefault(answer.question.id, []).append(value)
        return {name: {i: sum(v) / len(v) for i, v in by_id.items()} for name, by_id in found.items()}

    @cached_property
    def totals(self) -> dict[str, Interval]:
        """The mean of each measure over the questions, with its 95 % interval."""
        return {name: bootstrap(list(values.values())) for name, values in self.scores.items()}

    @property
    def main(self) -> str:
        """The measure to compare by: recall within the first budget where all questions have spans, else `recall`."""
        first = f"recall@{self.budgets[0]}" if self.budgets else "span recall"
        return first if len(self.scores.get(first, ())) == len(self.scores.get("recall", ())) > 0 else "recall"

    @property
    def questions(self) -> int:
        """How many questions were asked."""
        return len({answer.question.id for answer in self.answers})

    @cached_property
    def problems(self) -> Mapping[str, int]:
        """How many problems of each kind there are."""
        return Counter(problem.kind for answer in self.answers for problem in answer.problems)

    @property
    def failed(self) -> list[Answer]:
        """The answers with which something is wrong."""
        return [answer for answer in self.answers if not answer.passed]

    @property
    def failures(self) -> list[str]:
        """Why the run as a whole fails, in words; empty when it does not."""
        said = [
            f"{name} is {self.totals[key].value:.3f}, less than {least:g}"
            for key, name, least in (
                ("recall", f"recall@{self.top_k}", self.min_recall),
                ("mrr", "MRR", self.min_mrr),
            )
            if key in self.totals and self.totals[key].value < least - _ROUNDING
        ]
        return said + [_WORDS[kind].format(_times(self.problems[kind])) for kind in FATAL if self.problems[kind]]

    @property
    def ok(self) -> bool:
        """Whether the run is good enough: enough is found, and no problem of a kind that fails any run is there."""
        return not self.failures

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "ok": self.ok,
            "failures": self.failures,
            "questions": self.questions,
            "topK": self.top_k,
            "minRecall": self.min_recall,
            "minMrr": self.min_mrr,
            "totals": totals_to_dict(self.totals),
            "problems": {kind: self.problems[kind] for kind in (*FATAL, "unfound")},
            "stats": {
                "totalChunks": len(self.pool.passages),
                "tokensEstimate": self.pool.size(MODEL),
                "documents": len(self.pool.documents),
                "leftOut": [left._asdict() for left in self.pool.left_out],
                "ranker": self.ranker,
            },
            "results": [answer.to_dict() for answer in self.answers],
        }

    def audit(self) -> list[dict[str, Any]]:
        """The lines of an audit: which chunk sustains each answer that is wanted."""
        return [answer.audit(self.ranker) for answer in self.answers if answer.wanted]


_WORDS = {
    "outside": "a chunk outside the filter or the role was returned ({})",
    "leak": "a role got what it may not ({})",
    "forbidden": "a forbidden source was found ({})",
    "missing": "an expected source is not in the corpus ({})",
    "span": "a span does not fit its document ({})",
    "score": "the right chunk scores too low ({})",
}


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def totals_to_dict(totals: Mapping[str, Interval]) -> dict[str, Any]:
    """Means with their intervals, ready for JSON."""
    return {camel(name): interval.to_dict() for name, interval in totals.items()}
