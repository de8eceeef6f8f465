"""`preview` as a function: what is found, what may be seen, JSON, audit lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cantle_inspect
from cantle import MDocument
from cantle.commands import to_json
from cantle.errors import CantleError, OptionError
from cantle_inspect import (
    Access,
    Corpus,
    Cutting,
    LeftOut,
    Pool,
    RankError,
    named,
    ordered,
    preview,
    ranked,
    read_corpus,
)

HR = MDocument.from_markdown(
    "# Férias\n\nVocê tem 30 dias de férias.\n\n# Abono\n\nVenda até dez dias.",
    source="politica-ferias.md",
    metadata={"dept": "hr", "classification": "internal", "level": 2},
)
SRE = MDocument.from_markdown(
    "# Deploy\n\nUse kubectl no staging, em dias úteis.",
    source="runbook-deploy.md",
    metadata={"dept": "sre", "classification": "restricted"},
)
CORPUS = Corpus((HR, SRE), (LeftOut("README.md", "its metadata has no dept"),))
QUESTION = "Quantos dias de ferias posso tirar?"


def test_the_answer_has_the_shape_of_the_case() -> None:
    found = preview(CORPUS, QUESTION, cutting=Cutting("markdown", {"max_size": 40})).to_dict()
    assert list(found) == ["question", "chunks", "stats"]
    assert found["question"] == QUESTION
    best = found["chunks"][0]
    assert list(best)[:6] == ["id", "source", "dept", "classification", "score", "text"]
    assert best == {
        "id": "politica-ferias#0",
        "source": "politica-ferias.md",
        "dept": "hr",
        "classification": "internal",
        "score": best["score"],
        "text": "# Férias\n\nVocê tem 30 dias de férias.",
        "chunkId": f"politica-ferias.md#0-{best['hash'][:8]}",
        "key": best["key"],
        "hash": best["hash"],
        "start": 0,
        "end": 37,
        "lines": [1, 3],
        "path": ["Férias"],
        "metadata": {"dept": "hr", "classification": "internal", "level": 2},
    }
    assert best["key"].startswith("politica-ferias.md:")
    assert 0 < best["score"] <= 1
    assert found["stats"] == {
        "totalChunks": 4,
        "tokensEstimate": found["stats"]["tokensEstimate"],
        "rankedChunks": 4,
        "documents": 2,
        "leftOut": [{"source": "README.md", "reason": "its metadata has no dept"}],
        "strategies": ["markdown"],
        "options": {"maxSize": 40, "overlap": 6, "lengthFunction": "characters"},
        "ranker": "tf-cosine",
        "language": ["pt"],
        "role": None,
        "where": {},
        "model": "text-embedding-3-small",
        "tokenizer": "cl100k_base",
        "isEstimated": False,
    }
    assert json.loads(to_json(found)) == found


def test_tokens_are_those_of_all_chunks_whatever_is_seen() -> None:
    everything = preview(CORPUS, QUESTION)
    narrowed = preview(CORPUS, QUESTION, where={"dept": "hr"}, top_k=1)
    assert everything.tokens == narrowed.tokens == everything.pool.size("cl100k_base")
    assert preview(CORPUS, QUESTION, tokenizer="words").tokens == everything.pool.size("words")
    counted = preview(CORPUS, QUESTION, tokenizer=len)
    assert (counted.tokens, counted.tokenizer.name) == (everything.pool.size("characters"), "len")
    for model, tokenizer, is_estimated in [
        ("openai:text-embedding-3-large", "cl100k_base", False),
        ("openai/gpt-4o", "o200k_base", False),
        ("voyage-3", "cl100k_base", True),
        ("words", "cl100k_base", True),
    ]:
        stats = preview(CORPUS, QUESTION, model=model).to_dict()["stats"]
        assert (stats["model"], stats["tokenizer"], stats["isEstimated"]) == (model, tokenizer, is_estimated)
    assert narrowed.to_dict()["stats"]["totalChunks"] == len(everything.pool.passages)
    assert narrowed.to_dict()["stats"]["rankedChunks"] == len(narrowed.candidates) < len(everything.candidates)


def test_keys_of_filters_and_asked_for_stand_at_the_top_of_chunks() -> None:
    (chunk,) = preview(CORPUS, "ferias", where={"level": 2}, keys=["owner", "text", "dept"], top_k=1).to_dict()[
        "chunks"
    ]
    assert list(chunk)[-2:] == ["level", "owner"]
    assert (chunk["level"], chunk["owner"], chunk["dept"]) == (2, None, "hr")
    assert chunk["text"].startswith("# F")


def test_metadata_that_is_missing_is_null() -> None:
    corpus = Corpus((MDocument.from_text("text", source="a.txt"),))
    (chunk,) = preview(corpus, "text").to_dict()["chunks"]
    assert (chunk["dept"], chunk["classification"], chunk["metadata"]) == (None, None, {})


def test_how_many_and_how_good() -> None:
    assert len(preview(CORPUS, "zzz", top_k=2).hits) == 2
    assert [hit.score for hit in preview(CORPUS, "zzz").hits] == [0.0] * 2
    assert preview(CORPUS, "zzz", min_score=0.001).hits == ()
    scores = [hit.score for hit in preview(CORPUS, QUESTION).hits]
    assert scores == sorted(scores, reverse=True)
    assert [h.score for h in preview(CORPUS, QUESTION, min_score=scores[0]).hits] == scores[:1]


def test_rankers_and_strategies_that_differ() -> None:
    texts = Corpus((HR, MDocument.from_text("férias", source="b.txt")))
    stats = preview(texts, QUESTION, ranker="bm25").to_dict()["stats"]
    assert (stats["ranker"], stats["language"], stats["strategies"]) == ("bm25", [], ["markdown", "recursive"])
    assert preview(texts, QUESTION, ranker=named("bm25", language="pt")).to_dict()["stats"]["language"] == ["pt"]


class Lengths:
    """A ranker of one's own: the longer, the better."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts

    def __call__(self, question: str) -> list[float]:
        return [len(text) for text in self.texts]


