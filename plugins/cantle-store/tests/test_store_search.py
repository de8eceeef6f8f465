"""Search: what is found, in which order, and that nothing that may not be seen changes it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from math import hypot, log
from typing import Any

import pytest

from cantle import Chunk
from cantle.errors import OptionError
from cantle_store import DimensionError, EmbedderError, Hit, NotFoundError, Store
from cantle_store.terms import MOST_IN_QUERY, query_terms, terms

TEXTS = {
    "leave.md": ["Parental leave is 180 days.", "Annual leave: férias de trinta dias.", "Sick leave needs a note."],
    "deploy.md": ["Deploy with make deploy.", "Roll back with make undo, and note it.", "The pager rotates weekly."],
    "pay.md": ["Pay day is the fifth day.", "A day off is a day off."],
}
DEPTS = {"leave.md": "hr", "deploy.md": "sre", "pay.md": ["hr", "board"]}


def embed(texts: Sequence[str]) -> list[list[float]]:
    """Sixteen counts of words by their hashes."""
    vectors = []
    for text in texts:
        vector = [0.0] * 16
        for word in terms(text):
            vector[int(hashlib.md5(word.encode("utf-8")).hexdigest(), 16) % 16] += 1.0
        vectors.append(vector)
    return vectors


def cosine(one: str, other: str) -> float:
    a, b = embed([one, other])
    return sum(x * y for x, y in zip(a, b, strict=True)) / hypot(*a) / hypot(*b)


def chunks(*texts: str) -> list[dict[str, Any]]:
    return [Chunk(text, 0, len(text)).to_dict() for text in texts]


def fill(store: Store, embedder: Any = embed) -> None:
    for source, texts in TEXTS.items():
        store.sync("docs", source, chunks(*texts), embedder, metadata={"dept": DEPTS[source]})
    store.set_roles({"hr": {"dept": "hr"}, "sre": {"dept": "sre"}, "all": "*"})


def shown(hits: list[Hit]) -> list[tuple[Any, ...]]:
    return [(hit.chunk.source, hit.chunk.index, hit.score, hit.ranks) for hit in hits]


QUERIES = ["leave", "a day off", "note make deploy", "FERIAS", "the of a", "pager"]


def test_all_databases_give_the_same(store: Store) -> None:
    """The figures are computed by hand: BM25 with k1 = 1.2 and b = 0.75 over 8 chunks."""
    fill(store)
    hits = store.search("FERIAS", dataset="docs")
    # One of 8 chunks has it, with 6 words, which is then the mean too: the word counts (k1 + 1) / (1 + k1).
    assert [(hit.chunk.source, hit.chunk.index) for hit in hits] == [("leave.md", 1)]
    assert hits[0].score == pytest.approx(log(1 + (8 - 1 + 0.5) / (1 + 0.5)), abs=2e-9)
    counts = [5, 6, 5]  # words of the three chunks with "leave"
    mean, idf = sum(counts) / 3, log(1 + (8 - 3 + 0.5) / (3 + 0.5))
    expected = [idf * 2.2 / (1 + 1.2 * (0.25 + 0.75 * count / mean)) for count in counts]
    hits = store.search("leave", dataset="docs")
    assert [hit.chunk.index for hit in hits] == [0, 2, 1]  # alike: by source and index
    assert [hit.score for hit in hits] == pytest.approx([expected[0], expected[2], expected[1]], abs=2e-9)
    vector = store.search("leave", dataset="docs", embedder=embed, mode="vector", k=1)[0]
    assert vector.score == pytest.approx(max(cosine("leave", text) for texts in TEXTS.values() for text in texts))
    both = store.search("leave", dataset="docs", embedder=embed)
    for hit in both:
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in hit.ranks.values()))
    assert {name for hit in both for name in hit.ranks} == {"text", "vector"}


@pytest.mark.parametrize("mode", ["text", "vector", "hybrid"])
def test_what_may_not_be_seen_changes_nothing(store: Store, mode: str) -> None:
    fill(store)

    def found() -> list[Any]:
        return [
            shown(store.search(query, dataset="docs", embedder=embed, mode=mode, k=3, **filters))
            for query in QUERIES
            for filters in ({"roles": ["hr"]}, {"where": {"dept": "hr"}}, {"roles": ["hr"], "where": {"dept": "board"}})
        ]

    before = found()
    assert any(before)
    other = store.for_host("other")
    for source, texts in TEXTS.items():
        other.sync("docs", source, chunks(*texts, *texts), embed)
    for number in range(12):  # better in every way, and not to be seen
        texts = [f"{query} {query}" for query in QUERIES]
        store.sync("docs", f"a{number}", chunks(*texts), embed, metadata={"dept": "sre"})
        store.sync("more", f"a{number}", chunks(*texts), embed, metadata={"dept": "hr"})
    assert found() == before
    assert len(store.search("pager", dataset="docs", roles=["hr", "sre"], mode="text", k=50)) > 12
    assert store.search("pager", dataset="docs", roles=[]) == []


def test_a_restricted_document_takes_no_place(store: Store) -> None:
    fill(store)
    for number in range(10):
        store.sync("docs", f"a{number}", chunks(*["leave leave"] * 20), embed, metadata={"dept": "sre"})
    for mode in ("text", "vector", "hybrid"):
        hits = store.search("leave", dataset="docs", embedder=embed, mode=mode, k=3, where={"dept": "hr"})
        assert [hit.chunk.source for hit in hits if hit.chunk.source.startswith("a")] == []
        assert len(hits) == 3


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("As férias são longas", "FERIAS"),
        ("İSTANBUL", "istanbul"),
        ("ısı", "ISI"),
        ("Straße", "STRASSE"),
        ("\uff26\uff35\uff2c\uff2c width", "full"),
        ("東京タワー", "京"),
        ("ภาษาไทย", "ภ"),
        ("don\u2019t e\u2011mail max_size 3.14", "don't"),
        ("don\u2019t e\u2011mail max_size 3.14", "E-MAIL"),
        ("max_size is 3.14", "max_size"),
        ("max_size is 3.14", "3.14"),
        ("한국어 문서", "문서"),
        ("Øl og æble", "ol aeble"),
        ("क्या", "क्या"),
        ("\ufdfa", "الله"),
        ("x" * 3000, "x" * 3000),
    ],
)
def test_words_are_found_without_case_and_accents(text: str, query: str) -> None:
    with Store("sqlite://") as store:
        store.sync("docs", "a", chunks(text))
        store.sync("docs", "b", chunks("something else"))
        assert [hit.chunk.source for hit in store.search(query)] == ["a"]


def test_letters_are_not_taken_for_accents() -> None:
    assert list(terms("がか")) == ["が", "か"]
    assert list(terms("क्य")) != list(terms("कय"))


HOSTILE = [
    "", " ", '"', "' OR 1=1 --", "a AND", "NEAR(a b)", "a*", "terms:a", "(((", "\\", "\0", "\ud800",
    "a:b & !c | d <-> e",
    "%", "\x1a", "\u202e", "'" * 1000, "^a + b - c", "{a}", "\ufeff", "*",
]  # fmt: skip


def test_any_text_is_a_query(store: Store) -> None:
    store.sync("docs", "a", chunks(*[f"{one} word" for one in HOSTILE]), embed)
    for query in HOSTILE:
        for mode in ("text", "vector", "hybrid"):
            store.search(query, embedder=embed, mode=mode)
    assert store.search("", mode="text") == []


def test_a_query_of_a_megabyte_takes_no_time(store: Store) -> None:
    fill(store)
    started = time.perf_counter()
    for query in ("leave " * 170_000, " ".join(f"w{number}" for number in range(150_000)), "x" * 10**6, "東" * 10**6):
        store.search(query, mode="text")
    assert time.perf_counter() - started < 30
    assert len(query_terms(" ".join(f"w{number}" for number in range(1000)))) == MOST_IN_QUERY


def test_a_chunk_of_more_words_than_an_index_takes(store: Store) -> None:
    text = " ".join(f"word{number}" for number in range(150_000)) + " a" * 1000
    store.sync("docs", "a", chunks(text))
    assert len(store.search("word7")) == 1


def test_modes(store: Store) -> None:
    fill(store)
    assert {name for hit in store.search("leave") for name in hit.ranks} == {"text"}
    vector = embed(["leave"])[0]
    assert {name for hit in store.search(vector=vector) for name in hit.ranks} == {"vector"}
    assert {name for hit in store.search("leave", vector=vector) for name in hit.ranks} == {"text", "vector"}
    for wrong, message in (
        ({"query": "a", "mode": "best"}, "mode must be one of"),
        ({"query": "a", "k": 0}, "k must be"),
        ({"query": "a", "k": True}, "k must be"),
        ({}, "Give a query, a vector"),
        ({"vector": vector, "mode": "text"}, "needs a query"),
        ({"query": "a", "vector": vector, "mode": "text"}, "takes no vector"),
        ({"query": 3}, "query must be a text"),
        ({"query": "a", "where": {"a": []}}, "has no value"),
    ):
        with pytest.raises(OptionError, match=message):
            store.search(**wrong)  # type: ignore[arg-type]
    with pytest.raises(EmbedderError, match="mode='vector' needs an embedder"):
        store.search("a", mode="vector")
    with pytest.raises(NotFoundError, match=r"no dataset 'nope'.*docs"):
        store.search("a", dataset="nope")


def test_vectors_that_cannot_be_compared(store: Store) -> None:
    fill(store)
    with pytest.raises(DimensionError, match=r"3 numbers.*'docs' has vectors of 16"):
        store.search(vector=[1.0, 2.0, 3.0])
    with pytest.raises(EmbedderError, match="cannot be compared"):
        store.search("a", embedder=lambda texts: [[1.0] * 16 for _ in texts])
    for wrong in ([float("nan")] * 16, [float("inf")] * 16, [1e300] * 16, [], "abc", ["a"] * 16, [None] * 16):
        with pytest.raises(EmbedderError):
            store.search(vector=wrong)  # type: ignore[arg-type]
    zeros = store.search(vector=[0.0] * 16, k=3)  # is like nothing, so all are alike
    assert [hit.score for hit in zeros] == [0.0, 0.0, 0.0]
    assert [hit.chunk.source for hit in zeros] == ["deploy.md"] * 3


def test_the_datasets_of_a_host_may_have_other_vectors(store: Store) -> None:
    fill(store)

    class Small:
        name = "small"

        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            return [[float(len(text)), 1.0] for text in texts]

    class Twin(Small):
        name = "twin"

    store.sync("small", "s.md", chunks("leave it"), Small())
    hits = store.search("leave", embedder=Small(), k=50)
    assert {hit.chunk.source for hit in hits if "vector" in hit.ranks} == {"s.md"}
    assert {hit.chunk.source for hit in hits if "text" in hit.ranks} == {"s.md", "leave.md"}
    assert {hit.chunk.source for hit in store.search(vector=[1.0, 1.0])} == {"s.md"}
    store.sync("twin", "t.md", chunks("leave it"), Twin())
    with pytest.raises(EmbedderError, match=r"several embedders.*Name the dataset"):
        store.search(vector=[1.0, 1.0])
    assert {hit.chunk.source for hit in store.search(vector=[1.0, 1.0], dataset="twin")} == {"t.md"}


def test_datasets_of_other_hosts_are_not_there(store: Store) -> None:
    fill(store)
    foreign = store.for_host("foreign")
    assert foreign.search("leave") == []
    with pytest.raises(NotFoundError, match="Known: none"):
        foreign.search("leave", dataset=store.dataset("docs").id)
