"""`sweep`: combinations of settings, how they are compared, and what may be concluded."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.commands import to_json
from cantle.errors import CantleError, OptionError
from cantle_inspect import Corpus, Cutting, Question, Sweep, bootstrap, evaluate, named, read_corpus, read_golden, sweep
from cantle_inspect.golden.evaluate import Evaluator

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"
GOLDEN = read_golden(NUCLEO / "golden-questions.json")
CORPUS = read_corpus(NUCLEO, skip=[NUCLEO / "golden-questions.json", NUCLEO / "roles.yaml"])

PLAIN = tuple(replace(question, roles=()) for question in GOLDEN)

TEXTS = Corpus(tuple(MDocument.from_text(f"texto {i}", source=f"{i}.txt") for i in range(40)))


def first(right: int) -> Callable[[Sequence[str]], Callable[[str], list[float]]]:
    """A ranker that finds the answers of the first `right` questions, and others only further down."""

    def ranker(texts: Sequence[str]) -> Callable[[str], list[float]]:
        def scorer(question: str) -> list[float]:
            number = int(question)
            scores = [1.0] * len(texts)
            scores[number] = 2.0 if number < right else 0.0
            return scores

        return scorer

    ranker.__qualname__ = f"first {right}"
    return ranker


QUESTIONS = [Question(str(i), id=f"q{i}", sources=(f"{i}.txt",)) for i in range(40)]


def test_all_combinations() -> None:
    found = sweep(CORPUS, PLAIN, {"max_size": [240, 960], "strategy": ["recursive", "markdown"], "overlap": [0]})
    assert len(found.rows) == 4
    assert {tuple(row.settings.items()) for row in found.rows} == {
        (("max_size", size), ("strategy", strategy), ("overlap", 0))
        for size in (240, 960)
        for strategy in ("recursive", "markdown")
    }
    for row in found.rows:
        single = evaluate(
            CORPUS,
            PLAIN,
            cutting=Cutting(row.settings["strategy"], {"max_size": row.settings["max_size"], "overlap": 0}),
        )
        assert row.scores == single.scores
        assert row.totals == single.totals
        assert row.chunks == len(single.pool.passages)
        assert row.tokens == pytest.approx(single.pool.size("cl100k_base") / row.chunks)
        assert not row.error


def test_rows_are_in_order_and_differences_are_paired() -> None:
    found = sweep(TEXTS, QUESTIONS, {"ranker": [first(20), first(30), first(29), first(30)]})
    assert [row.label for row in found.rows] == [
        "ranker=first 30",
        "ranker=first 30",
        "ranker=first 29",
        "ranker=first 20",
    ]
    best, _, unclear, worse = found.rows
    assert (found.measure, found.questions, found.best) == ("recall", 40, best)
    assert [row.verdict("recall") for row in found.rows] == ["best", "equal", "unclear", "worse"]
    assert best.differences == {}
    assert unclear.differences["recall"] == bootstrap([-1.0 if i == 29 else 0.0 for i in range(40)])
    assert worse.differences["recall"] == bootstrap([-1.0 if 20 <= i < 30 else 0.0 for i in range(40)])
    assert worse.differences["recall"].high < 0 <= unclear.differences["recall"].high
    assert found.conclusions == [
        "Best by recall@3: ranker=first 30, with 0.750 [0.624, 0.875].",
        "Really worse (the interval of the difference excludes 0): #4.",
        "Cannot be told apart from it: #3.",
        "No question tells it from: #2.",
        "By MRR #4 is really worse than it.",
        "40 questions with an answer. That is few: intervals are wide, and only large differences show.",
    ]


def test_equal_recall_is_decided_by_mrr() -> None:
    def second(texts: Sequence[str]) -> Callable[[str], list[float]]:
        return lambda question: [2.0 if i == int(question) else 3.0 if i == 39 else 1.0 for i in range(len(texts))]

    found = sweep(TEXTS, QUESTIONS[:30], {"ranker": [second, first(40)]})
    assert [row.totals["recall"].value for row in found.rows] == [1, 1]
    assert found.best.label == "ranker=first 40"
    assert found.rows[1].verdict("recall") == "equal"
    assert found.rows[1].verdict("mrr") == "worse"
    assert "By MRR #2 is really worse than it." in found.conclusions


def test_the_measure() -> None:
    with_spans = [q for q in PLAIN if q.spans]
    assert sweep(CORPUS, with_spans, {"max_size": [240]}).measure == "recall@1000"
    assert sweep(CORPUS, with_spans, {"max_size": [240]}, budgets=[300, 100]).measure == "recall@300"
    assert sweep(CORPUS, with_spans, {"max_size": [240]}, budgets=[]).measure == "span recall"
    assert sweep(CORPUS, PLAIN, {"max_size": [240]}).measure == "recall"  # some of them have none


def test_settings_that_cannot_be_used_are_rows() -> None:
    found = sweep(CORPUS, PLAIN, {"strategy": ["recursive", "html"], "overlap": [0, 80], "max_size": [60, 480]})
    errors = {row.label: row.error for row in found.rows if row.error}
    assert "overlap must be smaller than max_size" in errors["strategy=recursive, overlap=80, max_size=60"]
    assert [bool(row.error) for row in found.rows] == sorted(bool(row.error) for row in found.rows)
    assert found.rows[-1].verdict("recall") == ""
    assert f"{len(errors)} of 8 settings cannot be used." in found.conclusions


def test_an_option_without_effect_is_a_note() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sweep(CORPUS, PLAIN, {"separator_position": [None, "start"]}, cutting=Cutting("token"))
    noted = [row for row in found.rows if row.notes or row.error]
    assert [row.settings["separator_position"] for row in noted] == ["start"]


def test_a_document_that_cannot_be_cut_is_counted() -> None:
    corpus = Corpus((*CORPUS.documents, MDocument("{", kind="json", source="broken.json")))
    found = sweep(corpus, PLAIN, {"max_size": [480, 960]})
    assert [row.left_out for row in found.rows] == [1, 1]


def test_nothing_that_can_be_used_is_an_error() -> None:
    with pytest.raises(OptionError, match=r"None of the settings can be used\. max_size=-1: "):
        sweep(CORPUS, PLAIN, {"max_size": [-1, 0, -2, -3, -4]})


@pytest.mark.parametrize("settings", [{}, {"max_size": []}, {"strategy": "recursive"}])
def test_nothing_varied_is_an_error(settings: Any) -> None:
    with pytest.raises(OptionError, match=r"Nothing is varied|must be a list"):
        sweep(CORPUS, PLAIN, settings)


def test_nothing_to_find_is_an_error() -> None:
    with pytest.raises(OptionError, match="nothing to compare settings by"):
        sweep(CORPUS, [Question("a", forbidden=("x.md",))], {"max_size": [240]})


def test_values_that_are_given_twice_count_once() -> None:
    assert len(sweep(CORPUS, PLAIN, {"max_size": [240, 240], "ranker": ["bm25", "bm25"]}).rows) == 1


def test_leaks_are_counted() -> None:
    questions = [replace(q, roles=("sre",)) for q in GOLDEN]
    found = sweep(CORPUS, questions, {"max_size": [480, 960]}, roles=NUCLEO / "roles.yaml")
    assert {row.problems["leak"] for row in found.rows} == {found.leaks}  # each once, whatever the settings
    assert found.leaks > 0
    assert found.failures() == [f"a role may see what it should not ({found.leaks} times)"]
    assert sweep(CORPUS, GOLDEN, {"max_size": [480]}, roles=NUCLEO / "roles.yaml").leaks == 0


def test_progress_and_json() -> None:
    seen: list[int] = []
    found: Sweep = sweep(
        CORPUS,
        PLAIN,
        {"max_size": [480, 960], "ranker": ["bm25", named("tf-cosine")], "separators": [["\n\n", " "]]},
        cutting=Cutting("recursive"),
        progress=seen.append,
    )
    assert seen == [len(GOLDEN)] * 4
    data = json.loads(to_json(found.to_dict()))
    assert list(data) == [
        "measure", "topK", "questions", "rolesTested", "problems", "best", "conclusions", "rows",
    ]  # fmt: skip
    assert data["best"] == data["rows"][0]["settings"]
    assert {row["settings"]["ranker"] for row in data["rows"]} == {"bm25", "tf-cosine"}
    row = data["rows"][1]
    assert row["settings"]["separators"] == ["\n\n", " "]
    assert set(row["scores"]["recall"]) == {q.id for q in GOLDEN}
    assert set(row["differences"]) == set(row["totals"]) == set(row["verdicts"])


def test_documents_are_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Evaluator] = []
    init = Evaluator.__init__
    monkeypatch.setattr(Evaluator, "__init__", lambda self, *a, **k: (made.append(self), init(self, *a, **k))[1])
    sweep(CORPUS, PLAIN, {"max_size": [240, 480, 960]})
    assert len(made) == 1


def test_few_questions_decide_nothing() -> None:
    for count, verdict in ((7, "too few"), (8, "worse")):
        found = sweep(TEXTS, QUESTIONS[:count], {"ranker": [first(0), first(count)]})
        assert [row.verdict("recall") for row in found.rows] == ["best", verdict]
        assert any("Really worse" in line for line in found.conclusions) == (verdict == "worse")
        assert any("really worse" in line for line in found.conclusions) == (verdict == "worse")
    assert (
        "Too few questions to tell it from: #2."
        in sweep(TEXTS, QUESTIONS[:1], {"ranker": [first(0), first(1)]}).conclusions
    )


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"max_sise": [1, 2]}, "no setting 'max_sise' to vary. Did you mean 'max_size'"),
        ({"strategy": ["recursive", "recursiv"]}, "recursive"),
        ({"ranker": ["bm26", "bm25"]}, "No ranker is named 'bm26'"),
        ({"strategy": ["token"], "heading_depth": [1]}, "There are: strategy, ranker, "),
    ],
)
def test_a_misspelt_setting_is_an_error_at_once(settings: Any, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Cutting, "__call__", lambda *a: pytest.fail("it was cut"))
    with pytest.raises(CantleError) as caught:
        sweep(CORPUS, PLAIN, settings)
    assert says in str(caught.value)


def test_documents_are_cut_once_for_all_rankers(monkeypatch: pytest.MonkeyPatch) -> None:
    cuts: list[Any] = []
    call = Cutting.__call__
    monkeypatch.setattr(Cutting, "__call__", lambda self, document: (cuts.append(self), call(self, document))[1])
    found = sweep(TEXTS, QUESTIONS, {"max_size": [100, 200], "ranker": ["bm25", "tf-cosine", first(40)]})
    assert len(found.rows) == 6
    assert len(cuts) == 2 * 40


def test_what_no_setting_can_help_fails_the_sweep_once() -> None:
    questions = [
        Question("texto", id="a", sources=("nowhere.txt",)),
        Question("texto", id="b", spans={"1.txt": ((0, 999),)}),
        Question("texto 1", id="c", sources=("1.txt",), forbidden=("2.txt",), min_score=2.0),
    ]
    found = sweep(TEXTS, questions, {"max_size": [100, 200], "ranker": ["bm25", "tf-cosine"]})
    assert [(kind, name) for kind, name, _ in found.unfit] == [("missing", "a"), ("span", "b")]
    assert found.failures() == [
        "a source that is named is not in the corpus (once)",
        "a span does not fit its document (once)",
    ]
    assert {row.problems["forbidden"] for row in found.rows} == {1}  # noted, and no failure
    assert found.failures(min_recall=1.0)[0].startswith("recall@3 of the best settings is 0.")
    with pytest.raises(OptionError, match="min_recall"):
        found.failures(min_recall=float("nan"))


def test_options_in_force_are_told() -> None:
    found = sweep(CORPUS, PLAIN, {"max_size": [240, 480]})
    assert {row.settings["max_size"]: row.options["overlap"] for row in found.rows} == {240: 40, 480: 80}
    assert "settings" in repr(found)
    assert "<table>" in found._repr_html_()
