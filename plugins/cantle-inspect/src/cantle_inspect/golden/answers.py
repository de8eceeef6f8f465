"""What a golden question finds, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cantle.access import Access

from ..asking.audit import audit_record
from ..names import camel
from ..rank.hits import Hit
from .questions import Question

__all__ = ["FATAL", "UNFIT", "Answer", "Problem"]

FATAL = ("outside", "leak", "forbidden", "missing", "span", "score")
"""The kinds of problems that fail a run whatever the recall is."""

UNFIT = ("outside", "leak", "missing", "span")
"""Those of them that are there with any settings: they fail a sweep too."""


class Problem(NamedTuple):
    """What is wrong with an answer.

    `kind` is `outside` (a chunk that the filter or the role does not allow), `leak` (a role may see what only others
    should), `forbidden` (a forbidden source was found), `missing` (a source that is named is not in the corpus), `span`
    (a span does not fit its document), `score` (the right chunk scores too low) or `unfound`; `text` says it in words.
    """

    kind: str
    text: str


@dataclass(frozen=True)
class Answer:
    """What a question finds, asked with an access, which may have a role; a filter of the question's own comes on top.

    `hits` are the chunks found, best first, `top_k` at most. `right` is the best right chunk with a score that counts
    (above 0 for `tf-cosine` and `bm25`, any for rankers of your own), and `rank` its place in the whole ranking, from
    1; `found` says whether it is among the hits. `wanted` is False where nothing right is expected: the role must not
    see the answer, or the question only forbids sources. `spans` are the metrics of a question with spans, by name.
    """

    question: Question
    access: Access
    wanted: bool
    hits: tuple[Hit, ...] = field(repr=False)
    right: Hit | None = field(default=None, repr=False)
    rank: int | None = None
    found: bool = False
    spans: Mapping[str, float] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    @property
    def role(self) -> str | None:
        """The role that asked; None where there was none."""
        return self.access.role

    @property
    def passed(self) -> bool:
        """Whether nothing is wrong."""
        return not self.problems

    @property
    def leaks(self) -> bool:
        """Whether the role may see what only others should."""
        return any(problem.kind == "leak" for problem in self.problems)

    @property
    def values(self) -> dict[str, float]:
        """The measures that are averaged: `recall`, `hit@1`, `mrr`, and those of the spans."""
        rank = 1 / self.rank if self.rank else 0.0
        return {"recall": float(self.found), "hit@1": float(self.rank == 1), "mrr": rank, **self.spans}

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        question = self.question
        return {
            "id": question.id,
            "question": question.question,
            "group": question.group,
            "role": self.role,
            "expected": list(question.expected),
            "wanted": self.wanted,
            "passed": self.passed,
            "problems": [problem._asdict() for problem in self.problems],
            "found": self.found,
            "rank": self.rank,
            "score": None if self.right is None else round(self.right.score, 6),
            "right": None if self.right is None else _named(self.right),
            "chunks": [_named(hit) for hit in self.hits],
            "spans": {camel(name): round(value, 6) for name, value in self.spans.items()},
        }

    def audit(self, ranker: str, **settings: Any) -> dict[str, Any]:
        """One line of an audit: which chunk sustains the answer, or is leaked. Without one, what is said of it is None.

        `settings` are added: how chunks were cut and ranked.
        """
        question = self.question
        got = next((hit for hit in self.hits if hit.passage.document.source in question.expected), None)
        return audit_record(
            question.question,
            (self.right if self.found else None) if self.wanted else got,
            self.access,
            ranker,
            questionId=question.id,
            questionWhere={key: list(values) for key, values in question.where.items()},
            wanted=self.wanted,
            found=self.found,
            leak=self.leaks,
            rank=self.rank if self.found else None,
            minScore=question.min_score,
            **settings,
        )


def _named(hit: Hit) -> dict[str, Any]:
    return {
        "id": hit.passage.id,
        "chunkId": hit.passage.chunk.id,
        "source": hit.passage.document.source,
        "score": round(hit.score, 6),
    }
