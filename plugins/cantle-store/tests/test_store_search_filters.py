"""Filters in SQL decide as `cantle.access.Access.allows` does, whatever metadata and rules are, on every database."""

from __future__ import annotations

from datetime import date
from random import Random
from typing import Any
from unicodedata import normalize

import pytest

from cantle import Chunk
from cantle.access import Access, Roles
from cantle.errors import OptionError
from cantle_store import Store
from cantle_store.labels import labels, named

KEYS = ["dept", "dépt", normalize("NFD", "dépt"), "a'b", 'a"b;--', "n\0l", "\ud800", "k" * 3000]
TEXTS = ["hr", "it", "é", normalize("NFD", "é"), "", "*", "true", "3", "1.5", "' OR 1=1 --", "\0", "\udfff", "v" * 5000]
SCALARS = [*TEXTS, None, True, False, 0, 3, 1.5, -0.0, 10**40, date(2024, 1, 2), named("v" * 5000)]
ASKED = [*(text for text in TEXTS if text), True, 3, 1.5]


def a_value(random: Random) -> Any:
    kind = random.randrange(6)
    if kind < 3:
        return random.choice(SCALARS)
    if kind < 5:
        return [random.choice(SCALARS) for _ in range(random.randrange(4))]
    return random.choice([{"hr": "hr"}, [["hr"], {"x": 1}], [], [[]]])


def some_metadata(random: Random) -> dict[str, Any]:
    return {key: a_value(random) for key in random.sample(KEYS, random.randrange(5))}


def a_rule(random: Random, least: int) -> dict[str, Any]:
    keys = [key for key in KEYS if normalize("NFC", key) == key]
    chosen = random.sample(keys, random.randint(least, 2))
    return {
        key: random.choice(ASKED) if random.random() < 0.5 else random.sample(ASKED, random.randint(1, 3))
        for key in chosen
    }


def composed(metadata: dict[str, Any]) -> dict[str, Any]:
    """Keys in NFC; of two spellings the composed one counts, then the first."""
    found: dict[str, Any] = {}
    for key, value in metadata.items():
        if normalize("NFC", key) == key:
            found[key] = value
        elif normalize("NFC", key) not in metadata:
            found.setdefault(normalize("NFC", key), value)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_sql_and_python_let_the_same_through(store: Store, seed: int) -> None:
    random = Random(seed)
    documents: list[tuple[str, dict[str, Any], list[dict[str, Any]]]] = []
    for number in range(8):
        metadata = some_metadata(random)
        own = [some_metadata(random) for _ in range(2)]
        documents.append((f"d{number}", metadata, own))
        chunks = [Chunk(f"word {number} {i}", 0, 5, metadata=one).to_dict() for i, one in enumerate(own)]
        store.sync("docs", f"d{number}", chunks, metadata=metadata)
    agreed = 0
    for _ in range(10):
        where = a_rule(random, 0)
        rules = {name: [a_rule(random, 1) for _ in range(random.randint(1, 3))] for name in ("r", "s")}
        if random.random() < 0.3:  # more than are written out in a query
            extra = [f"none-{number}" for number in range(40)]
            where = {key: [*(value if isinstance(value, list) else [value]), *extra] for key, value in where.items()}
            rules = {name: [*given, *({"nowhere": text} for text in extra)] for name, given in rules.items()}
        agreed += _agree(store, documents, where, rules)
    assert agreed  # some were let through


def _agree(store: Store, documents: list[Any], where: dict[str, Any], rules: dict[str, Any]) -> int:
    store.set_roles(rules)
    access, roles = Access.of(where), Access.of(names=list(rules), roles=Roles.of(rules))
    expected_where, expected_roles = set(), set()
    for source, metadata, chunks in documents:
        for index, own in enumerate(chunks):
            if access.allows({**composed(metadata), **composed(own)}):
                expected_where.add((source, index))
            if roles.allows(metadata):
                expected_roles.add((source, index))

    def found(**filters: Any) -> set[tuple[str, int]]:
        hits = store.search("word", dataset="docs", k=100, **filters)
        return {(hit.chunk.source, hit.chunk.index) for hit in hits}

    assert found(where=where) == expected_where
    assert found(roles=list(rules)) == expected_roles
    assert found(where=where, roles=list(rules)) == expected_where & expected_roles
    assert found(roles=[]) == set()
    return len(expected_where & expected_roles)


def test_labels_of_long_values_are_hashes_that_no_value_can_pretend_to_be() -> None:
    long = "v" * 5000
    assert dict(labels({"a": long}))["a"] in {named(long), "*"}
    assert named(named(long)) != named(long)
    assert named("v" * 200) == "v" * 200
    assert labels({"a": None, "b": {}}) == [("a", ""), ("b", "*")]


def test_what_a_chunk_says_opens_nothing_to_a_role(store: Store) -> None:
    chunk = Chunk("secret plan", 0, 11, metadata={"dept": "hr"}).to_dict()
    store.sync("docs", "a", [chunk], metadata={"dept": "board"})
    store.set_roles({"hr": {"dept": "hr"}, "board": {"dept": "board"}})
    assert store.search("plan", roles=["hr"]) == []
    assert store.search("plan", where={"dept": "board"}) == []  # the chunk's own goes before its document's
    assert len(store.search("plan", roles=["board"])) == 1
    assert len(store.search("plan", where={"dept": "hr"}, roles=["hr", "board"])) == 1
    with pytest.raises(Exception, match=r"no role 'ceo'.*board, hr"):
        store.search("plan", roles=["ceo"])


def test_roles_are_those_of_a_host_and_are_replaced(store: Store) -> None:
    rules = {"z": "*", "é'\0": [{"dept": ["hr", "it"]}, {"x": True}]}
    store.set_roles(rules)
    assert store.roles() == Roles.of(rules)
    assert store.for_host("other").roles() == {}
    store.set_roles({"only": {"a": 1}})
    assert list(store.roles()) == ["only"]
    store.set_roles(None)
    assert store.roles() == {}


def test_keys_of_a_filter_have_a_limit(store: Store) -> None:
    with pytest.raises(OptionError, match="100 keys, got 101"):
        store.search("a", where={f"k{i}": "v" for i in range(101)})
