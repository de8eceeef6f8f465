"""`evaluate` as a function: what is right, what is wrong, who may see what, and what is made of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import MDocument
from cantle.commands import to_json
from cantle.errors import OptionError
from cantle_inspect import (
    Access,
    Corpus,
    Cutting,
    Evaluation,
    LeftOut,
    Pool,
    Question,
    Roles,
    evaluate,
)

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"

LEAVE = MDocument.from_markdown(
    "# Férias\n\nVocê tem 30 dias de férias.\n\n# Abono\n\nVenda até dez dias de férias no portal.",
    source="leave.md",
    metadata={"dept": "hr", "classification": "internal"},
)
DEPLOY = MDocument.from_markdown(
    "# Deploy\n\nUse kubectl no staging, em dias úteis.",
    source="deploy.md",
    metadata={"dept": "sre", "classification": "restricted"},
)
FAQ = MDocument.from_markdown(
    "# Reembolso\n\nPeça o reembolso no portal.",
    source="faq.md",
    metadata={"dept": "product", "classification": "internal"},
)
CORPUS = Corpus((LEAVE, DEPLOY, FAQ), (LeftOut("notes.md", "its metadata has no dept"),))
ROLES = Roles({"intern": ({"dept": ("product",)},), "hr": ({"dept": ("hr", "product")},), "sre": ({},)}, "roles.yaml")
CUT = Cutting("markdown", {"max_size": 60, "overlap": 0})


def ask(*questions: Question, corpus: Corpus = CORPUS, **how: Any) -> Evaluation:
    numbered = [q if q.id != "q1" else replace(q, id=f"q{i}") for i, q in enumerate(questions, 1)]
    return evaluate(corpus, numbered, **{"cutting": CUT, **how})


def problems(found: Evaluation) -> list[tuple[str, str]]:
    return [tuple(problem) for answer in found.answers for problem in answer.problems]


# --- what is right -------------------------------------------------------------------------------


def test_a_source_is_found() -> None:
    found = ask(Question("Quantos dias de ferias?", sources=("leave.md",)))
    (answer,) = found.answers
    assert (answer.found, answer.rank, answer.passed, found.ok) == (True, 1, True, True)
    assert answer.right == answer.hits[0]
    assert answer.right.passage.id == "leave#0"
    assert 0 < answer.right.score <= 1
    assert found.totals["recall"] == found.totals["mrr"] == found.totals["hit@1"] == (1, 1, 1)


def test_any_of_several_sources_is_right() -> None:
    found = ask(Question("kubectl no staging", sources=("leave.md", "deploy.md")))
    assert found.ok
    assert found.answers[0].right.passage.chunk.source == "deploy.md"  # type: ignore[union-attr]


def test_text_says_which_chunk_is_right() -> None:
    question = Question("abono de ferias no portal", sources=("leave.md",), text="voce TEM\n30  dias")
    (answer,) = ask(question).answers
    assert answer.hits[0].passage.id == "leave#1"
    assert (answer.rank, answer.found) == (2, True)
    assert answer.right is not None
    assert "30 dias" in answer.right.passage.chunk.text
    found = ask(question, top_k=1, min_recall=0.0)
    assert problems(found) == [("unfound", f"the right chunk is at rank 2: leave#0, score {answer.right.score:.3f}")]
    assert found.ok  # nothing is asked of the recall
    assert found.totals["mrr"].value == 0.5
    assert found.totals["recall"].value == found.totals["hit@1"].value == 0


def test_text_alone() -> None:
    assert ask(Question("reembolso", text="no PORTAL.")).ok


def test_spans_say_which_chunk_is_right() -> None:
    start = LEAVE.text.index("30 dias")
    question = Question("abono de ferias no portal", spans={"leave.md": ((start, start + 7),)})
    (answer,) = ask(question).answers
    assert (answer.rank, answer.right and answer.right.passage.id) == (2, "leave#0")
    assert answer.spans["span recall"] == 1
    assert set(answer.spans) >= {"span precision", "iou", "precision-omega", "recall@1000", "precision@2000"}


def test_a_score_of_0_is_no_hit() -> None:
    found = ask(Question("zebra", sources=("leave.md",)))
    (answer,) = found.answers
    assert (answer.found, answer.rank, answer.right) == (False, None, None)
    assert problems(found) == [("unfound", "no right chunk of leave.md scores above 0")]
    assert not found.ok


def test_excluded_sources_are_taken_out_after_ranking() -> None:
    question = Question("no portal", sources=("faq.md",), exclude=("leave.md",))
    (answer,) = ask(question).answers
    assert {hit.passage.chunk.source for hit in answer.hits} == {"faq.md", "deploy.md"}
    assert answer.rank == 1
    (plain,) = ask(replace(question, exclude=())).answers
    assert plain.right is not None
    assert answer.right is not None
    assert answer.right.score == plain.right.score


def test_ranks_and_ties_are_those_of_a_stable_sort() -> None:
    documents = [MDocument.from_text(f"t{i}", source=f"{i}.txt") for i in range(40)]
    scores = [(i * 7) % 5 / 4 for i in range(40)]
    order = sorted(range(40), key=lambda i: -scores[i])
    questions = [Question("?", id=str(i), sources=(f"{i}.txt",)) for i in range(40)]
    found = evaluate(Corpus(tuple(documents)), questions, ranker=lambda texts: lambda question: scores, top_k=7)
    for answer in found.answers:
        number = int(answer.question.id)
        assert [hit.passage.chunk.source for hit in answer.hits] == [f"{i}.txt" for i in order[:7]]
        assert answer.rank == order.index(number) + 1
        assert answer.found == (number in order[:7])


def test_sources_in_any_normal_form() -> None:
    leave = replace(LEAVE, source=normalize("NFD", "férias.md"))
    assert ask(Question("ferias", sources=(normalize("NFC", "férias.md"),)), corpus=Corpus((leave,))).ok


def test_twins_whose_names_look_alike_are_told_apart() -> None:
    composed, decomposed = (replace(LEAVE, source=normalize(form, "férias.md")) for form in ("NFC", "NFD"))
    for twin, other in ((composed, decomposed), (decomposed, composed)):
        found = ask(Question("ferias", sources=(twin.source,), forbidden=(other.source,)), corpus=Corpus((twin,)))
        assert [answer.found for answer in found.answers] == [True]
        both = Corpus((replace(composed, text="# Nada"), replace(decomposed, text="# Nada")))
        there = Corpus(tuple(twin if d.source == twin.source else d for d in both.documents))
        assert ask(Question("ferias", sources=(twin.source,)), corpus=there).ok


# --- what is wrong -------------------------------------------------------------------------------


def test_a_source_that_is_not_in_the_corpus() -> None:
    found = ask(Question("Quantos dias?", sources=("leaves.md",)), min_recall=0.0)
    assert problems(found) == [("missing", "leaves.md is not in the corpus; did you mean 'leave.md'?")]
    assert found.failures == ["a source that is named is not in the corpus (once)"]


def test_a_source_that_was_left_out() -> None:
    found = ask(Question("Quantos dias?", sources=("notes.md", "leave.md")))
    assert problems(found) == [("missing", "notes.md was left out: its metadata has no dept")]
    assert found.answers[0].found
    assert not found.ok


def test_a_span_outside_its_document() -> None:
    size = len(FAQ.text)
    found = ask(Question("reembolso", spans={"faq.md": ((0, 4), (20, 9999))}))
    assert problems(found) == [("span", f"the span 20..9999 ends outside faq.md, which has {size} characters")]
    assert not found.ok
    assert ask(Question("reembolso", spans={"faq.md": ((20, size),)})).ok


def test_a_text_that_is_cut_apart() -> None:
    text = " ".join(f"palavra{i}" for i in range(40))
    document = MDocument.from_text(text, source="long.txt")
    question = Question("palavra1 palavra20", sources=("long.txt",), text=text[:200])
    found = ask(question, corpus=Corpus((document,)), cutting=Cutting("recursive", {"max_size": 50, "overlap": 0}))
    assert problems(found) == [
        ("unfound", "the expected text is in long.txt, but no single chunk holds it: it is cut apart")
    ]


def test_a_text_that_is_not_there() -> None:
    found = ask(Question("reembolso", sources=("faq.md",), text="dez reais"), Question("portal", text="dez reais"))
    assert problems(found) == [
        ("unfound", "the expected text is not in faq.md"),
        ("unfound", "the expected text is not in any document"),
    ]


def test_forbidden_sources() -> None:
    found = ask(Question("no portal", sources=("faq.md",), forbidden=("leave.md",)), min_recall=0.0)
    ((kind, text),) = problems(found)
    assert kind == "forbidden"
    assert text.startswith("leave#1 was found (score 0.")
    assert found.failures == ["a forbidden source was found (once)"]


def test_a_question_that_only_forbids() -> None:
    found = ask(Question("kubectl", forbidden=("leave.md", "faq.md")))
    assert found.ok
    assert found.totals == {}  # nothing to find, so no recall
    assert not ask(Question("ferias", forbidden=("leave.md",))).ok


def test_a_least_score() -> None:
    question = Question("Quantos dias de ferias?", sources=("leave.md",), min_score=0.1)
    assert ask(question).ok
    found = ask(replace(question, min_score=1.5))
    ((kind, text),) = problems(found)
    assert kind == "score"
    assert text.endswith("less than 1.5")
    assert found.totals["recall"].value == 1
    assert not found.ok


def test_a_filter_that_hides_the_source() -> None:
    found = ask(Question("ferias", sources=("leave.md",)), where={"dept": "sre"})
    assert problems(found) == [("unfound", "leave.md may not be seen: hidden by dept=sre")]


def test_recall_and_mrr_below_what_is_asked() -> None:
    questions = [Question("ferias", sources=("leave.md",)), Question("zebra", sources=("leave.md",))]
    assert ask(*questions).failures == ["recall@3 is 0.500, less than 1"]
    assert ask(*questions, min_recall=0.5, min_mrr=0.5).ok
    assert ask(*questions, min_recall=0.5, min_mrr=0.75).failures == ["MRR is 0.500, less than 0.75"]


# --- who may see what ----------------------------------------------------------------------------


def test_the_index_is_made_of_what_may_be_seen() -> None:
    made: list[list[str]] = []

    def ranker(texts: Sequence[str]) -> Callable[[str], list[float]]:
        made.append(list(texts))
        return lambda question: [1.0] * len(texts)

    questions = [
        Question("a", sources=("leave.md",), where={"dept": ("hr",)}),
        Question("b", sources=("faq.md",), where={"dept": ("product",)}),
        Question("c", sources=("leave.md",), where={"dept": ("hr",)}),
    ]
    ask(*questions, ranker=ranker)
    assert len(made) == 2  # one for each filter, however many questions
    assert all("Abono" in text or "Férias" in text for text in made[0])
    assert made[1] == [FAQ.text]


def test_both_filters_hold() -> None:
    question = Question("ferias", sources=("leave.md",), where={"classification": ("internal",)})
    (answer,) = ask(question, where={"dept": ["hr", "sre"]}).answers
    assert {hit.passage.chunk.source for hit in answer.hits} == {"leave.md"}
    same_key = replace(question, where={"dept": ("hr",)})
    assert ask(same_key, where={"dept": ["product", "hr"]}).ok
    assert problems(ask(same_key, where={"dept": "product"}))[0][0] == "unfound"


def test_a_question_is_asked_as_its_roles_and_as_the_others() -> None:
    found = ask(Question("ferias", sources=("leave.md",), roles=("hr", "sre")), roles=ROLES)
    assert [(a.role, a.wanted, a.found) for a in found.answers] == [
        ("intern", False, False),
        ("hr", True, True),
        ("sre", True, True),
    ]
    assert found.ok
    assert found.questions == 1
    assert found.scores["recall"] == {"q1": 1.0}


def test_a_leak() -> None:
    found = ask(Question("kubectl", sources=("deploy.md",), roles=("hr",)), roles=ROLES, min_recall=0.0)
    kinds = [(answer.role, [p.kind for p in answer.problems]) for answer in found.answers]
    assert kinds == [("intern", []), ("hr", ["unfound"]), ("sre", ["leak"])]
    assert problems(found)[1] == ("leak", "the role sre may see deploy.md, and it got deploy#0; only hr may")
    assert found.failures == ["a role may see what it should not (once)"]


def test_roles_that_find_differently_count_as_their_mean() -> None:
    found = ask(Question("ferias", sources=("leave.md",), roles=("intern", "hr")), roles=ROLES)
    assert found.scores["recall"] == {"q1": 0.5}
    assert ("unfound", "leave.md may not be seen: hidden by the role intern") in problems(found)


def test_one_role_alone() -> None:
    questions = [
        Question("ferias", sources=("leave.md",), roles=("hr", "sre")),
        Question("reembolso", sources=("faq.md",)),
    ]
    found = ask(*questions, where=Access.of(role="intern", roles=ROLES), roles=ROLES)
    assert [(a.role, a.wanted) for a in found.answers] == [("intern", False), ("intern", True)]
    assert found.ok
    leaking = Roles({"intern": ({},)})
    assert problems(ask(*questions, where=Access.of(role="intern", roles=leaking)))[0][0] == "leak"


def test_a_role_that_nobody_knows() -> None:
    with pytest.raises(
        OptionError, match=r"'q1' names the role 'boss', which roles\.yaml does not have\. Known: intern"
    ):
        ask(Question("ferias", sources=("leave.md",), roles=("boss",)), roles=ROLES)


def test_chunks_are_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pool, "visible", lambda pool, access: list(pool.passages))
    found = ask(Question("ferias", sources=("leave.md",)), where={"dept": "hr"}, top_k=10)
    assert problems(found) == [
        ("outside", "deploy#0 was returned, but the filter does not allow it"),
        ("outside", "faq#0 was returned, but the filter does not allow it"),
    ]
    assert not found.ok
    by_role = ask(Question("reembolso", sources=("faq.md",)), where=Access.of(role="intern", roles=ROLES))
    assert ("outside", "leave#0 was returned, but the role intern does not allow it") in problems(by_role)


def test_metadata_of_a_strategy_opens_nothing() -> None:
    class Liar(Cutting):
        def __call__(self, document: MDocument) -> Any:
            return super().__call__(replace(document, metadata={"dept": "sre"}))

    found = ask(Question("ferias", sources=("leave.md",)), cutting=Liar("markdown"), where={"dept": "sre"})
    assert {hit.passage.chunk.source for answer in found.answers for hit in answer.hits} == {"deploy.md"}


# --- rankers, options, results -------------------------------------------------------------------


def test_a_filter_that_lets_nothing_through() -> None:
    found = ask(Question("ferias", sources=("leave.md",), spans={"leave.md": ((0, 5),)}), where={"dept": "none"})
    assert found.answers[0].hits == ()
    assert found.totals["recall@1000"].value == found.totals["precision-omega"].value == 0


def test_no_budgets() -> None:
    found = ask(Question("ferias", spans={"leave.md": ((0, 5),)}), budgets=())
    assert set(found.totals) == {"recall", "hit@1", "mrr", "span recall", "span precision", "iou", "precision-omega"}
    assert found.main == "span recall"


def test_blank_chunks_have_no_rank() -> None:
    document = MDocument.from_text("um\n\n   \n\ndois", source="a.txt")
    cutting = Cutting("character", {"separator": "\n\n", "max_size": 4, "overlap": 0, "strip_whitespace": False})
    found = evaluate(Corpus((document,)), [Question("dois", sources=("a.txt",))], cutting=cutting, top_k=9)
    assert any(not p.chunk.content.strip() for p in found.pool.passages)
    assert all(hit.passage.chunk.content.strip() for hit in found.answers[0].hits)


def test_the_result_as_json() -> None:
    start = LEAVE.text.index("30 dias")
    questions = [
        Question("ferias", spans={"leave.md": ((start, start + 7),)}, roles=("hr", "sre"), group="leave"),
        Question("zebra", sources=("faq.md",)),
    ]
    found = json.loads(to_json(ask(*questions, roles=ROLES, budgets=(50,)).to_dict()))
    assert list(found) == [
        "ok", "failures", "questions", "topK", "minRecall", "minMrr", "totals", "problems", "stats", "results",
    ]  # fmt: skip
    assert found["failures"] == ["recall@3 is 0.500, less than 1"]
    assert list(found["totals"]) == [
        "recall", "hit@1", "mrr", "spanRecall", "spanPrecision", "iou", "precisionOmega", "recall@50", "precision@50",
    ]  # fmt: skip
    assert found["totals"]["recall"] == {"value": 0.5, "low": 0.0, "high": 1.0}
    assert found["stats"]["totalChunks"] == 4
    assert found["stats"]["tokensEstimate"] > 20
    assert found["stats"]["leftOut"] == [{"source": "notes.md", "reason": "its metadata has no dept"}]
    assert [(r["id"], r["role"], r["passed"]) for r in found["results"]] == [
        ("q1", "intern", True), ("q1", "hr", True), ("q1", "sre", True), ("q2", None, False),
    ]  # fmt: skip
    hr = found["results"][1]
    assert hr["right"]["id"] == "leave#0"
    assert hr["expected"] == ["leave.md"]
    assert hr["group"] == "leave"
    assert hr["spans"].keys() == found["totals"].keys() - {"recall", "hit@1", "mrr"}
    assert hr["spans"]["spanRecall"] == 1


def test_the_audit() -> None:
    questions = [
        Question("Quantos dias?", sources=("leave.md",), roles=("hr",), min_score=0.01, where={"dept": ("hr",)}),
        Question("zebra", sources=("faq.md",)),
        Question("kubectl", forbidden=("faq.md",)),
    ]
    found = ask(*questions, roles=ROLES)
    first, leak, second = found.audit()
    assert (leak["role"], leak["wanted"], leak["leak"], leak["source"]) == ("sre", False, True, "leave.md")
    right = found.answers[1].right
    assert right is not None
    chunk = right.passage.chunk
    assert first.items() >= {
        "question": "Quantos dias?", "questionId": "q1", "role": "hr", "found": True, "rank": 1, "minScore": 0.01,
        "id": right.passage.id, "key": chunk.key, "hash": chunk.hash, "source": "leave.md", "start": chunk.start,
        "end": chunk.end, "score": round(right.score, 6), "ranker": "tf-cosine", "questionWhere": {"dept": ["hr"]},
    }.items()  # fmt: skip
    assert second.items() >= {"question": "zebra", "role": None, "found": False, "id": None, "hash": None}.items()


@given(st.text(max_size=30), st.text(max_size=60))
def test_any_text(question: str, text: str) -> None:
    documents = tuple(MDocument.from_text(t, source=f"{i}.txt") for i, t in enumerate([text, "outro texto"]))
    asked = Question(question or "?", sources=("0.txt",), text=text if text.strip() else "", spans={"0.txt": ((0, 1),)})
    found = evaluate(Corpus(documents), [asked], min_recall=0)
    to_json(found.to_dict())
    assert found.answers[0].found == (found.answers[0].rank is not None)
