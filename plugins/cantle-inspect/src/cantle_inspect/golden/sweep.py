"""Settings compared with one another by golden questions."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cantle.errors import CantleError, CantleWarning, OptionError

from ..corpus.access import Access
from ..corpus.pool import Cutting
from ..corpus.reading import Corpus
from ..names import camel
from ..rank import Ranker
from ..rank.hits import ranker_name
from .evaluate import BUDGETS, Evaluator
from .evaluation import totals_to_dict
from .metrics import ENCODING, Interval, bootstrap
from .questions import Question

if TYPE_CHECKING:
    from ..corpus.roles import Roles

__all__ = ["SweepRow", "Sweep", "sweep"]

FEW = 50
"""With fewer questions than this, it is said that intervals are wide."""


@dataclass(frozen=True)
class SweepRow:
    """One combination of settings.

    `settings` are the values of what was varied. `error` says why these settings cannot be used; all else is then
    empty. `notes` are warnings, of options without effect for example. `tokens` is the mean size of a chunk in tokens
    of `cl100k_base`. `scores` and `totals` are those of `Evaluation`, `problems` counts its problems by kind,
    `main` is the measure to compare by.
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

    def verdict(self, measure: str) -> str:
        """What the difference to the best row says of a measure.

        `worse` or `better` where its interval excludes 0, `unclear` where it does not, `equal` where no question
        differs; `best` for the best row, and nothing for settings that cannot be used.
        """
        if self.best or self.error:
            return "best" if self.best else ""
        value, low, high = self.differences[measure]
        if value == low == high == 0:
            return "equal"
        return "worse" if high < 0 else "better" if low > 0 else "unclear"

    @property
    def label(self) -> str:
        """The settings in one line."""
        return ", ".join(f"{key}={shown(value)}" for key, value in self.settings.items())

    def to_dict(self) -> dict[str, Any]:
        """Everything, ready for JSON."""
        return {
            "settings": {key: _plain(value) for key, value in self.settings.items()},
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


@dataclass(frozen=True)
class Sweep:
    """Settings, the best first, those that cannot be used last. `measure` is what they were compared by."""

    rows: tuple[SweepRow, ...]
    measure: str
    top_k: int
    questions: int

    @property
    def best(self) -> SweepRow:
        """The best settings."""
        return self.rows[0]

    @property
    def leaks(self) -> int:
        """How often chunks were found, with any settings, that the filter or the role does not allow."""
        return sum(row.problems.get(kind, 0) for row in self.rows for kind in ("outside", "leak"))

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
            "best": self.best.to_dict()["settings"],
            "conclusions": self.conclusions,
            "rows": [row.to_dict() for row in self.rows],
        }


_CONCLUSIONS = {
    "worse": "Really worse (the interval of the difference excludes 0): {}.",
    "unclear": "Cannot be told apart from it: {}.",
    "equal": "No question tells it from: {}.",
}


def sweep(
    corpus: Corpus,
    golden: Iterable[Question],
    settings: Mapping[str, Sequence[Any]],
    *,
    cutting: Cutting | None = None,
    ranker: Ranker | str = "tf-cosine",
    where: Mapping[str, Any] | Access | None = None,
    roles: str | Path | Roles | None = None,
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

    Raises `OptionError` when nothing is varied or no settings can be used.
    """
    evaluator = Evaluator(corpus, golden, where=where, roles=roles, top_k=top_k, budgets=budgets)
    rows = []
    for chosen in _combinations(settings):
        rows.append(_row(evaluator, chosen, cutting or Cutting(), ranker))
        if progress:
            progress(len(evaluator.questions))
    return _compared(rows, evaluator)


def _combinations(settings: Mapping[str, Sequence[Any]]) -> Iterator[dict[str, Any]]:
    if not settings:
        raise OptionError("Nothing is varied. Name a setting and its values: {'max_size': [240, 480]}.")
    for key, values in settings.items():
        if isinstance(values, str | bytes) or not values:
            raise OptionError(f"The values of {key} must be a list of at least one, got {values!r}.")
    kept = [[v for i, v in enumerate(values) if v not in values[:i]] for values in settings.values()]
    for combination in itertools.product(*kept):
        yield dict(zip(settings, combination, strict=True))


def _row(evaluator: Evaluator, chosen: Mapping[str, Any], cutting: Cutting, ranker: Ranker | str) -> SweepRow:
    options = {key: value for key, value in chosen.items() if key not in ("strategy", "ranker")}
    try:
        cut = Cutting(chosen.get("strategy", cutting.strategy), {**cutting.options, **options})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = evaluator(cut, chosen.get("ranker", ranker))
    except CantleError as error:
        return SweepRow(chosen, error=str(error))
    notes = dict.fromkeys(str(w.message) for w in caught if issubclass(w.category, CantleWarning))
    passages = found.pool.passages
    if not passages:
        return SweepRow(
            chosen, error="no document has a chunk: " + (found.pool.left_out or [("", "all are empty")])[-1][1]
        )
    return SweepRow(
        chosen,
        notes=tuple(notes),
        chunks=len(passages),
        tokens=found.pool.size(ENCODING) / len(passages),
        left_out=len(found.pool.left_out),
        scores=found.scores,
        totals=found.totals,
        problems=dict(found.problems),
        main=found.main,
    )


def _compared(rows: Sequence[SweepRow], evaluator: Evaluator) -> Sweep:
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
    return Sweep((replace(best, best=True), *judged, *last), measure, evaluator.top_k, len(best.scores[measure]))


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
