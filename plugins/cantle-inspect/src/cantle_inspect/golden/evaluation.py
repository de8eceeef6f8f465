"""The result of an evaluation: answers, means with intervals, and whether it is good enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from cantle.access import Access
from cantle.commands import counted

from ..asking.audit import where_of
from ..corpus.pool import Cutting, Pool
from ..measures.html_table import html_table
from ..measures.settings import plain
from ..measures.tokens import MODEL
from ..names import camel
from .answers import FATAL, Answer
from .metrics import Interval, bootstrap

__all__ = ["Evaluation", "failure", "shortfalls", "totals_to_dict"]

_ROUNDING = 1e-9
"""A mean of thirds may be a last digit below what it is."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What golden questions found. `answers` are in the order of the questions, and for each of the roles.

    `access` is the filter, and the role where all questions were asked as one; `roles_file` says what roles may see;
    `untested` is how many questions name roles that were not tested. `languages` are those whose stop words the ranker
    left out. A chunk counts as found when it scores more than `lowest`.
    """

    answers: tuple[Answer, ...]
    pool: Pool
    ranker: str
    top_k: int
    budgets: tuple[int, ...]
    min_recall: float = 1.0
    min_mrr: float = 0.0
    cutting: Cutting = field(default_factory=Cutting)
    languages: tuple[str, ...] = ()
    access: Access = field(default_factory=lambda: Access({}))
    roles_file: str | None = None
    untested: int = 0
    lowest: float = 0.0

    def __repr__(self) -> str:
        recall = f", recall@{self.top_k} {self.totals['recall'].value:.3f}" if "recall" in self.totals else ""
        failed = len({answer.question.id for answer in self.failed})
        verdict = "ok" if self.ok else "not ok"
        return f"<Evaluation: {counted(self.questions, 'question')}{recall}, {failed} failed, {verdict}>"

    def _repr_html_(self) -> str:
        rows = [(name, *(round(number, 3) for number in interval)) for name, interval in self.totals.items()]
        failed = [
            (a.question.id, a.question.question, a.role, "; ".join(problem.text for problem in a.problems))
            for a in self.failed[:_SHOWN]
        ]
        totals = html_table(["measure", "mean", "low", "high"], rows, repr(self)[1:-1])
        if not failed:
            return totals
        more = f" ({_SHOWN} of {len(self.failed)})" if len(self.failed) > _SHOWN else ""
        return totals + html_table(["id", "question", "role", "why"], failed, f"Failed{more}")

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
        said = shortfalls(self.totals, self.top_k, self.min_recall, self.min_mrr)
        return said + [failure(kind, self.problems[kind]) for kind in FATAL if self.problems[kind]]

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
                **self.settings,
                "role": self.access.role,
                "where": where_of(self.access),
            },
            "results": [answer.to_dict() for answer in self.answers],
        }

    def audit(self) -> list[dict[str, Any]]:
        """The lines of an audit: which chunk sustains each answer that is wanted, and each leak."""
        settings = {name: value for name, value in self.settings.items() if name != "ranker"}
        return [a.audit(self.ranker, **settings) for a in self.answers if a.wanted or a.leaks]

    @cached_property
    def options(self) -> dict[str, Any]:
        """The options in force: size, overlap and unit, and those that were given."""
        return self.pool.settings(self.cutting.options).options

    @cached_property
    def settings(self) -> dict[str, Any]:
        """How chunks were cut and ranked, and whether roles were tested (None: no question names one), for JSON."""
        naming = any(answer.question.roles for answer in self.answers)
        return {
            "strategies": self.pool.settings().strategies,
            "options": {camel(name): plain(value) for name, value in self.options.items()},
            "ranker": self.ranker,
            "language": list(self.languages),
            "roles": self.roles_file,
            "rolesTested": not self.untested if naming else None,
        }


def shortfalls(
    totals: Mapping[str, Interval], top_k: int, min_recall: float, min_mrr: float, of: str = ""
) -> list[str]:
    """Which means are below what is asked for, in words; `of` says whose they are."""
    asked = (("recall", f"recall@{top_k}", min_recall), ("mrr", "MRR", min_mrr))
    return [
        f"{name}{of} is {totals[key].value:.3f}, less than {least:g}"
        for key, name, least in asked
        if key in totals and totals[key].value < least - _ROUNDING
    ]


def failure(kind: str, count: int) -> str:
    """A kind of problems, in words, and how often it was there."""
    return f"{_WORDS[kind]} ({'once' if count == 1 else f'{count} times'})"


_WORDS = {
    "outside": "a chunk outside the filter or the role was returned",
    "leak": "a role may see what it should not",
    "forbidden": "a forbidden source was found",
    "missing": "a source that is named is not in the corpus",
    "span": "a span does not fit its document",
    "score": "the right chunk scores too low",
}

_SHOWN = 20
"""Of more failed answers a notebook shows only the first."""


def totals_to_dict(totals: Mapping[str, Interval]) -> dict[str, Any]:
    """Means with their intervals, ready for JSON."""
    return {camel(name): interval.to_dict() for name, interval in totals.items()}
