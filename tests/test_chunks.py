"""`Chunk` and `Chunks`: what they hold, how they compare, and what they can be made into."""

from __future__ import annotations

import hashlib
import json
import pickle
from typing import Any

import pytest

from cantle import Chunk, Chunks, Cut, MDocument, OffsetMap, Source

TEXT = "one two\nthree\r\nfour\rfive \ud800 one"


def spans_of(text: str, *spans: tuple[int, int], **more: Any) -> Chunks:
    source = Source(text, metadata={"lang": "en", "tags": ["a"]}, source="doc")
    return Chunks.from_spans(source, [s for s, _ in spans], [e for _, e in spans], **more)


@pytest.fixture
def chunks() -> Chunks:
    return spans_of(TEXT, (0, 7), (4, 13), (15, 19), (20, 26), (27, 30))


def test_a_sequence(chunks: Chunks) -> None:
    assert len(chunks) == 5
    assert chunks[0].content == "one two"
    assert chunks[-1].content == "one"
    assert [c.content for c in chunks[1:3]] == ["two\nthree", "four"]
    assert [c.index for c in chunks[::-2]] == [4, 2, 0]
    assert [c.content for c in chunks] == chunks.texts
    assert chunks[1] in chunks
    assert chunks.index(chunks[3]) == 3
    assert chunks[2] is chunks[2]
    for index in (5, -6):
        with pytest.raises(IndexError, match=f"there are 5 chunks, no chunk {index}"):
            chunks[index]


def test_offsets_and_overlap(chunks: Chunks) -> None:
    assert chunks.spans == [(0, 7), (4, 13), (15, 19), (20, 26), (27, 30)]
    assert [c.overlap for c in chunks] == [0, 3, 0, 0, 0]
    assert all(c.exact and c.source == "doc" and TEXT[c.start : c.end] == c.content == c.text for c in chunks)


def test_overlap_is_what_two_neighbours_share() -> None:
    assert [c.overlap for c in spans_of("abcdefgh", (0, 6), (2, 4), (3, 8))] == [0, 2, 1]


def test_equality() -> None:
    one, two = spans_of(TEXT, (0, 3), (4, 7)), spans_of(TEXT, (0, 3), (4, 7))
    assert one == two
    assert one == list(two)
    assert one != spans_of(TEXT, (0, 3))
    assert one != spans_of(TEXT + " ", (0, 3), (4, 7))
    assert one[0] != one[1]
    assert one != 5
    assert one[0] != "one"
    two[0].metadata["x"] = 1
    assert one != two
    for value in (one, one[0]):
        with pytest.raises(TypeError, match="unhashable"):
            hash(value)


def test_hashes() -> None:
    chunk = Chunk("caf\u00e9 \ud800", 0, 6, prefix="# T\n")
    plain = hashlib.sha256("caf\u00e9 \ud800".encode("utf-8", "surrogatepass")).hexdigest()
    full = hashlib.sha256("# T\ncaf\u00e9 \ud800".encode("utf-8", "surrogatepass")).hexdigest()
    assert chunk.hash == plain[:16]
    assert chunk.embed_hash == full
    assert chunk.text == "# T\ncaf\u00e9 \ud800"


def test_id_and_key(chunks: Chunks) -> None:
    assert chunks[1].id == f"doc#1-{chunks[1].hash[:8]}"
    assert chunks[1].key == f"doc:{chunks[1].embed_hash}:0"


def test_keys_number_equal_texts_and_survive_insertions() -> None:
    text = "same same other same"
    some = spans_of(text, (0, 4), (5, 9), (16, 20))
    assert [c.key.rpartition(":")[2] for c in some] == ["0", "1", "2"]
    more = spans_of(text, (0, 4), (5, 9), (10, 15), (16, 20))
    assert {c.key for c in some} < {c.key for c in more}
    assert len({c.key for c in more}) == 4
    alone = pickle.loads(pickle.dumps(more[3]))
    assert alone.key == more[3].key


def test_lines_and_columns(chunks: Chunks) -> None:
    assert [chunks.lines(c) for c in chunks] == [
        (1, 1, 1, 7),
        (1, 5, 2, 5),
        (3, 1, 3, 4),
        (4, 1, 4, 6),
        (4, 8, 4, 10),
    ]
    assert chunks.lines(Chunk("", 8, 8)) == (2, 1, 2, 1)


