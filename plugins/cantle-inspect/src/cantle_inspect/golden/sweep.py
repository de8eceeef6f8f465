"""Settings compared with one another by golden questions."""

from __future__ import annotations

import itertools
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from cantle.access import Access
from cantle.commands import counted
from cantle.errors import CantleError, CantleWarning, OptionError

from ..corpus.pool import Cutting, CuttingLike, Pool
from ..measures.html_table import html_table
from ..measures.settings import plain
from ..names import camel
from ..rank import Ranker
from ..rank.hits import ranker_name
from .answers import UNFIT
from .evaluate import BUDGETS, Evaluator
from .evaluation import failure, shortfalls, totals_to_dict
from .metrics import ENCODING, Interval, bootstrap
from .swept import check_settings
from .taken import Asked, Documents, RolesLike, share

__all__ = ["SweepRow", "Sweep", "sweep"]

FEW = 50
"""With fewer questions than this, it is said that intervals are wide."""

TOO_FEW = 8
"""With fewer questions than this, nothing is said of differences: single questions would decide."""


@dataclass(frozen=True)
class SweepRow:
    """One combination of settings.

    `settings` are the values of what was varied, `options` all options in force. `error` says why these settings cannot
    be used; all else is then empty. `notes` are warnings, of options without effect for example. `tokens` is the mean
    size of a chunk in tokens of `cl100k_base`. `scores` and `totals` are those of `Evaluation`, `problems` counts its
    problems by kind, `main` is the measure to compare by.
    `differences` are those to the best row, by measure: the mean over questions with its interval. `best` is True for
    the best row.
    """

    settings: Mapping[str, Any]
    error: str = ""
    notes: tuple[str, ...] = ()
    chunks: int = 0
    tokens: float = 0.0
    left_out: int = 0
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    totals: Mapping[str, Interval] = field(default_factory=dict)
    problems: Mapping[str, int] = field(default_factory=dict)
    main: str = "recall"
    differences: Mapping[str, Interval] = field(default_factory=dict)
    best: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def verdict(self, measure: str) -> str:
        """What the difference to the best row says of a measure.

        `worse` or `better` where its interval excludes 0, `unclear` where it does not, `equal` where no question
        differs, `too few` where it is that of fewer than 8 questions; `best` for the best row, and nothing for settings
        that cannot be used.
        """
        if self.best or self.error:
            return "best" if self.best else ""
        value, low, high = self.differences[measure]
        if value == low == high == 0:
            return "equal"
        if len(self.scores[measure]) < TOO_FEW:
            return "too few"
        return "worse" if high < 0 else "better" if low > 0 else "unclear"

    @property
    def label(self) -> str:
        """The settings in one line."""
        return ", ".join(f"{key}={shown(value)}" for key, value in self.settings.items())

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "settings": {key: _plain(value) for key, value in self.settings.items()},
            "options": {camel(key): plain(value) for key, value in self.options.items()},
            "error": self.error or None,
            "notes": list(self.notes),
            "totalChunks": self.chunks,
            "meanTokens": round(self.tokens, 2),
            "leftOut": self.left_out,
            "totals": totals_to_dict(self.totals),
            "problems": dict(self.problems),
            "differences": totals_to_dict(self.differences),
            "verdicts": {camel(name): self.verdict(name) for name in self.totals},
            "scores": {
                camel(name): {i: round(value, 6) for i, value in by_id.items()} for name, by_id in self.scores.items()
            },
        }


