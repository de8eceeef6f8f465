"""The chunks of a corpus: how documents are cut, ids, what may be seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import MDocument, registry
from cantle.errors import OptionError, UnknownStrategyError
from cantle_inspect import Access, Corpus, Cutting, Pool
from cantle_inspect.corpus.pool import MAX_SIZE

TEXT = "# Férias\n\nVocê tem 30 dias.\n\n## Abono\n\n" + "Até um terço. " * 80


def document(source: str, text: str = TEXT, **metadata: Any) -> MDocument:
    return MDocument.from_markdown(text, source=source, metadata=metadata)


def ids(*names: str) -> list[str]:
    return [p.id for p in Pool.of(Corpus(tuple(document(n, "x") for n in names)), Cutting()).passages]


# -- ids --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["politica-ferias.md"], ["politica-ferias#0"]),
        (["rh/ferias.md", "sre/ferias.md"], ["rh/ferias#0", "sre/ferias#0"]),
        (["a.md", "a.txt", "b.md"], ["a.md#0", "a.txt#0", "b#0"]),
        (["a.md", "a.txt", "a.md.html"], ["a.md#0", "a.txt#0", "a.md.html#0"]),
        (["a", "a.md"], ["a#0", "a.md#0"]),
        (
            ["manual v1.2", "https://x.example/y.html", ".md", "a/.md"],
            ["manual v1.2#0", "https://x.example/y#0", ".md#0", "a/.md#0"],
        ),
        (["a#1", "a"], ["a#1#0", "a#0"]),
    ],
)
def test_ids(names: list[str], expected: list[str]) -> None:
    assert ids(*names) == expected


@given(st.lists(st.text(st.sampled_from("ab./#md1"), min_size=1, max_size=6), min_size=1, max_size=6, unique=True))
def test_ids_are_never_the_same(names: list[str]) -> None:
    found = ids(*names)
    assert len(set(found)) == len(found) == len(names)


# -- cutting ----------------------------------------------------------------------------------------


OWN = [name for name in registry().strategies() if registry().is_builtin(registry().provider(name))]
"""Strategies of other plugins may take no ranges of sizes."""


def test_the_defaults_are_those_of_the_case() -> None:
    assert Cutting().options_for(document("a.md")) == {"max_size": 480, "overlap": 80}
    assert MAX_SIZE == 480
    pool = Pool.of(Corpus((document("a.md"),)), Cutting())
    assert max(len(text) for text in pool.texts) <= 480
    assert len(pool.passages) > 2


@pytest.mark.parametrize("size", [None, 1, 2, 5, 10, 3000, (100, 300), 0.5, 37.5])
@pytest.mark.parametrize("strategy", sorted(name for name in OWN if name != "json"))
def test_defaults_fit_every_strategy_and_size(strategy: str, size: Any) -> None:
    defaults = Cutting(strategy).options_for(document("a.md"))
    options = {"max_size": size} if size is not None and "max_size" in defaults else {}
    chunks = Cutting(strategy, options)(document("a.md"))
    assert "".join(chunk.content for chunk in chunks).startswith("# Férias"[: len(chunks[0].content)])


def test_defaults_of_strategies_without_sizes() -> None:
    json = MDocument.from_json('{"a": 1}', source="a.json")
    assert Cutting().options_for(json) == {"max_size": 480}
    assert Cutting()(json)
    assert Cutting(None, {"separators": ["\n\n"]}).strategy_for(document("a.md")) == "recursive"
    assert Cutting("recursive", {"max_size": 100, "overlap": 0})(document("a.md"))
    strategy = registry().strategy("recursive")
    assert Cutting(strategy).options_for(document("a.md")) == {"max_size": 480, "overlap": 80}
    assert Cutting(strategy(max_size=50)).options_for(document("a.md")) == {}


def test_wrong_options_are_raised_and_documents_that_cannot_be_cut_left_out() -> None:
    corpus = Corpus((document("a.md"), MDocument.from_json('{"a": 1}', source="a.json")))
    pool = Pool.of(corpus, Cutting("json"))
    assert [one.source for one in pool.left_out] == ["a.md"]
    assert [one.source for one in pool.documents] == ["a.json"]
    with pytest.raises(UnknownStrategyError):
        Pool.of(corpus, Cutting("nothing"))
    with pytest.raises(OptionError):
        Pool.of(corpus, Cutting("recursive", {"max_size": 0}))


# -- access -----------------------------------------------------------------------------------------


def test_what_a_strategy_writes_into_metadata_opens_nothing(tmp_path: Path) -> None:
    text = "# hr\n\nsecret\n\n# sre\n\nmore"
    cutting = Cutting("markdown", {"headers": [["#", "dept"]]})
    bare = document("bare.md", text)
    theirs = document("theirs.md", text, dept="sre")
    pool = Pool.of(Corpus((bare, theirs)), cutting)
    assert any(p.chunk.metadata.get("dept") == "hr" for p in pool.passages)
    assert pool.visible(Access.of({"dept": "hr"})) == []
    seen = pool.visible(Access.of({"dept": "sre"}))
    assert {p.document.source for p in seen} == {"theirs.md"}
    assert {p.metadata["dept"] for p in seen} == {"sre"}


def test_sizes_are_summed() -> None:
    pool = Pool.of(Corpus((document("a.md", "one two"), document("b.md", "three"))), Cutting())
    assert pool.size("words") == 3
    assert pool.size("text-embedding-3-small") == pool.size("cl100k_base") > 0
    assert pool.size(len) == 12
