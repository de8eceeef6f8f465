"""The metrics are those of another implementation, question by question, for the same chunks and the same ranking.

`data/quality-sample.json` holds documents, chunks, scores and questions, and what the other one made of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument
from cantle_inspect import Corpus, Cutting, Evaluation, evaluate, questions_of

DATA = Path(__file__).parent / "data"
SAMPLE: dict[str, Any] = json.loads((DATA / "quality-sample.json").read_text("utf-8"))
CUTTINGS = {cutting["name"]: cutting for cutting in SAMPLE["cuttings"]}

NAMES = {
    "recall": "span recall",
    "precision": "span precision",
    "iou": "iou",
    "omega": "precision-omega",
    "recall@1000": "recall@1000",
    "precision@1000": "precision@1000",
    "recall@2000": "recall@2000",
    "precision@2000": "precision@2000",
}


class Recorded(Cutting):
    """Chunks that are given."""

    def __init__(self, chunks: dict[str, Any]) -> None:
        super().__init__()
        object.__setattr__(self, "chunks", chunks)

    def __call__(self, document: MDocument) -> Chunks:
        given: list[Any] = self.chunks[document.source]  # type: ignore[attr-defined]
        return Chunks(document, [Chunk(document.text[s:e], s, e, prefix=prefix) for s, e, prefix in given])


def recorded_ranker(scores: dict[str, Any]) -> Callable[[Sequence[str]], Callable[[str], list[float]]]:
    ids = {entry["question"]: entry["id"] for entry in SAMPLE["questions"]}

    def ranker(texts: Sequence[str]) -> Callable[[str], list[float]]:
        def scorer(question: str) -> list[float]:
            found = [0.0] * len(texts)
            for i, score in scores[ids[question]]:
                found[i] = score
            return found

        return scorer

    return ranker


@cache
def evaluated(name: str, ranker: str) -> Evaluation:
    cutting = CUTTINGS[name]
    corpus = Corpus(tuple(MDocument(d["text"], kind=d["kind"], source=d["source"]) for d in SAMPLE["documents"]))
    return evaluate(
        corpus,
        questions_of(SAMPLE["questions"]),
        cutting=Recorded(cutting["chunks"]),
        ranker=ranker if ranker == "bm25" else recorded_ranker(cutting["scores"]),
        top_k=5,
        budgets=(1000, 2000),
    )


@pytest.mark.parametrize("ranker", ["recorded", "bm25"])
@pytest.mark.parametrize("name", CUTTINGS)
def test_every_value_of_every_question(name: str, ranker: str) -> None:
    found = evaluated(name, ranker).scores
    for question, values in CUTTINGS[name]["values"].items():
        ours = {key: found[NAMES[key]][question] for key in values}
        assert ours == pytest.approx(values, abs=1e-9, rel=0), question


@pytest.mark.parametrize("name", CUTTINGS)
def test_every_interval(name: str) -> None:
    totals = evaluated(name, "recorded").totals
    for key, interval in CUTTINGS[name]["means"].items():
        assert totals[NAMES[key]] == pytest.approx(interval, abs=1e-9, rel=0), key


def test_the_sample_is_worth_comparing() -> None:
    values = [value for cutting in SAMPLE["cuttings"] for by in cutting["values"].values() for value in by.values()]
    assert len(values) > 150
    assert len(set(values)) > 80
    assert any(question.get("exclude") for question in SAMPLE["questions"])
    assert any(prefix for cutting in SAMPLE["cuttings"] for given in cutting["chunks"].values() for *_, prefix in given)