@dataclass(frozen=True, repr=False)
class Sweep:
    """Settings, the best first, those that cannot be used last. `measure` is what they were compared by.

    `unfit` are the problems that do not depend on settings, each once: kind, id of the question, words. They fail the
    sweep: sources that are not there, spans that do not fit, leaks, chunks outside the filter. `untested` is how many
    questions name roles that were not tested.
    """

    rows: tuple[SweepRow, ...]
    measure: str
    top_k: int
    questions: int
    unfit: tuple[tuple[str, str, str], ...] = ()
    untested: int = 0

    def __repr__(self) -> str:
        return f"<Sweep: {len(self.rows)} settings, {counted(self.questions, 'question')}, best {self.best.label}>"

    def _repr_html_(self) -> str:
        names = list(dict.fromkeys([self.measure, "recall", "mrr"]))
        rows = [
            (
                number,
                row.label,
                row.chunks,
                *(round(row.totals[name].value, 3) if name in row.totals else None for name in names),
                row.error or row.verdict(self.measure),
            )
            for number, row in enumerate(self.rows, 1)
        ]
        return html_table(["#", "settings", "chunks", *names, "verdict"], rows, " ".join(self.conclusions))

    @property
    def best(self) -> SweepRow:
        """The best settings."""
        return self.rows[0]

    @property
    def leaks(self) -> int:
        """How often a role may see what it should not, or got a chunk outside the filter; each question once a role."""
        return sum(1 for kind, _, _ in self.unfit if kind in ("outside", "leak"))

    def failures(self, min_recall: float = 0.0, min_mrr: float = 0.0) -> list[str]:
        """Why the sweep fails, in words: the best settings find too little, or a problem is there with any of them.

        Raises `OptionError` for bounds that are no numbers from 0 to 1.
        """
        least = share("min_recall", min_recall), share("min_mrr", min_mrr)
        said = shortfalls(self.best.totals, self.top_k, *least, of=" of the best settings")
        count = Counter(kind for kind, _, _ in self.unfit)
        return said + [failure(kind, count[kind]) for kind in UNFIT if count[kind]]

    @property
    def conclusions(self) -> list[str]:
        """What may be concluded, in words; rows are named by their number, from 1."""
        name = f"recall@{self.top_k}" if self.measure == "recall" else self.measure
        value, low, high = self.best.totals[self.measure]
        said = [f"Best by {name}: {self.best.label}, with {value:.3f} [{low:.3f}, {high:.3f}]."]
        for verdict, words in _CONCLUSIONS.items():
            if rows := self._rows(self.measure, verdict):
                said.append(words.format(rows))
        for verdict in ("worse", "better"):
            if rows := self._rows("mrr", verdict):
                said.append(f"By MRR {rows} {'is' if ',' not in rows else 'are'} really {verdict} than it.")
        if unusable := sum(1 for row in self.rows if row.error):
            said.append(f"{unusable} of {len(self.rows)} settings cannot be used.")
        few = " That is few: intervals are wide, and only large differences show." if self.questions < FEW else ""
        said.append(f"{self.questions} {'question' if self.questions == 1 else 'questions'} with an answer.{few}")
        return said

    def _rows(self, measure: str, verdict: str) -> str:
        return ", ".join(f"#{i}" for i, row in enumerate(self.rows, 1) if row.verdict(measure) == verdict)

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON, with the value of each question."""
        return {
            "measure": camel(self.measure),
            "topK": self.top_k,
            "questions": self.questions,
            "rolesTested": False if self.untested else None,
            "problems": [{"kind": kind, "id": name, "text": text} for kind, name, text in self.unfit],
            "best": self.best.to_dict()["settings"],
            "conclusions": self.conclusions,
            "rows": [row.to_dict() for row in self.rows],
        }


_CONCLUSIONS = {
    "worse": "Really worse (the interval of the difference excludes 0): {}.",
    "unclear": "Cannot be told apart from it: {}.",
    "equal": "No question tells it from: {}.",
    "too few": "Too few questions to tell it from: {}.",
}


def sweep(
    corpus: Documents,
    golden: Asked,
    settings: Mapping[str, Sequence[Any]],
    *,
    cutting: CuttingLike = None,
    ranker: Ranker | str = "tf-cosine",
    where: Mapping[str, Any] | Access | None = None,
    roles: RolesLike = None,
    top_k: int = 3,
    budgets: Sequence[int] = BUDGETS,
    progress: Callable[[int], object] | None = None,
) -> Sweep:
    """Evaluate all combinations of settings and compare them with the best.

    `settings` maps `strategy`, `ranker` (names or rankers) and options of strategies to the values to try; `cutting`
    and `ranker` say what does not vary. The rest is that of `evaluate`. `progress` is called after each combination
    with the number of questions.

    Settings are compared by recall within the first budget where all questions have spans, else by recall at `top_k`;
    equal ones by MRR, then in the order in which they were tried. Differences are paired: the interval is a bootstrap
    over the differences of single questions. Settings that cannot be used are rows that say why.

    Documents are cut once for each way of cutting them. Raises `OptionError` when nothing is varied, for settings,
    strategies and rankers that do not exist, and when no settings can be used.
    """
    evaluator = Evaluator(corpus, golden, where=where, roles=roles, top_k=top_k, budgets=budgets)
    base = Cutting.like(cutting)
    rankers = check_settings(settings, base)
    chosen = list(_combinations(settings))
    rows: dict[int, _Row] = {}
    for same in _cut_alike(chosen):
        cut = _Cut(evaluator, _cutting(chosen[same[0]], base))
        for i in same:
            given = chosen[i].get("ranker", ranker)
            rows[i] = cut.row(chosen[i], rankers.get(given, given) if isinstance(given, str) else given)
            if progress:
                progress(len(evaluator.questions))
    return _compared([rows[i] for i in range(len(chosen))], evaluator)


def _cut_alike(chosen: Sequence[Mapping[str, Any]]) -> list[list[int]]:
    """The numbers of the combinations that differ in nothing but the ranker, together."""
    groups: list[tuple[dict[str, Any], list[int]]] = []
    for i, combination in enumerate(chosen):
        key = {name: value for name, value in combination.items() if name != "ranker"}
        for known, numbers in groups:
            if known == key:
                numbers.append(i)
                break
        else:
            groups.append((key, [i]))
    return [numbers for _, numbers in groups]


def _cutting(chosen: Mapping[str, Any], base: Cutting) -> Cutting:
    options = {key: value for key, value in chosen.items() if key not in ("strategy", "ranker")}
    return Cutting(chosen.get("strategy", base.strategy), {**base.options, **options})


def _combinations(settings: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    kept = [[v for i, v in enumerate(values) if v not in values[:i]] for values in settings.values()]
    for combination in itertools.product(*kept):
        yield dict(zip(settings, combination, strict=True))


_Row = tuple[SweepRow, tuple[tuple[str, str, str], ...]]
"""A row, and the problems that do not depend on its settings."""


class _Cut:
    """A corpus that is cut in one way, to be ranked in several."""

    def __init__(self, evaluator: Evaluator, cutting: Cutting) -> None:
        self._evaluator, self._cutting = evaluator, cutting
        self._error, self._pool, self._notes, self._tokens = "", None, {}, 0.0  # type: tuple[str, Pool | None, dict[str, None], float]
        with _noting(self._notes):
            try:
                self._pool = Pool.of(evaluator.corpus, cutting)
                self._tokens = self._pool.size(ENCODING)
            except CantleError as error:
                self._error = str(error)
        if self._pool is not None and not self._pool.passages:
            self._error = "no document has a chunk: " + (self._pool.left_out or [("", "all are empty")])[-1][1]

    def row(self, chosen: Mapping[str, Any], ranker: Ranker | str) -> _Row:
        pool = self._pool
        if self._error or pool is None:
            return SweepRow(chosen, error=self._error), ()
        notes = dict(self._notes)
        with _noting(notes):
            try:
                found = self._evaluator(self._cutting, ranker, pool=pool)
            except CantleError as error:
                return SweepRow(chosen, error=str(error)), ()
        row = SweepRow(
            chosen,
            notes=tuple(notes),
            chunks=len(pool.passages),
            tokens=self._tokens / len(pool.passages),
            left_out=len(pool.left_out),
            scores=found.scores,
            totals=found.totals,
            problems=dict(found.problems),
            main=found.main,
            options=found.options,
        )
        unfit = ((p.kind, a.question.id, p.text) for a in found.answers for p in a.problems if p.kind in UNFIT)
        return row, tuple(dict.fromkeys(unfit))


@contextmanager
def _noting(notes: dict[str, None]) -> Iterator[None]:
    """Take down what cantle warns of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    notes.update(dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, CantleWarning)))


