"""The example corpus: every golden question finds its document, and no role sees what it may not."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cantle_inspect import Access, Cutting, Pool, named, ranked, read_corpus, read_roles

FOLDER = Path(__file__).parent.parent / "examples" / "nucleo"
QUESTIONS: list[dict[str, Any]] = json.loads((FOLDER / "golden-questions.json").read_text("utf-8"))["questions"]
ROLES = read_roles(FOLDER / "roles.yaml")
CORPUS = read_corpus(FOLDER, require=["dept", "classification"])
TEXTS = {document.source: document.text for document in CORPUS.documents}


@pytest.fixture(scope="module")
def pool() -> Pool:
    return Pool.of(CORPUS, Cutting())


def test_the_documents_are_those_of_the_case() -> None:
    assert {d.source: (d.metadata["dept"], d.metadata["classification"]) for d in CORPUS.documents} == {
        "faq-billing.md": ("product", "internal"),
        "politica-ferias.md": ("hr", "internal"),
        "runbook-deploy.md": ("sre", "restricted"),
    }
    assert [one.source for one in CORPUS.left_out] == ["golden-questions.json"]
    assert all(3000 <= len(text) <= 6000 for text in TEXTS.values())


def test_the_documents_hold_what_the_case_is_about() -> None:
    assert "30 dias corridos" in TEXTS["politica-ferias.md"]
    assert "conversão de até 1/3" in TEXTS["politica-ferias.md"]
    assert len(re.findall(r"\| R\$ [\d.]+,\d\d \|", TEXTS["faq-billing.md"])) >= 5
    assert "kubectl" in TEXTS["runbook-deploy.md"]
    assert "staging-us-east-1" in TEXTS["runbook-deploy.md"]
    assert TEXTS["runbook-deploy.md"].count("```bash") >= 5


def test_there_are_questions_for_all_documents_with_and_without_accents() -> None:
    assert len(QUESTIONS) >= 24
    assert len({entry["id"] for entry in QUESTIONS}) == len(QUESTIONS)
    for source in TEXTS:
        asked = [entry["question"] for entry in QUESTIONS if entry["source"] == source]
        assert len(asked) >= 8
        assert any(question.isascii() for question in asked)
        assert any(not question.isascii() for question in asked)


@pytest.mark.parametrize("ranker", ["tf-cosine", "bm25"])
@pytest.mark.parametrize("entry", QUESTIONS, ids=lambda entry: entry["id"])
def test_every_question_finds_its_document(pool: Pool, entry: dict[str, Any], ranker: str) -> None:
    for role in [None, *entry["roles"]]:
        access = Access.of(entry.get("where"), role=role, roles=ROLES)
        best = ranked(pool.visible(access), named(ranker), entry["question"])[:3]
        assert entry["source"] in [hit.passage.document.source for hit in best]
        assert best[0].score >= entry.get("minScore", 0)
        if ranker == "tf-cosine" and role is None and "text" in entry:
            assert any(entry["text"] in hit.passage.chunk.text for hit in best)


def test_nearly_every_document_is_found_first(pool: Pool) -> None:
    best = [ranked(pool.passages, named("tf-cosine"), entry["question"])[0] for entry in QUESTIONS]
    right = [hit.passage.document.source == entry["source"] for hit, entry in zip(best, QUESTIONS, strict=True)]
    assert sum(right) >= len(right) - 1


@pytest.mark.parametrize("entry", QUESTIONS, ids=lambda entry: entry["id"])
def test_other_roles_see_no_chunk_of_the_document(pool: Pool, entry: dict[str, Any]) -> None:
    for role in ROLES:
        seen = {p.document.source for p in pool.visible(Access.of(role=role, roles=ROLES))}
        assert (entry["source"] in seen) == (role in entry["roles"])


def test_the_department_product_never_gets_the_runbook(pool: Pool) -> None:
    visible = pool.visible(Access.of({"dept": "product"}))
    for entry in QUESTIONS:
        found = ranked(visible, named("tf-cosine"), entry["question"])
        assert {hit.passage.document.source for hit in found} == {"faq-billing.md"}


def test_spans_answer_their_questions() -> None:
    with_spans = [entry for entry in QUESTIONS if "spans" in entry]
    assert len(with_spans) >= 5
    for entry in with_spans:
        for source, start, end in entry["spans"]:
            assert source == entry["source"]
            assert entry.get("text", "") in TEXTS[source][start:end]


def test_accents_of_questions_make_no_difference(pool: Pool) -> None:
    for entry in QUESTIONS:
        bare = unicodedata.normalize("NFD", entry["question"]).encode("ascii", "ignore").decode()
        found = [ranked(pool.passages, named("tf-cosine"), question) for question in (entry["question"], bare)]
        assert found[0] == found[1]
