"""`evaluate` on the example, with rankers and options that are wrong, and with many questions."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cantle import MDocument
from cantle.errors import OptionError
from cantle_inspect import (
    Corpus,
    Cutting,
    Evaluation,
    Question,
    RankError,
    Roles,
    evaluate,
    read_corpus,
    read_golden,
)

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"
FOUR = Corpus(tuple(MDocument.from_text(f"texto {i}", source=f"{i}.txt") for i in range(4)))
FERIAS = Question("ferias", sources=("politica-ferias.md",))


def example(**how: Any) -> Evaluation:
    golden = NUCLEO / "golden-questions.json"
    corpus = read_corpus(NUCLEO, require=["dept", "classification"], skip=[golden, *how.pop("skip", ())])
    return evaluate(corpus, read_golden(golden), **{"roles": NUCLEO / "roles.yaml", **how})


def test_the_example_is_found_with_the_defaults() -> None:
    found = example()
    assert found.questions >= 20
    assert found.totals["recall"].value == 1.0
    assert found.problems == {}
    assert found.ok


@pytest.mark.parametrize("name", ["politica-ferias.md", "faq-billing.md", "runbook-deploy.md"])
def test_the_example_fails_without_a_document(name: str) -> None:
    found = example(skip=[NUCLEO / name])
    assert not found.ok
    assert found.problems["missing"] > 0
    said = [problem.text for answer in found.answers for problem in answer.problems]
    assert any(text.startswith(f"{name} is not in the corpus") for text in said)


def test_a_role_that_sees_too_much_is_a_leak_in_the_example() -> None:
    roles = Roles({"intern": ({},), "employee": ({},), "hr_admin": ({},), "sre": ({},)})
    found = example(roles=roles)
    assert found.problems["leak"] > 10
    assert not found.ok


def test_many_questions_and_chunks_take_little_time() -> None:
    lines = [f"Parágrafo {i} trata do tema {i * 7 % 500} e cita a norma {i % 90}." for i in range(2000)]
    texts = ["\n\n".join(lines[at : at + 100]) for at in range(0, 2000, 100)]
    corpus = Corpus(tuple(MDocument.from_text(text, source=f"{i}.txt") for i, text in enumerate(texts)))
    questions = [Question(f"norma {i} tema {i}", id=str(i), spans={f"{i % 20}.txt": ((5, 60),)}) for i in range(500)]
    start = time.process_time()
    evaluate(corpus, questions, cutting=Cutting("recursive", {"max_size": 60, "overlap": 0}), ranker="bm25")
    assert time.process_time() - start < 10


def test_the_same_twice() -> None:
    questions = read_golden(NUCLEO / "golden-questions.json")
    corpus = read_corpus(NUCLEO, skip=[NUCLEO / "golden-questions.json"])
    one, two = (evaluate(corpus, questions, roles=NUCLEO / "roles.yaml").to_dict() for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        (lambda n: [1.0] * (n - 1), "3 scores for 4 texts"),
        (lambda n: [math.nan] * n, "no number or infinite"),
        (lambda n: [[1.0]] * n, "a list as a score"),
    ],
)
def test_rankers_that_give_no_scores(scores: Callable[[int], Any], says: str) -> None:
    with pytest.raises(RankError, match=says):
        evaluate(FOUR, [FERIAS], ranker=lambda texts: lambda question: scores(len(texts)))


@pytest.mark.parametrize("wrong", [{"top_k": 0}, {"budgets": (0,)}, {"ranker": "bm26"}, {"roles": "nowhere.yaml"}])
def test_wrong_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        evaluate(FOUR, [FERIAS], **wrong)
