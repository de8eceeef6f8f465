"""Golden questions asked of the chunks of a corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from cantle.errors import DocumentError, OptionError

from ..corpus.access import Access, read_roles
from ..corpus.pool import Cutting, Pool
from ..corpus.reading import Corpus
from ..rank import Ranker, named
from ..rank.hits import Hit, ranker_name
from .answers import Answer, Problem
from .evaluation import Evaluation
from .index import Index
from .metrics import TokenPositions
from .questions import Question
from .unfound import unfound

if TYPE_CHECKING:
    from ..corpus.roles import Roles

__all__ = ["BUDGETS", "Evaluator", "evaluate"]

BUDGETS = (1000, 2000)
"""The budgets of tokens within which spans are looked for when none are given."""


def evaluate(
    corpus: Corpus,
    golden: Iterable[Question],
    *,
    cutting: Cutting | None = None,
    ranker: Ranker | str = "tf-cosine",
    where: Mapping[str, Any] | Access | None = None,
    roles: str | Path | Roles | None = None,
    top_k: int = 3,
    budgets: Sequence[int] = BUDGETS,
    min_recall: float = 1.0,
    min_mrr: float = 0.0,
    progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """Ask the golden questions of the chunks of a corpus.

    Chunks are filtered before they are ranked: an index is made of what may be seen, for each filter and role. Each
    chunk that comes back is held against the filter and the role once more.

    `where` is a filter or an `Access`, which may have a role; all questions are then asked as that role. Else, with
    `roles`, a question that names roles is asked as each of them, and as every other role, which must not find it.
    `budgets` are in tokens of `cl100k_base`. `min_recall` and `min_mrr` decide, with the problems that fail any run,
    about `Evaluation.ok`. `progress` is called whenever a question was asked, with 1 if it found the answer, else 0.

    Raises `DocumentError` for a question that names an unknown role, `OptionError` for wrong options, `RankError` for
    scores that are none.
    """
    evaluator = Evaluator(corpus, golden, where=where, roles=roles, top_k=top_k, budgets=budgets)
    return evaluator(cutting or Cutting(), ranker, min_recall=min_recall, min_mrr=min_mrr, progress=progress)


@dataclass(frozen=True)
class _Asking:
    """A question as one role asks it, and what may then be seen: what all of `accesses` allow."""

    question: Question
    wanted: bool
    accesses: tuple[Access, ...]

    @property
    def role(self) -> str | None:
        return self.accesses[0].role

    @property
    def sight(self) -> tuple[object, ...]:
        """Equal for askings that see the same."""
        return tuple(
            (_key(a.where), None if a.rules is None else tuple(_key(rule) for rule in a.rules)) for a in self.accesses
        )

    def allows(self, metadata: Mapping[str, Any]) -> bool:
        return all(access.allows(metadata) for access in self.accesses)


def _key(rule: Mapping[str, tuple[str, ...]]) -> tuple[object, ...]:
    return tuple(sorted((key, tuple(sorted(values))) for key, values in rule.items()))


class Evaluator:
    """Golden questions and a corpus, to be asked with several ways of cutting and ranking; see `evaluate`."""

    def __init__(
        self,
        corpus: Corpus,
        golden: Iterable[Question],
        *,
        where: Mapping[str, Any] | Access | None = None,
        roles: str | Path | Roles | None = None,
        top_k: int = 3,
        budgets: Sequence[int] = BUDGETS,
    ) -> None:
        if top_k < 1 or any(budget < 1 for budget in budgets):
            raise OptionError(f"top_k and budgets must be at least 1, got {top_k} and {list(budgets)}.")
        self.corpus = corpus
        self.top_k = top_k
        self.budgets = tuple(dict.fromkeys(budgets))
        self._access = where if isinstance(where, Access) else Access.of(where)
        self._roles = read_roles(roles) if isinstance(roles, str | Path) else roles
        self._documents = {document.source: document for document in corpus.documents}
        self._names = {normalize("NFC", source): source for source in self._documents}
        self.positions = {source: TokenPositions(document.text) for source, document in self._documents.items()}
        self._texts = {source: document.text for source, document in self._documents.items()}
        self.questions = tuple(map(self._resolved, golden))
        self._askings = [asking for question in self.questions for asking in self._of(question)]

    def _resolved(self, question: Question) -> Question:
        """The question with sources spelled as the corpus spells them."""
        return replace(
            question,
            sources=self._known(question.sources),
            exclude=self._known(question.exclude),
            forbidden=self._known(question.forbidden),
            spans={self._name(source): spans for source, spans in question.spans.items()},
        )

    def _known(self, sources: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self._name, sources))

    def _name(self, source: str) -> str:
        return self._names.get(normalize("NFC", source), source)

    def _of(self, question: Question) -> Iterator[_Asking]:
        """Each way in which a question is asked."""
        own = (Access.of(question.where),) if question.where else ()
        named = {normalize("NFC", role) for role in question.roles}
        if self._roles is not None and (unknown := sorted(named - self._roles.keys())):
            raise DocumentError(
                f"The golden question {question.id!r} names the role {unknown[0]!r}, which "
                f"{self._roles.file or 'the file of roles'} does not have. Known: {', '.join(self._roles)}."
            )
        if self._access.role is not None:
            wanted = question.expects and (not named or normalize("NFC", self._access.role) in named)
            yield _Asking(question, wanted, (self._access, *own))
        elif named and self._roles is not None:
            for role, rules in self._roles.items():
                access = Access(self._access.where, rules, role)
                yield _Asking(question, role in named, (access, *own))
        else:
            yield _Asking(question, question.expects, (self._access, *own))

    @property
    def roles_unused(self) -> bool:
        """Whether questions name roles, but nothing says what these may see."""
        return self._roles is None and self._access.role is None and any(q.roles for q in self.questions)

    def __call__(
        self,
        cutting: Cutting,
        ranker: Ranker | str,
        *,
        min_recall: float = 1.0,
        min_mrr: float = 0.0,
        progress: Callable[[int], object] | None = None,
    ) -> Evaluation:
        """Cut, rank and ask."""
        by = named(ranker) if isinstance(ranker, str) else ranker
        pool = Pool.of(self.corpus, cutting)
        numbers: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for i, asking in enumerate(self._askings):
            numbers[asking.sight].append(i)
        answers: dict[int, Answer] = {}
        for same in numbers.values():  # one index at a time: those of 50 roles would not fit into memory
            index = self._index(pool, self._askings[same[0]], by)
            for i in same:
                answers[i] = self._answer(index, self._askings[i], pool)
                if progress:
                    progress(int(answers[i].found))
        return Evaluation(
            answers=tuple(answers[i] for i in range(len(self._askings))),
            pool=pool,
            ranker=ranker_name(by),
            top_k=self.top_k,
            budgets=self.budgets,
            min_recall=min_recall,
            min_mrr=min_mrr,
        )

    @property
    def askings(self) -> int:
        """How often questions are asked: a question is asked once for each role that matters to it."""
        return len(self._askings)

    def _index(self, pool: Pool, asking: _Asking, ranker: Ranker) -> Index:
        first, *others = asking.accesses
        hidden = {
            document.source
            for document in self.corpus.documents
            if not all(access.allows(document.metadata) for access in others)
        }
        return Index([p for p in pool.visible(first) if p.chunk.source not in hidden], ranker, self.positions)

    def _answer(self, index: Index, asking: _Asking, pool: Pool) -> Answer:
        question = asking.question
        ranking = index.rank(question)
        hits = tuple(ranking.hit(i) for i in ranking.best(self.top_k))
        answer = Answer(question, asking.accesses[0], asking.wanted, hits)
        problems = [*self._outside(asking, hits), *self._forbidden(asking, hits)]
        if asking.wanted:
            number = ranking.right(question, question.expected or None)
            if number is not None:
                place = ranking.place(number)
                answer = replace(answer, right=ranking.hit(number), rank=place, found=place <= self.top_k)
            if question.spans:
                answer = replace(answer, spans=ranking.span_metrics(question, self.top_k, self.budgets))
            unfit = list(self._unfit(question, pool))
            problems += unfit
            problems += self._unsatisfied(question, answer, index, bool(unfit))
        return replace(answer, problems=tuple(problems))

    def _outside(self, asking: _Asking, hits: Sequence[Hit]) -> Iterator[Problem]:
        """Chunks that may not be seen: asked of the document itself, whatever the index says."""
        for hit in hits:
            if not asking.allows(self._documents[hit.passage.chunk.source].metadata):
                who = f"the role {asking.role}" if asking.role else "the filter"
                yield Problem("outside", f"{hit.passage.id} was returned, but {who} does not allow it")

    def _forbidden(self, asking: _Asking, hits: Sequence[Hit]) -> Iterator[Problem]:
        question = asking.question
        for hit in hits:
            source = hit.passage.chunk.source
            if source in question.forbidden and hit.score > 0:
                yield Problem("forbidden", f"{hit.passage.id} was found (score {hit.score:.3f}): {source} is forbidden")
            if question.expects and not asking.wanted and source in question.expected:
                yield Problem("leak", f"the role {asking.role} gets {hit.passage.id}; only {_roles(question)} may")

    def _unfit(self, question: Question, pool: Pool) -> Iterator[Problem]:
        """What does not fit the corpus: sources that are not there, spans outside their document."""
        left_out = {left.source: left.reason for left in pool.left_out}
        for source in dict.fromkeys((*question.sources, *question.spans)):
            if source in left_out:
                yield Problem("missing", f"{source} was left out: {left_out[source]}")
            elif source not in self._documents:
                yield Problem("missing", f"{source} is not in the corpus{self._hint(source)}")
        for source, spans in question.spans.items():
            if source in self._documents and spans[-1][1] > (size := len(self._documents[source].text)):
                start, end = spans[-1]
                yield Problem("span", f"the span {start}..{end} ends outside {source}, which has {size} characters")

    def _hint(self, source: str) -> str:
        from difflib import get_close_matches

        close = get_close_matches(source, self._documents, n=1)
        return f"; did you mean {close[0]!r}?" if close else ""

    def _unsatisfied(self, question: Question, answer: Answer, index: Index, unfit: bool) -> Iterator[Problem]:
        if not answer.found and not unfit:
            yield Problem("unfound", unfound(answer, index, self._texts))
        right = answer.right
        if question.min_score is not None and right is not None and right.score < question.min_score:
            what = f"{right.passage.id} scores {right.score:.3f}, less than {question.min_score:g}"
            yield Problem("score", what)


def _roles(question: Question) -> str:
    return " and ".join(question.roles) or "others"