def test_a_ranker_of_ones_own() -> None:
    found = preview(CORPUS, QUESTION, ranker=Lengths)
    lengths = [len(hit.passage.chunk.text) for hit in found.hits]
    assert [hit.score for hit in found.hits] == lengths == sorted(lengths, reverse=True)
    assert found.to_dict()["stats"]["ranker"] == "Lengths"
    assert found.languages == []
    assert found.asked == ["quantos", "dias", "de", "ferias", "posso", "tirar"]


def fails(question: str) -> Any:
    raise ZeroDivisionError("no chunk")


@pytest.mark.parametrize(
    ("scorer", "message"),
    [
        (lambda question: [1.0], "gave 1 scores for 2 texts"),
        (lambda question: [1.0, float("nan")], "gave a score that is no number or infinite"),
        (lambda question: [1.0, float("inf")], "gave a score that is no number or infinite"),
        (lambda question: ["a", "1"], "gave 'a' as a score"),
        (lambda question: [1, None], "gave None as a score"),
        (lambda question: [1, True], "gave True as a score"),
        (lambda question: [[1.0], [2.0]], "gave a list as a score"),
        (lambda question: numpy.ones((2, 1)), "gave a ndarray as a score"),
        (lambda question: [10**400, 1], "gave a int as a score"),
        (lambda question: None, "gave NoneType for 2 texts"),
        (lambda question: "12", "gave str for 2 texts"),
        (lambda question: {1: 2, 3: 4}, "gave dict for 2 texts"),
        (lambda question: (score for score in [1, 2]), "gave generator for 2 texts"),
        (lambda question: 3, "gave int for 2 texts"),
        (fails, "failed at the question 'Quantos dias de ferias posso tirar\\?': ZeroDivisionError: no chunk"),
        (None, "gave NoneType for the texts. It must give a callable"),
    ],
)
def test_rankers_that_give_no_scores(scorer: Any, message: str) -> None:
    def strange(texts: Sequence[str]) -> Any:
        return scorer

    with pytest.raises(RankError, match=f"^The ranker .*strange {message}"):
        preview(CORPUS, QUESTION, ranker=strange)
    assert issubclass(RankError, CantleError)


def test_rankers_that_fail_are_named() -> None:
    with pytest.raises(RankError, match=r"^The ranker .*fails failed: ZeroDivisionError: no chunk\.$"):
        preview(CORPUS, QUESTION, ranker=fails)  # type: ignore[arg-type]


@pytest.mark.parametrize("scores", [numpy.array([-1, 2]), [numpy.float32(-1), Fraction(2)], (-1, 2), range(-1, 4, 3)])
def test_numbers_of_all_kinds_are_scores(scores: Any) -> None:
    found = preview(CORPUS, QUESTION, ranker=lambda texts: lambda question: scores)
    assert [hit.score for hit in found.hits] == [2, -1]
    assert all(type(hit.score) is float for hit in found.hits)