def test_metadata_is_fresh_for_every_chunk(chunks: Chunks) -> None:
    chunks[0].metadata["tags"].append("b")
    chunks[0].metadata["new"] = 1
    assert chunks[1].metadata == {"lang": "en", "tags": ["a"]}
    assert chunks.source.metadata == {"lang": "en", "tags": ["a"]}
    assert chunks.metadata[0] == {"lang": "en", "tags": ["a", "b"], "new": 1}


def test_metadata_of_the_strategy_wins_and_is_copied() -> None:
    extra = {"lang": "pt", "heading": ["H"]}
    source = Source("ab", metadata={"lang": "en"})
    chunks = Chunks(source, [Chunk("a", 0, 1, metadata=extra), Chunk("b", 1, 2, metadata=extra)])
    chunks[0].metadata["heading"].append("I")
    assert chunks[1].metadata == {"lang": "pt", "heading": ["H"]}


def test_metadata_written_before_belongs_to_the_chunk_still() -> None:
    chunk = Chunk("a", 0, 1)
    chunk.metadata["mine"] = 1
    chunks = Chunks(Source("a", metadata={"lang": "en"}), [chunk])
    assert chunks[0].metadata == {"lang": "en", "mine": 1}
    moved = chunks.moved(Source("xa", metadata={"lang": "en"}), OffsetMap.from_edits(2, [(0, 1, 0)]))
    assert moved[0].metadata == {"lang": "en", "mine": 1}
    chunks.add_start_index()
    assert chunks[0].metadata == {"lang": "en", "mine": 1, "start_index": 0}


def test_start_index(chunks: Chunks) -> None:
    assert "start_index" not in chunks[0].metadata
    chunks.add_start_index()
    assert [m["start_index"] for m in chunks.metadata] == [0, 4, 15, 20, 27]


def test_dropped_is_what_lies_between() -> None:
    source = Source("aa -- bb  cc", source="d")
    chunks = Chunks(source, [Chunk("aa", 0, 2), Chunk("bb", 6, 8), Chunk("cc", 10, 12)])
    assert chunks.dropped == [(2, 6, "separator")]
    assert spans_of("aa -- bb", (0, 2), (6, 8), gap_reason="markup").dropped == [(2, 6, "markup")]
    assert Chunks(source, [], dropped=[(0, 2, "comment")]).dropped == [(0, 2, "comment")]
    assert Chunks(Source("---\nx"), [Chunk("x", 4, 5)]).dropped == [(0, 4, "separator")]
    assert Chunks(Source("---\nx", body=4), [Chunk("x", 4, 5)]).dropped == [(0, 4, "front-matter")]
    spans = Chunks(Source("abc"), [Chunk("ac", 0, 3, spans=((0, 1), (2, 3)))])
    assert spans.dropped == [(1, 2, "separator")]


@pytest.mark.parametrize("eager", [False, True])
def test_pickling(chunks: Chunks, eager: bool) -> None:
    if eager:
        list(chunks)[1].metadata["x"] = 1
    twin = pickle.loads(pickle.dumps(chunks))
    assert twin == chunks
    assert [c.key for c in twin] == [c.key for c in chunks]
    assert twin.dropped == chunks.dropped
    assert twin.spans == chunks.spans


def test_a_chunk_pickles_alone(chunks: Chunks) -> None:
    twin = pickle.loads(pickle.dumps(chunks[1]))
    assert twin == chunks[1]
    assert (twin.id, twin.key) == (chunks[1].id, chunks[1].key)
    assert twin.metadata == {"lang": "en", "tags": ["a"]}


def test_to_dicts(chunks: Chunks) -> None:
    row = chunks.to_dicts()[1]
    assert row == {
        "id": chunks[1].id,
        "key": chunks[1].key,
        "index": 1,
        "source": "doc",
        "text": "two\nthree",
        "content": "two\nthree",
        "prefix": "",
        "start": 4,
        "end": 13,
        "spans": None,
        "overlap": 3,
        "path": [],
        "hash": chunks[1].hash,
        "embed_hash": chunks[1].embed_hash,
        "oversize": False,
        "cut": None,
        "metadata": {"lang": "en", "tags": ["a"]},
        "lines": [1, 5, 2, 5],
    }


def test_to_dicts_of_a_chunk_that_has_everything() -> None:
    chunk = Chunk(
        "ac", 0, 3, spans=((0, 1), (2, 3)), prefix="p", path=("A",), oversize=True, cut=Cut("separator", 2, "\n")
    )
    row = Chunks(Source("abc"), [chunk]).to_dicts()[0]
    assert row["spans"] == [[0, 1], [2, 3]]
    assert (row["prefix"], row["text"], row["path"], row["oversize"]) == ("p", "pac", ["A"], True)
    assert row["cut"] == {"kind": "separator", "level": 2, "detail": "\n"}


