"""What the adapters to other frameworks share: chunks in metadata and back, and their keys."""

from __future__ import annotations

import contextlib
import json
from time import perf_counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunk, Cut, MDocument
from cantle.adapters import KIND, RECORD, Cutter, Keys, pack, unpack
from cantle.errors import DocumentError, OptionError
from cantle.testing import hostile_documents, markdown_documents, texts

HIGH, LOW = "\ud83d", "\ude00"
"""Two code points that must never become one."""

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts(3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts(2), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["source", "split_id", "start_index", "prefix", "kept", "added", RECORD, KIND, "", HIGH + LOW]
metadata = st.dictionaries(st.sampled_from(NAMES) | texts(2), plain, max_size=5)


@st.composite
def chunks(draw: st.DrawFn) -> Chunk:
    """Chunks with every field set, as no single strategy makes them."""
    start = draw(st.integers(0, 10**9))
    content = draw(texts(6))
    chunk = Chunk(
        content,
        start,
        start + len(content) + draw(st.integers(0, 50)),
        spans=draw(st.none() | st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple)),
        overlap=draw(st.integers(0, len(content))),
        prefix=draw(st.just("") | texts(4)),
        path=tuple(draw(st.lists(texts(3), max_size=3))),
        metadata=draw(metadata),
        oversize=draw(st.booleans()),
        cut=draw(st.none() | st.builds(Cut, texts(1), st.integers(0, 9), texts(2))),
    )
    chunk.index, chunk.source = draw(st.integers(0, 99)), draw(texts(2))
    chunk.embedding = draw(st.none() | st.lists(st.floats(-1, 1), max_size=3))
    chunk._occurrence = draw(st.integers(0, 3))
    return chunk


def same(one: Chunk, other: Chunk) -> bool:
    """Equal in all that a chunk has, `True` and `1` told apart too."""
    rows = [json.dumps([c.to_dict(), c.own_metadata, c.embedding], sort_keys=True) for c in (one, other)]
    return one == other and rows[0] == rows[1]


def chunk_of(content: str = "Low water at six.", prefix: str = "", **fields: Any) -> Chunk:
    chunk = Chunk(content, 0, len(content), prefix=prefix, metadata=fields)
    chunk.source = "tides"
    return chunk


# -- pack and unpack --------------------------------------------------------------------------------


@given(chunks(), metadata, st.sampled_from(["text", "content"]))
def test_what_was_packed_comes_back(chunk: Chunk, shown: dict[str, Any], which: str) -> None:
    shown.pop(RECORD, None)
    made = pack(chunk, shown)
    assert {name: made[name] for name in shown if shown[name] is not None} == {
        name: value for name, value in shown.items() if value is not None
    }
    assert same(unpack(getattr(chunk, which), made), chunk)


@given(chunks(), metadata)
def test_through_three_frameworks_and_json(chunk: Chunk, shown: dict[str, Any]) -> None:
    shown.pop(RECORD, None)
    there = chunk
    for names in (shown, {"start_index": 1, "chunk_id": "x"}, {"split_id": 0, "source_id": "y", "prefix": "z"}):
        there = unpack(there.text, pack(there, names))
    assert same(there, chunk)


@given(chunks())
def test_the_record_is_a_string_that_every_store_takes(chunk: Chunk) -> None:
    record = pack(chunk, {})[RECORD]
    record.encode("utf-8")
    assert json.loads(record)["hash"] == chunk.embed_hash[:16]
    through = json.loads(json.dumps({RECORD: record}))
    assert unpack(chunk.text, {**chunk.metadata, **through}).path == chunk.path


def test_two_surrogates_stay_two() -> None:
    chunk = chunk_of("text", prefix=f"{HIGH}{LOW} \\ud83d\\ude00 \U0001f600\n", where=HIGH + LOW)
    chunk.path, chunk.source = (HIGH + LOW, "\\" + HIGH, "\\\\" + LOW), LOW + HIGH + LOW
    assert same(unpack(chunk.text, pack(chunk, {"where": "here"})), chunk)