def test_equal_scores_are_in_the_order_of_the_corpus() -> None:
    pool = Pool.of(Corpus(tuple(MDocument.from_text("férias", source=str(i)) for i in range(50))), Cutting())
    assert [hit.passage for hit in ranked(pool.passages, named("tf-cosine"), "ferias")] == list(pool.passages)
    best = ordered(pool.passages[:4], [0, 1, 0, 1])
    assert [hit.passage.id for hit in best] == ["1#0", "3#0", "0#0", "2#0"]
    assert ranked([], named("bm25"), "ferias") == ordered([], []) == []


def test_wrong_arguments() -> None:
    with pytest.raises(OptionError, match="No ranker is named 'bm52'"):
        preview(CORPUS, QUESTION, ranker="bm52")
    with pytest.raises(OptionError, match="'dept' has no value"):
        preview(CORPUS, QUESTION, where={"dept": ""})


# -- audit ------------------------------------------------------------------------------------------


def test_the_audit_line_names_the_chunk_that_sustains_the_answer() -> None:
    found = preview(CORPUS, QUESTION, where={"dept": ["hr", "x"]})
    (best, *_) = found.hits
    chunk = best.passage.chunk
    assert found.audit() == {
        "question": QUESTION,
        "role": None,
        "where": {"dept": ["hr", "x"]},
        "id": "politica-ferias#0",
        "key": chunk.key,
        "hash": chunk.hash,
        "source": "politica-ferias.md",
        "start": chunk.start,
        "end": chunk.end,
        "score": round(best.score, 6),
        "ranker": "tf-cosine",
        "config": best.passage.chunks.config_hash,
    }
    assert found.audit() == preview(CORPUS, QUESTION, where={"dept": ["hr", "x"]}).audit()
    other = preview(CORPUS, QUESTION, cutting=Cutting("recursive"))
    assert other.audit()["config"] != found.audit()["config"]


@pytest.mark.parametrize("arguments", [{"where": {"dept": "x"}}, {"min_score": 2.0}, {"question": "zzz"}])
def test_an_answer_without_a_chunk_has_an_audit_line_too(arguments: dict[str, Any]) -> None:
    record = preview(CORPUS, **{"question": QUESTION, **arguments}).audit()
    assert record["id"] is record["key"] is record["hash"] is record["score"] is None


# -- what may be seen -------------------------------------------------------------------------------

departments = st.sampled_from(["hr", "sre", "product", None])
sentences = st.lists(st.sampled_from(["férias", "dias", "deploy", "reembolso", "de", "the", "que", "los"]), min_size=1)
documents = st.lists(st.tuples(departments, sentences.map(" ".join)), max_size=8)


def corpus_of(found: Sequence[tuple[str | None, str]], name: str = "d") -> list[MDocument]:
    return [
        MDocument.from_text(text, source=f"{name}{i}.txt", metadata={"dept": dept} if dept else {})
        for i, (dept, text) in enumerate(found)
    ]


@pytest.mark.parametrize("ranker", ["tf-cosine", "bm25"])
@given(
    mine=documents,
    others=documents,
    wanted=st.sets(st.sampled_from(["hr", "sre", "product"]), min_size=1),
    question=sentences.map(" ".join),
)
def test_nothing_outside_the_filter_is_returned_or_has_a_say(
    ranker: str, mine: Any, others: Any, wanted: set[str], question: str
) -> None:
    inside = corpus_of(mine)
    outside = [document for document in corpus_of(others, "o") if document.metadata.get("dept") not in wanted]
    access = Access.of({"dept": sorted(wanted)})
    narrow = preview(Corpus(tuple(inside)), question, where=access, ranker=ranker, top_k=50)
    for corpus in (Corpus((*inside, *outside)), Corpus((*outside, *inside))):
        found = preview(corpus, question, where=access, ranker=ranker, top_k=50)
        assert all(hit.passage.document.metadata.get("dept") in wanted for hit in found.hits)
        assert [(h.passage.chunk.key, h.score) for h in found.hits] == [
            (h.passage.chunk.key, h.score) for h in narrow.hits
        ]


# -- hostile ----------------------------------------------------------------------------------------

