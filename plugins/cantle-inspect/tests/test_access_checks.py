"""What evaluations must not let pass: roles that are not tested, leaks, sources that plugins rename."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cantle import Chunks, MDocument
from cantle.errors import OptionError
from cantle_inspect import (
    Access,
    Corpus,
    Cutting,
    Question,
    Roles,
    bootstrap,
    cost,
    evaluate,
    questions_of,
    read_roles,
    sweep,
)

NUCLEO = Path(__file__).parent.parent / "examples" / "nucleo"

LEAVE = MDocument("Trinta dias de ferias por ano.", "text", {"dept": "hr"}, "leave.txt")
DEPLOY = MDocument("Segredo do deploy em staging.", "text", {"dept": "sre"}, "deploy.txt")
CORPUS = Corpus((LEAVE, DEPLOY))
FERIAS = Question("ferias", sources=("leave.txt",))
ROLES = Roles({"hr": ({"dept": ("hr",)},), "sre": ({"dept": ("sre",)},), "all": ({},)}, "roles.yaml")


class Renaming(Cutting):
    """A cutting whose chunks say that they come from elsewhere, as those of a plugin may."""

    def __init__(self, name: str) -> None:
        super().__init__("recursive")
        object.__setattr__(self, "name", name)

    def __call__(self, document: MDocument) -> Chunks:
        made = super().__call__(document)
        for chunk in made:
            chunk.source = self.name  # type: ignore[attr-defined]
            chunk.metadata.update(dept="hr", source=chunk.source)
        return made


@pytest.mark.parametrize("name", ["leave.txt", "deploy.txt", "nowhere.txt", ""])
def test_whose_a_chunk_is_its_document_says(name: str) -> None:
    cutting = Renaming(name)
    start = LEAVE.text.index("dias")
    asked = Question("dias de ferias", spans={"leave.txt": ((start, start + 4),)}, forbidden=("deploy.txt",))
    found = evaluate(CORPUS, [asked], cutting=cutting, where={"dept": "hr"})
    (answer,) = found.answers
    assert found.ok, found.failures
    assert [chunk["source"] for chunk in answer.to_dict()["chunks"]] == ["leave.txt"]
    assert answer.spans["span recall"] == answer.spans["recall@1000"] == 1
    hidden = evaluate(CORPUS, [FERIAS], cutting=cutting, where={"dept": "sre"}, min_recall=0)
    assert [hit.passage.document.source for hit in hidden.answers[0].hits] == ["deploy.txt"]
    forbidden = evaluate(CORPUS, [Question("segredo", forbidden=("deploy.txt",))], cutting=cutting)
    assert forbidden.problems == {"forbidden": 1}
    excluded = evaluate(CORPUS, [replace(FERIAS, exclude=("deploy.txt",))], cutting=cutting)
    assert [hit.passage.document.source for hit in excluded.answers[0].hits] == ["leave.txt"]
    assert cost(CORPUS, cutting=cutting).documents[0].source == "leave.txt"


def test_metadata_that_is_written_into_opens_nothing_unnoticed() -> None:
    class Writing(Cutting):
        def __call__(self, document: MDocument) -> Chunks:
            document.metadata["dept"] = "hr"
            return super().__call__(document)

    documents = tuple(replace(document, metadata=dict(document.metadata)) for document in CORPUS.documents)
    found = evaluate(Corpus(documents), [FERIAS], cutting=Writing("recursive"), where={"dept": "hr"})
    assert found.problems == {"outside": 1}
    assert not found.ok


# --- roles that are not tested -----------------------------------------------------------------------


def test_questions_with_roles_need_a_file_of_roles() -> None:
    questions = [replace(FERIAS, roles=("hr",)), replace(FERIAS, id="q2")]
    with pytest.raises(OptionError, match=r"1 of 2 golden questions name roles.*roles=False"):
        evaluate(CORPUS, questions)
    with pytest.raises(OptionError, match=r"1 of 2 golden questions name roles"):
        sweep(CORPUS, questions, {"max_size": [100]})
    found = evaluate(CORPUS, questions, roles=False)
    assert (found.untested, found.to_dict()["stats"]["rolesTested"]) == (1, False)
    assert sweep(CORPUS, questions, {"max_size": [100]}, roles=False).to_dict()["rolesTested"] is False
    assert evaluate(CORPUS, questions[1:]).to_dict()["stats"]["rolesTested"] is None
    assert evaluate(CORPUS, questions, roles=ROLES).to_dict()["stats"]["rolesTested"] is True
    assert evaluate(CORPUS, questions, where=Access.of(role="hr", roles=ROLES)).untested == 0
    with pytest.raises(OptionError, match="does not have"):
        evaluate(CORPUS, questions, roles=Roles({}))


# --- leaks -------------------------------------------------------------------------------------------


def test_a_leak_is_what_may_be_seen_whatever_the_ranking() -> None:
    asked = replace(FERIAS, roles=("hr",))
    crowd = tuple(MDocument(f"ferias {i}", "text", {"dept": "sre"}, f"{i}.txt") for i in range(9))
    for documents, got in (((LEAVE,), ", and it got leave#0"), ((LEAVE, *crowd), "")):
        found = evaluate(Corpus(documents), [asked], roles=ROLES, min_recall=0)
        leaks = [(a.role, p.text) for a in found.answers for p in a.problems if p.kind == "leak"]
        assert leaks == [("all", f"the role all may see leave.txt{got}; only hr may")]
        assert not found.ok
        line = next(line for line in found.audit() if line["leak"])
        assert (line["role"], line["source"]) == ("all", "leave.txt" if got else None)


def test_filters_hide_no_leak() -> None:
    asked = replace(FERIAS, roles=("hr",), where={"dept": ("none",)})
    assert evaluate(CORPUS, [asked], roles=ROLES).problems["leak"] == 1


def test_a_leak_is_one_sentence() -> None:
    text = "\n\n".join(f"ferias numero {i}" for i in range(30))
    corpus = Corpus((replace(LEAVE, text=text),))
    found = evaluate(
        corpus,
        [replace(FERIAS, roles=("hr",))],
        roles=ROLES,
        cutting=Cutting("recursive", {"max_size": 20, "overlap": 0}),
    )
    assert found.problems["leak"] == 1


def test_who_hides_a_source() -> None:
    def why(**how: Any) -> str:
        found = evaluate(CORPUS, [replace(FERIAS, **how.pop("question", {}))], min_recall=0, **how)
        return found.answers[0].problems[0].text

    assert why(where={"dept": "sre"}) == "leave.txt may not be seen: hidden by dept=sre"
    assert why(where=Access.of(role="sre", roles=ROLES)).endswith("hidden by the role sre")
    assert why(where=Access.of({"dept": "sre"}, role="hr", roles=ROLES)).endswith("hidden by dept=sre")
    assert why(question={"where": {"dept": ("x", "y")}}).endswith("hidden by dept=x or y")
    empty = Corpus((replace(LEAVE, text=" "), DEPLOY))
    (answer,) = evaluate(empty, [FERIAS], min_recall=0).answers
    assert answer.problems[0].text == "leave.txt has no chunk with a text"


# --- checks that cannot fail -------------------------------------------------------------------------


def test_what_is_excluded_need_not_exist() -> None:
    assert evaluate(CORPUS, [replace(FERIAS, exclude=("deploi.txt",))]).ok


def test_a_forbidden_name_that_exists_nowhere_is_a_problem() -> None:
    found = evaluate(CORPUS, [replace(FERIAS, forbidden=("deploi.txt",))])
    ((problem,),) = (answer.problems for answer in found.answers)
    assert problem.kind == "missing"
    assert problem.text.endswith("is not in the corpus; did you mean 'deploy.txt'?")
    assert not found.ok


def test_all_that_is_expected_is_excluded() -> None:
    spans = {"leave.txt": ((0, 4),)}
    found = evaluate(CORPUS, [replace(FERIAS, exclude=("leave.txt",)), Question("dias", id="q2", spans=spans)])
    assert found.answers[0].problems[0].text == "leave.txt is excluded"


@pytest.mark.parametrize(
    "wrong",
    [
        {"min_recall": float("nan")},
        {"min_recall": 1.5},
        {"min_recall": True},
        {"min_recall": "1"},
        {"min_mrr": float("nan")},
        {"min_mrr": -0.1},
        {"top_k": 1.5},
        {"top_k": float("nan")},
        {"top_k": True},
        {"budgets": [float("nan")]},
        {"budgets": [1000.0]},
        {"budgets": 1000},
        {"budgets": "1000"},
        {"roles": {"hr": {}}},
        {"roles": True},
    ],
)
def test_wrong_options(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=next(iter(wrong))):
        evaluate(CORPUS, [FERIAS], **wrong)


@pytest.mark.parametrize(
    ("golden", "says"),
    [
        ([], "no golden question"),
        ([FERIAS, FERIAS], "Two golden questions have the id 'q1'"),
        ([{"question": "a"}], "questions_of"),
        ({"questions": []}, "must be a sequence"),
        (7, "must be a sequence"),
    ],
)
def test_wrong_questions(golden: Any, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        evaluate(CORPUS, golden)


def test_a_corpus_and_questions_may_be_paths(tmp_path: Path) -> None:
    golden = NUCLEO / "golden-questions.json"
    found = evaluate(NUCLEO, str(golden), roles=NUCLEO / "roles.yaml")
    assert found.ok
    assert [left.source for left in found.pool.left_out] == []
    with pytest.raises(OptionError, match=r"Give read_corpus\(path\)"):
        evaluate([LEAVE], [FERIAS])  # type: ignore[arg-type]


def test_budgets_count_once() -> None:
    asked = replace(FERIAS, spans={"leave.txt": ((0, 4),)})
    found = evaluate(CORPUS, [asked], budgets=[50, 10, 50])
    assert found.budgets == (50, 10)
    assert [name for name in found.totals if name.startswith("recall@")] == ["recall@50", "recall@10"]


def test_a_mean_of_thirds_is_not_too_low_by_a_rounding() -> None:
    questions = [replace(FERIAS, id=str(i)) for i in range(3)]

    def ranker(texts: Any) -> Any:
        scores = iter([[2, 1, 0, -1], [1, 2, 0, 0], [1, 2, 0, 0]])
        return lambda question: next(scores)[: len(texts)]

    found = evaluate(CORPUS, questions, ranker=ranker, top_k=1, min_recall=1 / 3, min_mrr=2 / 3)
    assert found.totals["recall"].value == pytest.approx(1 / 3)
    assert found.ok
    third = found.totals["recall"].value
    assert evaluate(CORPUS, questions, ranker=ranker, top_k=1, min_recall=min(1.0, third + 5e-10)).ok
    assert not evaluate(CORPUS, questions, ranker=ranker, top_k=1, min_recall=third + 1e-6).ok


@pytest.mark.parametrize("values", [[], [float("nan")], [float("inf"), 1.0], [[1.0]]])
def test_a_bootstrap_of_no_numbers(values: Any) -> None:
    with pytest.raises(OptionError, match="finite numbers"):
        bootstrap(values)


def test_scores_of_other_rankers_count_whatever_their_sign() -> None:
    def negative(texts: Any) -> Any:
        return lambda question: [-3.0 if "ferias" in text else -7.5 for text in texts]

    (answer,) = evaluate(CORPUS, [FERIAS], ranker=negative).answers
    assert (answer.found, answer.rank) == (True, 1)
    assert evaluate(CORPUS, [Question("x", forbidden=("deploy.txt",))], ranker=negative).problems["forbidden"] == 1


def test_short_and_without_texts() -> None:
    found = evaluate(CORPUS, [FERIAS, replace(FERIAS, id="<b>", question="<script>"), Question("a", "x", text="zzz")])
    assert repr(found) == "<Evaluation: 3 questions, recall@3 0.333, 2 failed, not ok>"
    assert "Trinta" not in repr(found.answers)
    html = found._repr_html_()
    assert "&lt;script&gt;" in html
    assert "<script" not in html
    assert read_roles(NUCLEO / "roles.yaml").file.endswith("roles.yaml")
    assert questions_of([{"question": "a", "source": "b"}])[0].id == "q1"


def test_texts_are_folded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import cantle_inspect.golden.evaluate as module

    seen: list[str] = []
    fold = module.folded
    monkeypatch.setattr(module, "folded", lambda text: (seen.append(text), fold(text))[1])
    questions = [Question(f"ferias {i}", id=f"{i}", text="nowhere to be found") for i in range(20)]
    evaluate(CORPUS, [replace(q, sources=("leave.txt",), roles=("hr", "all")) for q in questions], roles=ROLES)
    assert 0 < len(seen) == len(set(seen))


def test_hints_are_looked_for_once_a_name_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    import cantle_inspect.golden.checks as module

    asked: list[str] = []
    close = module.get_close_matches
    monkeypatch.setattr(
        module, "get_close_matches", lambda name, *a, **k: (asked.append(name), close(name, *a, **k))[1]
    )
    questions = [replace(FERIAS, id=str(i), sources=(f"none{i % 150}.txt",)) for i in range(600)]
    found = evaluate(CORPUS, questions, min_recall=0)
    assert found.problems["missing"] == 600
    assert len(asked) == 100


def test_access_is_that_of_cantle() -> None:
    from cantle import access

    assert (Access, Roles, read_roles) == (access.Access, access.Roles, access.read_roles)