@given(st.lists(texts(), min_size=1, max_size=3), st.integers(20, 200))
def test_chunks_of_strategies_come_back(pages: list[str], size: int) -> None:
    document = MDocument("\f".join(pages), "text", {"tags": ["a", {"b": None}]}, "doc")
    for chunk in document.chunk("recursive", max_size=size, overlap=size // 4, explain=True):
        assert same(unpack(chunk.text, pack(chunk, {"start_index": chunk.start})), chunk)


@given(markdown_documents())
def test_chunks_with_a_prefix_come_back(text: str) -> None:
    document = MDocument(text, "markdown", {}, "doc")
    for chunk in document.chunk("structural-context", max_size=300):
        assert same(unpack(chunk.text, pack(chunk, {"blocks": 0})), chunk)
        assert same(unpack(chunk.content, pack(chunk, {})), chunk)


@pytest.mark.parametrize("number", range(len(hostile_documents())))
def test_hostile_documents(number: int) -> None:
    cutter = Cutter(strategy="recursive", options={"max_size": 400})
    hostile = hostile_documents()[number]
    document = cutter.document(hostile.text, {"file_path": HIGH})
    found = cutter.cut(document)
    for chunk, key in zip(found, Keys().of(found), strict=True):
        assert same(unpack(chunk.text, pack(chunk, {}, key=key)), chunk)


def test_shown_wins_and_the_other_value_comes_back() -> None:
    chunk = chunk_of(source="mine", page=3, cantle={"of": "somebody else"})
    made = pack(chunk, {"source": "theirs", "page": None, "start_index": 0})
    assert (made["source"], made["page"], made["start_index"]) == ("theirs", 3, 0)
    assert unpack(chunk.text, made).metadata == {"source": "mine", "page": 3, "cantle": {"of": "somebody else"}}


def test_what_is_added_to_the_metadata_later_stays() -> None:
    made = {**pack(chunk_of(), {"start_index": 0}), "score": 0.5}
    assert unpack(chunk_of().text, made).metadata == {"score": 0.5}


def test_the_chunk_is_not_changed_and_shares_nothing() -> None:
    chunk = chunk_of(tags=["a"])
    made = pack(chunk, {})
    made["tags"].append("b")
    back = unpack(chunk.text, {**made, "tags": ["a"]})
    back.metadata["tags"].append("c")
    assert chunk.metadata == {"tags": ["a"]}


def test_an_unusual_value_may_stay_but_not_give_way() -> None:
    chunk = chunk_of(when={1, 2})
    assert pack(chunk, {})["when"] == {1, 2}
    with pytest.raises(DocumentError, match="'when' in the metadata is set, which cannot be written down"):
        pack(chunk, {"when": "now"})
    with pytest.raises(DocumentError, match="is float"):
        pack(chunk_of(when=float("nan")), {"when": "now"})


def test_a_key_that_is_given() -> None:
    chunk = chunk_of()
    assert unpack(chunk.text, pack(chunk, {}, key="a:b:7")).key == f"tides:{chunk.embed_hash}:7"
    for key in ("mine", "a:b:", "a:-1", "a:²", ""):
        with pytest.raises(OptionError, match="ends with a colon and a number"):
            pack(chunk, {}, key=key)


@pytest.mark.parametrize("text", ["", "low water at six.", "Low water at six", "Low water at six. ", "Guide\nLow"])
def test_a_text_that_was_changed(text: str) -> None:
    with pytest.raises(DocumentError, match="chunk 0 of 'tides' is not the one that was cut"):
        unpack(text, pack(chunk_of(prefix="Guide\n"), {}))


def test_a_text_that_cantle_did_not_cut() -> None:
    with pytest.raises(DocumentError, match="was not cut by cantle: its metadata have no 'cantle', they have 'a'"):
        unpack("text", {"a": 1})


WHOLE = {"v": 1, "source": "a", "hash": "00", "number": 0, "start": 0, "end": 4, "added": []}
BROKEN = {
    "number": 7,
    "dictionary": {"v": 1},
    "bytes": b"{}",
    "empty": "",
    "list": "[]",
    "cut-short": '{"v":1,"source"',
    "another-version": '{"v":2}',
    "no-version": "{}",
    "deep": "[" * 100_000,
    "long-number": '{"v":1,"start":' + "9" * 5000 + "}",
    "incomplete": '{"v":1}',
    "added": json.dumps({**WHOLE, "added": 5}),
    "kept": json.dumps({**WHOLE, "kept": []}),
    "prefix": json.dumps({**WHOLE, "prefix": 3}),
    "number-text": json.dumps({**WHOLE, "number": "1"}),
    "hash": json.dumps({**WHOLE, "hash": None}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record(name: str) -> None:
    with pytest.raises(DocumentError, match="is no record of a chunk"):
        unpack("text", {RECORD: BROKEN[name]})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("start", None), ("start", True), ("start", "0"), ("end", 1.5), ("spans", 3), ("spans", [[1]]),
        ("spans", [[1e999, 2]]), ("path", [1]), ("path", "ab"), ("cut", {"kind": "x"}), ("overlap", "1"),
        ("oversize", 1), ("embedding", "x"), ("index", []), ("source", 4),
    ],
)  # fmt: skip
def test_a_record_with_a_broken_field(name: str, value: Any) -> None:
    made = pack(chunk_of(), {})
    made[RECORD] = json.dumps({**json.loads(made[RECORD]), name: value})
    with pytest.raises(DocumentError, match=r"as Chunk\.to_dict\(\) makes it"):
        unpack(chunk_of().text, made)


@given(plain)
def test_any_record_is_read_or_refused(value: Any) -> None:
    try:
        unpack("text", {RECORD: value if isinstance(value, str) else json.dumps(value)})
    except DocumentError:
        return
    raise AssertionError("a record out of nothing")


@given(st.dictionaries(st.sampled_from([*json.loads(pack(chunk_of(), {})[RECORD]), "path", "cut", "kept"]), plain))
def test_any_change_of_a_record_is_read_or_refused(changes: dict[str, Any]) -> None:
    made = pack(chunk_of(), {"start_index": 0})
    made[RECORD] = json.dumps({**json.loads(made[RECORD]), **changes})
    with contextlib.suppress(DocumentError):
        assert unpack(chunk_of().text, made).text == chunk_of().text


# -- Chunk.from_dict --------------------------------------------------------------------------------


@given(chunks())
def test_a_dictionary_comes_back(chunk: Chunk) -> None:
    assert same(Chunk.from_dict({**chunk.to_dict(), "embedding": chunk.embedding}), chunk)


@given(markdown_documents())
def test_through_json(text: str) -> None:
    for chunk in MDocument(text, "markdown", {"a": [1]}, "doc").chunk("structural-context", max_size=200):
        back = Chunk.from_dict(json.loads(json.dumps(chunk.to_dict(), ensure_ascii=False)))
        assert back == chunk
        assert back.to_dict() == chunk.to_dict()


@pytest.mark.parametrize("key", ["", "x", "a:b:-1", "a:b:²", "a:b:1.0"])
def test_a_key_without_a_number_counts_as_the_first(key: str) -> None:
    assert Chunk.from_dict({"content": "a", "start": 0, "end": 1, "key": key}).key.endswith(":0")


@pytest.mark.parametrize("row", [None, [], "text", {}, {"content": "a", "start": 0}], ids=repr)
def test_no_dictionary_of_a_chunk(row: Any) -> None:
    with pytest.raises(DocumentError, match=r"as Chunk\.to_dict\(\) makes it"):
        Chunk.from_dict(row)


def test_a_key_with_a_number_without_end() -> None:
    with pytest.raises(DocumentError, match=r"as Chunk\.to_dict\(\) makes it"):
        Chunk.from_dict({"content": "a", "start": 0, "end": 1, "key": "a:b:" + "9" * 5000})


# -- Keys -------------------------------------------------------------------------------------------


def cut(text: str, source: str) -> list[Chunk]:
    return list(MDocument(text, "text", {}, source).chunk("recursive", separators=["\n"], max_size=3))


def test_one_document_has_its_own_keys() -> None:
    found = cut("aa\nbb\naa\naa", "d")
    assert Keys().of(found) == [chunk.key for chunk in found]
    assert [key.rpartition(":")[2] for key in Keys().of(found)] == ["0", "0", "1", "2"]


def test_documents_of_one_source_count_on() -> None:
    keys = Keys()
    first, second = keys.of(cut("aa\nbb\naa", "d")), keys.of(cut("aa\ncc\naa", "d"))
    assert [key.rpartition(":")[2] for key in first + second] == ["0", "0", "1", "2", "0", "3"]
    assert [key.rpartition(":")[2] for key in keys.of(cut("aa", "e"))] == ["0"]


def test_a_part_of_a_document_keeps_its_keys() -> None:
    found = cut("aa\nbb\naa\naa", "d")
    assert Keys().of([found[2], found[1]]) == [found[2].key, found[1].key]
    assert [key.rpartition(":")[2] for key in Keys().of([found[2], found[2], found[0]])] == ["1", "0", "2"]


@given(st.lists(st.lists(st.sampled_from(["aa", "bb", "cc"]), max_size=6), max_size=5))
def test_each_key_once(documents: list[list[str]]) -> None:
    keys, seen = Keys(), []
    for lines in documents:
        seen += keys.of(cut("\n".join(lines), "d"))
    assert len(set(seen)) == len(seen) == sum(map(len, documents))


def test_keys_of_many_equal_texts_take_linear_time() -> None:
    def seconds(number: int) -> float:
        keys, found = Keys(), cut("aa\n" * number, "d")
        for chunk in found:
            chunk.key  # worked out before
        start = perf_counter()
        for _ in range(4):
            keys.of(found)
        return perf_counter() - start

    assert min(seconds(8000) / seconds(1000) for _ in range(3)) < 24