HOSTILE = [
    "\ud800",
    "\x00",
    "\ufeff",
    "\u202eabc\u202c",
    "<script>alert(1)</script>",
    "\x1b[31m",
    "a" * 100_000,
    "#" * 5,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_can_be_asked_and_found(text: str) -> None:
    body = text if text.strip("\x00\ufeff \t\n") else "x" + text
    corpus = Corpus(
        (MDocument.from_markdown(body, source=f"s{text[:20]}", metadata={text[:20]: text[:20], "n": [text]}),)
    )
    found = preview(corpus, text, where={text[:20]: text[:20]})
    written = to_json(found.to_dict())
    written.encode("utf-8")
    assert json.loads(written)["chunks"]
    to_json(found.audit()).encode("utf-8")


def test_a_ranker_of_one_s_own_may_score_below_zero() -> None:
    def below(texts: Sequence[str]) -> Callable[[str], list[float]]:
        return lambda question: [-9.0 - i for i in range(len(texts))]

    corpus = Corpus((MDocument.from_text("um texto", source="a.txt"),))
    assert preview(corpus, "texto", ranker=below).audit()["score"] == -9.0
    assert preview(corpus, "nada").audit()["score"] is None


def test_arguments_of_the_wrong_kind() -> None:
    corpus = Corpus((MDocument.from_text("um texto", source="a.txt"),))
    with pytest.raises(OptionError, match="min_score must be a number"):
        preview(corpus, "texto", min_score=float("nan"))
    with pytest.raises(OptionError, match="where must be a mapping of keys to values"):
        preview(corpus, "texto", where="dept=rh")  # type: ignore[arg-type]


def test_public_names_are_there() -> None:
    for name in cantle_inspect.__all__:
        assert getattr(cantle_inspect, name) is not None
    assert set(cantle_inspect.__all__) == set(cantle_inspect._HOMES)
    with pytest.raises(AttributeError):
        cantle_inspect.nothing  # noqa: B018


# -- for notebooks ----------------------------------------------------------------------------------


def test_a_path_and_a_mapping_will_do(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("férias " * 40, "utf-8")
    expected = preview(read_corpus(tmp_path), "ferias", cutting=Cutting("recursive", {"max_size": 50})).to_dict()
    for corpus in (tmp_path, str(tmp_path), [tmp_path / "a.md"]):
        assert preview(corpus, "ferias", cutting={"strategy": "recursive", "maxSize": 50}).to_dict() == expected
    assert preview(tmp_path, "ferias", cutting="recursive").to_dict()["stats"]["strategies"] == ["recursive"]
    assert preview(tmp_path, "ferias", cutting={"max_size": 50}).to_dict()["stats"]["options"]["maxSize"] == 50


@pytest.mark.parametrize("top_k", [0, -1, 1.5, "3", True, None])
def test_how_many_is_a_number(top_k: Any) -> None:
    with pytest.raises(OptionError, match="top_k must be a whole number, 1 or more"):
        preview(CORPUS, QUESTION, top_k=top_k)


@pytest.mark.parametrize("question", ["", " \n", None, 7])
def test_a_question_is_a_text(question: Any) -> None:
    with pytest.raises(OptionError, match="question must be a text that is not empty"):
        preview(CORPUS, question)


def test_a_least_score_is_a_number() -> None:
    with pytest.raises(OptionError, match="min_score must be a number or None, got '1'"):
        preview(CORPUS, QUESTION, min_score="1")  # type: ignore[arg-type]


def test_what_is_shown_of_objects_is_short_and_has_no_text() -> None:
    found = preview(CORPUS, QUESTION)
    shown = [repr(found), repr(found.pool), repr(CORPUS), repr(found.hits[0].passage)]
    assert shown[2] == f"<Corpus: {len(CORPUS.documents)} documents, 1 left out>"
    assert shown[0].startswith("<Preview: ")
    for text in shown:
        assert len(text) < 200
        assert not any(document.text[:20] in text for document in CORPUS.documents)


def test_a_table_for_notebooks() -> None:
    document = MDocument.from_text("<script>férias</script>", source="x.md", metadata={"dept": "<b>"})
    table = preview(Corpus((document,)), "<i> ferias", keys=["owner"])._repr_html_()
    assert table.startswith("<table><caption>&lt;i&gt; ferias</caption>")
    assert "&lt;script&gt;f" in table
    assert "<script" not in table
    assert "<b>" not in table
    assert '<th scope="col">owner</th>' in table
