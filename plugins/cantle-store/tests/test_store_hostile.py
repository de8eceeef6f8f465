"""Any text is kept as it is, or refused with a clear error; what is odd in metadata comes back as JSON has it."""

from __future__ import annotations

import datetime
import math
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.errors import DocumentError
from cantle.testing import hostile_documents
from cantle_store import NotFoundError, Store

ODD = [
    "",
    " ",
    "\x00",
    "a\x00b",
    "\x1a",
    "\x1a0041",
    "\x1a\x1a0000",
    "\ud800",
    "\udfff\ud800",
    "\U0010ffff",
    "\ufeff",
    "\u202e",
    "'",
    '"',
    "\\",
    "%",
    "_",
    "; DROP TABLE chunks; --",
    "{}",
    "[1]",
    "é",
    "e\u0301",
    "x" * 3000,
    "é" * 5000,
    "\udc80" * 4000,
]


def test_odd_texts_everywhere(store: Store, counting: Any) -> None:
    for odd in ODD:
        put_and_take_out(store, counting, odd)


def put_and_take_out(store: Store, counting: Any, odd: str) -> None:
    name = odd or "x"
    avatar = store.create_avatar(name)
    made = store.create_dataset(name, avatar=avatar)
    assert (avatar.name, made.name) == (name, name)
    assert store.dataset(name, avatar=avatar) == made
    chunk = {"text": odd + "t", "content": odd, "prefix": odd, "path": [odd], "metadata": {odd: odd, "list": [odd]}}
    synced = store.sync(made, odd, [chunk, chunk], counting, metadata={"own": odd}, origin=odd)
    assert synced.source == odd
    assert not store.sync(made, odd, [chunk, chunk], counting, metadata={"own": odd}, origin=odd).wrote
    kept = list(store.chunks(made, odd))
    assert len(kept) == 2
    assert (kept[0].text, kept[0].content, kept[0].prefix) == (odd + "t", odd, odd)
    assert (kept[0].path, kept[0].source) == ((odd,), odd)
    assert kept[0].metadata == {"own": odd, odd: odd, "list": [odd]}
    (document,) = store.documents(made)
    assert (document.source, document.origin, document.metadata) == (odd, odd, {"own": odd})
    if odd:
        assert store.search("t", dataset=made, where={"own": odd}, mode="text") or "t" not in (odd + "t").split()
        assert store.search(vector=[0.1] * 8, dataset=made, where={"own": odd})
    host = store.for_host(name[:200])
    assert host.sync("docs", "a", [{"text": "x"}]).new == 1
    for call in (host.avatar, host.documents):
        with pytest.raises(NotFoundError):
            call(name + odd)
    assert store.delete(odd).chunks == 2
    assert store.documents(made) == []


def test_hard_texts(store: Store, counting: Any) -> None:
    texts = [document.text for document in hostile_documents()]
    chunks = [{"text": text} for text in texts]
    store.sync("docs", "hard", chunks, counting)
    assert [chunk.text for chunk in store.chunks("docs")] == texts
    assert not store.sync("docs", "hard", chunks, counting).wrote


def test_texts_of_a_megabyte(store: Store, counting: Any) -> None:
    for text in ["x" * 1_000_000, "\x00" * 300_000, " ".join(map(str, range(100_000)))]:
        began = time.monotonic()
        store.sync("docs", text[:100_000], [{"text": text}], counting)
        assert [chunk.text for chunk in store.chunks("docs", text[:100_000])] == [text]
        assert time.monotonic() - began < 60
    store.delete_dataset("docs")


def test_metadata_that_json_does_not_have(store: Store) -> None:
    odd = {
        "nan": math.nan,
        "inf": -math.inf,
        "pair": (1, (2,)),
        "set": {3, 1},
        "day": datetime.date(2026, 1, 2),
        1: "one",
        None: "none",
        "bytes": b"x",
        "huge": 10**5000,
        "object": NotImplemented,
        "big": 2**70,
        "minus": -0.0,
        "é": {"ü": [True]},
    }
    store.sync("docs", "a", [{"text": "x", "metadata": odd}], metadata=odd)
    (kept,) = store.chunks("docs")
    assert kept.metadata == {
        "nan": "nan",
        "inf": "-inf",
        "pair": [1, [2]],
        "set": ["1", "3"],
        "day": "2026-01-02",
        "1": "one",
        "None": "none",
        "bytes": "b'x'",
        "huge": hex(10**5000),
        "object": "NotImplemented",
        "big": 2**70,
        "minus": -0.0,
        "é": {"ü": [True]},
    }
    assert store.documents("docs")[0].metadata == kept.metadata
    assert not store.sync("docs", "a", [{"text": "x", "metadata": odd}], metadata=odd).wrote
    again = {name: odd[name] for name in reversed(odd)}  # type: ignore[index]
    assert not store.sync("docs", "a", [{"text": "x", "metadata": again}], metadata=again).wrote


def test_metadata_that_are_too_deep_are_refused(store: Store) -> None:
    deep: Any = 1
    for _ in range(99):
        deep = [deep]
    store.sync("docs", "a", [], metadata={"x": deep, "brackets": "[{" * 500 + '"\\"['})
    for _ in range(3):
        deep = {"x": deep}
    with pytest.raises(DocumentError, match="nested more than 100 levels deep"):
        store.sync("docs", "a", [], metadata={"x": deep})
    with pytest.raises(DocumentError, match="metadata must be a mapping"):
        store.sync("docs", "a", [], metadata=[1])  # type: ignore[arg-type]


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(), max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(st.characters(), max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@settings(max_examples=30, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    metadata=st.dictionaries(st.text(st.characters(), max_size=4), VALUES, max_size=4),
    own=st.dictionaries(st.text(st.characters(), max_size=4), VALUES, max_size=4),
    texts=st.lists(st.text(st.characters(), max_size=12), max_size=5),
)
def test_whatever_is_kept_is_kept_once(store: Store, metadata: Any, own: Any, texts: list[str]) -> None:
    chunks = [{"text": text, "metadata": own} for text in texts]
    store.sync("docs", "a", chunks, metadata=metadata, wipe=False)
    assert [chunk.text for chunk in store.chunks("docs", "a")] == texts
    assert not store.sync("docs", "a", chunks, metadata=metadata).wrote


def test_many_chunks_take_time_in_proportion(store: Store, snapshot: Callable[..., Any]) -> None:
    def seconds(count: int) -> float:
        chunks = [{"text": f"text {n % (count // 2)}"} for n in range(count)]
        began = time.process_time()
        store.sync("docs", str(count), chunks, wipe=False)
        store.sync("docs", str(count), chunks[1:], wipe=False)
        assert not store.sync("docs", str(count), chunks[1:]).wrote
        return time.process_time() - began

    seconds(200)
    small, large = seconds(500), seconds(4000)
    assert large < 16 * small + 1
    assert store.dataset("docs").chunks == 200 + 500 + 4000 - 3


def test_a_document_of_cantle_with_all_its_fields(store: Store) -> None:
    text = "# A\n\n| a | b |\n|---|---|\n" + "".join(f"| {n} | {n * n} |\n" for n in range(60))
    chunks = MDocument.from_markdown(text, source="t").chunk("structural-context", max_size=120)
    store.sync("docs", "t", chunks)
    kept = list(store.chunks("docs"))
    assert [chunk.spans for chunk in kept] == [chunk.spans for chunk in chunks]
    assert [chunk.path for chunk in kept] == [chunk.path for chunk in chunks]
    assert any(chunk.spans for chunk in kept)
    assert any(chunk.prefix for chunk in kept)
