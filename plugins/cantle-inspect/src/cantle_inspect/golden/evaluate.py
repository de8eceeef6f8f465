"""Golden questions asked of the chunks of a corpus."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any
from unicodedata import normalize

from cantle.access import Access, Roles

from ..corpus.pool import Cutting, CuttingLike, Pool
from ..rank import NamedRanker, Ranker, named
from ..rank.hits import lowest, ranker_name
from .answers import Answer, Problem
from .askings import Asking, askings, check_roles
from .checks import Checks
from .evaluation import Evaluation
from .index import Index
from .metrics import TokenPositions
from .questions import Question, folded
from .taken import Asked, Documents, RolesLike, corpus_of, golden_of, roles_of, share, whole, wholes
from .unfound import unfound

__all__ = ["BUDGETS", "Evaluator", "evaluate"]

BUDGETS = (1000, 2000)
"""The budgets of tokens within which spans are looked for when none are given."""


def evaluate(
    corpus: Documents,
    golden: Asked,
    *,
    cutting: CuttingLike = None,
    ranker: Ranker | str = "tf-cosine",
    where: Mapping[str, Any] | Access | None = None,
    roles: RolesLike = None,
    top_k: int = 3,
    budgets: Sequence[int] = BUDGETS,
    min_recall: float = 1.0,
    min_mrr: float = 0.0,
    progress: Callable[[int], object] | None = None,
) -> Evaluation:
    """Ask the golden questions of the chunks of a corpus. Both may be paths: of documents, and of a file of questions.

    Chunks are filtered before they are ranked: an index is made of what may be seen, for each filter and role. Each
    chunk that comes back is held against the filter and the role once more.

    `where` is a filter or an `Access`, which may have a role; all questions are then asked as that role. Else, with
    `roles`, a question that names roles is asked as each of them, and as every other role, which must not be able to
    see an expected source. Where questions name roles, one of the two must be there, or `roles=False`: they are then
    asked as nobody in particular, and the result says that roles were not tested.
    `budgets` are in tokens of `cl100k_base`. `min_recall` and `min_mrr` decide, with the problems that fail any run,
    about `Evaluation.ok`. `progress` is called whenever a question was asked, with 1 if it found the answer, else 0.

    Raises `OptionError` for wrong options, no question, equal ids, and roles that are not known; `DocumentError` for a
    file of questions that cannot be read; `RankError` for scores that are none.
    """
    evaluator = Evaluator(corpus, golden, where=where, roles=roles, top_k=top_k, budgets=budgets)
    return evaluator(Cutting.like(cutting), ranker, min_recall=min_recall, min_mrr=min_mrr, progress=progress)


class Evaluator:
    """Golden questions and a corpus, to be asked with several ways of cutting and ranking; see `evaluate`."""

    def __init__(
        self,
        corpus: Documents,
        golden: Asked,
        *,
        where: Mapping[str, Any] | Access | None = None,
        roles: RolesLike = None,
        top_k: int = 3,
        budgets: Sequence[int] = BUDGETS,
    ) -> None:
        self.top_k = whole("top_k", top_k)
        self.budgets = wholes("budgets", budgets)
        self.corpus = corpus_of(corpus, golden, roles)
        self._access = where if isinstance(where, Access) else Access.of(where)
        self._roles = roles_of(roles)
        self._documents = {document.source: document for document in self.corpus.documents}
        self._names = {normalize("NFC", source): source for source in self._documents}
        self.positions = {source: TokenPositions(document.text) for source, document in self._documents.items()}
        self._checks = Checks(self._documents)
        self._fold = _Folds()
        self.questions = tuple(map(self._resolved, golden_of(golden)))
        check_roles(self.questions, self._access, self._roles)
        self._askings = [asking for q in self.questions for asking in askings(q, self._access, self._roles)]

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
        return source if source in self._documents else self._names.get(normalize("NFC", source), source)

    def __call__(
        self,
        cutting: Cutting,
        ranker: Ranker | str,
        *,
        min_recall: float = 1.0,
        min_mrr: float = 0.0,
        pool: Pool | None = None,
        progress: Callable[[int], object] | None = None,
    ) -> Evaluation:
        """Cut, rank and ask. `pool` is what `cutting` makes of the corpus, where it is there already."""
        least = share("min_recall", min_recall), share("min_mrr", min_mrr)
        by = named(ranker) if isinstance(ranker, str) else ranker
        if pool is None:
            pool = Pool.of(self.corpus, cutting)
        self._fold.clear()  # the texts of other chunks are of no more use
        numbers: dict[tuple[object, ...], list[int]] = defaultdict(list)
        for i, asking in enumerate(self._askings):
            numbers[asking.sight].append(i)
        answers: dict[int, Answer] = {}
        languages: dict[str, None] = {}
        for same in numbers.values():  # one index at a time: those of 50 roles would not fit into memory
            index = self._index(pool, self._askings[same[0]], by)
            if isinstance(by, NamedRanker):
                languages |= dict.fromkeys(by.language([passage.chunk.text for passage in index.passages]))
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
            min_recall=least[0],
            min_mrr=least[1],
            cutting=cutting,
            languages=tuple(languages),
            access=self._access,
            roles_file=(self._roles.file or None) if isinstance(self._roles, Roles) else None,
            untested=self.untested,
            lowest=lowest(by),
        )

    @property
    def untested(self) -> int:
        """How many questions name roles that are not tested."""
        if isinstance(self._roles, Roles) or self._access.role is not None:
            return 0
        return sum(1 for question in self.questions if question.roles)

    @property
    def askings(self) -> int:
        """How often questions are asked: a question is asked once for each role that matters to it."""
        return len(self._askings)

    def _index(self, pool: Pool, asking: Asking, ranker: Ranker) -> Index:
        first, *others = asking.accesses
        hidden = {
            document.source
            for document in self.corpus.documents
            if not all(access.allows(document.metadata) for access in others)
        }
        seen = [passage for passage in pool.visible(first) if passage.document.source not in hidden]
        return Index(seen, ranker, self.positions, self._fold)

    def _answer(self, index: Index, asking: Asking, pool: Pool) -> Answer:
        question = asking.question
        ranking = index.rank(question)
        hits = tuple(ranking.hit(i) for i in ranking.best(self.top_k))
        answer = Answer(question, asking.accesses[0], asking.wanted, hits)
        problems = [
            *self._checks.outside(asking, hits),
            *self._checks.forbidden(question, hits, index.lowest),
            *self._checks.leaks(asking, hits),
            *self._checks.idle(question, pool),
        ]
        if asking.wanted:
            number = ranking.right(question, question.expected or None)
            if number is not None:
                place = ranking.place(number)
                answer = replace(answer, right=ranking.hit(number), rank=place, found=place <= self.top_k)
            if question.spans:
                answer = replace(answer, spans=ranking.span_metrics(question, self.top_k, self.budgets))
            unfit = list(self._checks.unfit(question, pool))
            problems += unfit
            problems += self._unsatisfied(asking, answer, index, bool(unfit))
        return replace(answer, problems=tuple(problems))

    def _unsatisfied(self, asking: Asking, answer: Answer, index: Index, unfit: bool) -> Iterator[Problem]:
        question, right = asking.question, answer.right
        if not answer.found and not unfit:
            why = unfound(answer, asking, index, self._documents, self._fold, index.lowest)
            yield Problem("unfound", why)
        if question.min_score is not None and right is not None and right.score < question.min_score:
            what = f"{right.passage.id} scores {right.score:.3f}, less than {question.min_score:g}"
            yield Problem("score", what)


class _Folds(dict[str, str]):
    """Texts as they are compared, each folded once."""

    def __call__(self, text: str) -> str:
        return self[text]

    def __missing__(self, text: str) -> str:
        self[text] = found = folded(text)
        return found