def _compared(made: Sequence[_Row], evaluator: Evaluator) -> Sweep:
    rows = [row for row, _ in made]
    usable = [row for row in rows if not row.error]
    if not usable:
        reasons = "; ".join(f"{row.label}: {row.error}" for row in rows[:3])
        more = f"; and {len(rows) - 3} more" if len(rows) > 3 else ""
        raise OptionError(f"None of the settings can be used. {reasons}{more}")
    if "recall" not in usable[0].totals:
        raise OptionError("No golden question expects an answer, so there is nothing to compare settings by.")
    measure = usable[0].main
    usable.sort(key=lambda row: (-row.totals[measure].value, -row.totals["mrr"].value))
    best = usable[0]
    judged = [replace(row, differences=_differences(row, best)) for row in usable[1:]]
    last = [row for row in rows if row.error]
    unfit: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for problem in itertools.chain.from_iterable(problems for _, problems in made):
        # With other settings another chunk is outside or leaked: what is wrong is the same.
        kind, name, text = problem
        unfit.setdefault((kind, name, text.partition(", and it got ")[0]), problem)
    return Sweep(
        rows=(replace(best, best=True), *judged, *last),
        measure=measure,
        top_k=evaluator.top_k,
        questions=len(best.scores[measure]),
        unfit=tuple(unfit.values()),
        untested=evaluator.untested,
    )


def _differences(row: SweepRow, best: SweepRow) -> dict[str, Interval]:
    return {
        name: bootstrap([value - best.scores[name][i] for i, value in by_id.items()])
        for name, by_id in row.scores.items()
    }


def shown(value: Any) -> str:
    """A value of a setting, for people."""
    plain = _plain(value)
    return plain if isinstance(plain, str) else repr(plain)


def _plain(value: Any) -> Any:
    """A value of a setting, for JSON: strategies and rankers by their names."""
    if value is None or isinstance(value, str | int | float | list | tuple | dict):
        return value
    return str(getattr(value, "name", None) or ranker_name(value))