def test_to_jsonl(chunks: Chunks) -> None:
    chunks[0].metadata["when"] = {1}
    lines = chunks.to_jsonl().splitlines()
    assert chunks.to_jsonl().encode("utf-8").endswith(b"\n")  # lone surrogates are written as escapes
    assert len(lines) == 5
    assert json.loads(lines[3])["text"] == "five \ud800"
    assert json.loads(lines[0])["metadata"]["when"] == ["1"]
    assert Chunks(Source("")).to_jsonl() == ""
    assert "caf\u00e9" in spans_of("caf\u00e9", (0, 4)).to_jsonl()


def test_to_arrow(chunks: Chunks) -> None:
    pytest.importorskip("pyarrow")
    table = chunks.to_arrow()
    assert table.num_rows == 5
    rows = table.to_pylist()
    assert rows[1]["text"] == "two\nthree"
    assert (rows[1]["start"], rows[1]["end"], rows[1]["overlap"]) == (4, 13, 3)
    assert rows[1]["lines"] == [1, 5, 2, 5]
    assert json.loads(rows[1]["metadata"]) == {"lang": "en", "tags": ["a"]}
    assert rows[3]["text"] == "five ?"  # Arrow's strings hold no lone surrogate
    assert Chunks(Source("")).to_arrow().schema == table.schema


def test_to_pandas(chunks: Chunks) -> None:
    pytest.importorskip("pandas")
    frame = chunks.to_pandas()
    assert list(frame["text"]) == ["one two", "two\nthree", "four", "five ?", "one"]  # no lone surrogates there
    assert frame["metadata"][0] == {"lang": "en", "tags": ["a"]}
    assert list(frame["start"]) == [0, 4, 15, 20, 27]


def test_repr(chunks: Chunks) -> None:
    assert repr(chunks) == "<5 chunks of 'doc', 30 characters>"
    assert repr(Chunks(Source(""))) == "<0 chunks, 0 characters>"
    assert repr(chunks[0]) == "Chunk(0:7 'one two')"
    assert repr(Chunk("x" * 99, 0, 99)) == f"Chunk(0:99 '{'x' * 57}...')"
    assert chunks._repr_html_().startswith('<div class="cantle-view"')


def moved(chunks: Chunks, old: str, *edits: tuple[int, int, int], body: int = 0) -> Chunks:
    return chunks.moved(Source(old, source="old", body=body), OffsetMap.from_edits(len(old), edits))


def test_moved_behind_front_matter() -> None:
    chunks = moved(spans_of("one two", (0, 3), (4, 7)), "FRONTone two", (0, 5, 0), body=5)
    assert [(c.start, c.end, c.content, c.exact) for c in chunks] == [(5, 8, "one", True), (9, 12, "two", True)]
    assert chunks.dropped == [(0, 5, "front-matter")]
    assert chunks[0].source == "old"


def test_moved_over_what_was_put_in_front() -> None:
    chunks = moved(spans_of("NEW one two", (0, 7), (8, 11)), "one two", (0, 0, 4))
    assert [(c.start, c.end, c.spans) for c in chunks] == [(0, 3, ((0, 3),)), (4, 7, None)]
    assert chunks.dropped == []


def test_moved_over_what_was_left_out() -> None:
    chunks = moved(spans_of("one three", (0, 3), (4, 9)), "one two three END", (4, 8, 0), (13, 17, 0))
    assert [(c.start, c.end, c.exact) for c in chunks] == [(0, 3, True), (8, 13, True)]
    assert chunks.dropped == [(4, 8, "rewritten"), (13, 17, "rewritten")]
    across = moved(spans_of("one three", (0, 9)), "one two three", (4, 8, 0))
    assert [(c.start, c.end, c.spans) for c in across] == [(0, 13, ((0, 4), (8, 13)))]


def test_moved_where_a_chunk_begins_with_a_repeated_stretch() -> None:
    source = Source("head row1 row2")
    pieces = [Chunk("head row1", 0, 9), Chunk("head row2", 10, 14, spans=((0, 4), (10, 14)))]
    chunks = moved(Chunks(source, pieces), "X head row1 row2", (0, 2, 0))
    assert [(c.start, c.end, c.spans) for c in chunks] == [(2, 11, None), (12, 16, ((2, 6), (12, 16)))]


def test_moved_through_an_insertion_of_nothing_stays_exact() -> None:
    chunks = moved(spans_of("onetwo", (0, 6)), "onetwo", (3, 3, 0))
    assert chunks[0].exact


def test_documents_give_chunks_of_themselves() -> None:
    class Whole:
        name = "whole"

        def split(self, source: Source) -> list[Chunk]:
            return [Chunk(source.text, 0, len(source.text))]

    document = MDocument.from_text("one", source="me")
    chunks = document.chunk(Whole())
    assert chunks.source is document
    assert chunks[0].source == "me"
    assert len(chunks.config_hash) == 16


def test_metadata_that_json_does_not_know() -> None:
    document = MDocument.from_text("one")
    document.metadata.update({1: "number", None: "none", "nan": float("nan"), "set": {2, 1}, "object": b"bytes"})  # type: ignore[attr-defined]
    row = json.loads(document.chunk("token").to_jsonl(), parse_constant=pytest.fail)
    expected = {"1": "number", "None": "none", "nan": "nan", "set": ["1", "2"], "object": "b'bytes'"}
    assert row["metadata"] == expected
    assert json.loads(document.chunk("token").to_arrow()["metadata"][0].as_py()) == expected


def test_integers_of_thousands_of_digits_are_hexadecimal() -> None:
    rows = MDocument.from_text("one", metadata={"large": -(16**5000), "small": 3}).chunk("token").to_jsonl()
    assert json.loads(rows)["metadata"] == {"large": "-0x1" + "0" * 5000, "small": 3}


def test_metadata_that_holds_itself_ends() -> None:
    document = MDocument.from_text("one")
    document.metadata["self"] = document.metadata  # type: ignore[index]
    document.metadata["twice"] = twice = []  # type: ignore[index]
    twice += [twice, twice]  # squared at each level if it were followed
    assert json.loads(document.chunk("token").to_jsonl())["text"] == "one"


def test_embeddings_may_be_arrays() -> None:
    import numpy

    one, two = (MDocument.from_text("one").chunk("token") for _ in range(2))
    one[0].embedding, two[0].embedding = numpy.ones(3), numpy.ones(3)
    assert one == two
    two[0].embedding = numpy.zeros(3)
    assert one != two


def test_paths_of_columns_are_asked_for_when_they_are_needed() -> None:
    asked: list[int] = []

    def paths(start: int) -> tuple[str, ...]:
        asked.append(start)
        return (f"at {start}",)

    chunks = Chunks.from_spans(Source("one two three"), [0, 4, 8], [3, 7, 13], paths=paths)
    assert chunks.texts == ["one", "two", "three"]
    assert asked == []
    assert chunks[1].path == ("at 4",)
    assert asked == [4]
    again = pickle.loads(pickle.dumps(chunks))
    assert [chunk.path for chunk in again] == [("at 0",), ("at 4",), ("at 8",)]
    assert again == chunks


def test_paths_move_with_the_text() -> None:
    body = Source("one two")
    document = Source("---\nx: 1\n---\none two", body=13)
    chunks = Chunks.from_spans(body, [0, 4], [3, 7], paths=lambda start: (f"at {start}",))
    moved = chunks.moved(document, OffsetMap.from_edits(len(document.text), [(0, 13, 0)]))
    assert [(chunk.content, chunk.path) for chunk in moved] == [("one", ("at 0",)), ("two", ("at 4",))]


class Uncopyable:
    def __deepcopy__(self, memo: object) -> object:
        raise RuntimeError("no copies")

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    __hash__ = None  # type: ignore[assignment]


def test_own_metadata_is_what_the_document_does_not_have() -> None:
    thing = Uncopyable()
    chunks = Chunks(
        Source("one two", metadata={"lang": "en", "tags": [1]}),
        [Chunk("one", 0, 3, metadata={"lang": "en", "thing": thing, "tags": thing}), Chunk("two", 4, 7)],
    )
    assert chunks[0].own_metadata == {"thing": thing, "tags": thing}
    assert chunks[0].own_metadata["thing"] is thing
    assert chunks[1].own_metadata == {}
    chunks[1].metadata["lang"] = "pt"
    assert chunks[1].own_metadata == {"lang": "pt"}
    assert Chunk("x", 0, 1, metadata={"a": 1}).own_metadata == {"a": 1}
