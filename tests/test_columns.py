"""Chunks made of columns, with overlap, prefixes and repeated stretches; moved and pickled."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import pytest

from cantle import Chunks, MDocument, Source
from cantle.chunk import Cut
from cantle.moves import Moved, moved, rewritten, shift
from cantle.source import OffsetMap

TEXT = "head\nrow 1\nrow 2\nmore words here"
FRONT = "---\na: b\n---\n"
CUTS = [Cut("row", 0), Cut("separator", 1, " "), Cut("end", 0)]


def columns(source: Source, **options: Any) -> Chunks:
    """Three chunks: a slice, one with the first line repeated, one with an overlap."""
    return Chunks.from_spans(
        source,
        [0, 11, 17],
        [10, 21, 32],
        own=[0, 11, 22],
        cuts=CUTS,
        paths=lambda at: (f"at {at}",),
        prefixes=lambda i: f"# {i}\n\n",
        metadata=lambda i: {"number": i},
        joined={1: ((0, 4), (11, 21))},
        **options,
    )


def facts(chunks: Chunks) -> list[tuple[Any, ...]]:
    return [
        (c.index, c.start, c.end, c.overlap, c.spans, c.prefix, c.content, c.text, c.path, c.metadata, c.cut)
        for c in chunks
    ]


def wanted(o: int = 0) -> list[tuple[Any, ...]]:
    """What the chunks are, in a text in which they begin `o` characters later."""
    spans = ((o, o + 4), (o + 11, o + 21))
    second, third = "head\nrow 2\nmore", "more words here"
    return [
        (0, o, o + 10, 0, None, "# 0\n\n", TEXT[:10], f"# 0\n\n{TEXT[:10]}", ("at 0",), {"number": 0}, CUTS[0]),
        (1, o + 11, o + 21, 0, spans, "# 1\n\n", second, f"# 1\n\n{second}", ("at 11",), {"number": 1}, CUTS[1]),
        (2, o + 17, o + 32, 4, None, "# 2\n\n", third, f"# 2\n\n{third}", ("at 22",), {"number": 2}, CUTS[2]),
    ]


def test_chunks_of_columns() -> None:
    chunks = columns(Source(TEXT))
    assert chunks.spans == [(0, 10), (11, 21), (17, 32)]
    assert chunks.texts == ["# 0\n\nhead\nrow 1", "# 1\n\nhead\nrow 2\nmore", "# 2\n\nmore words here"]
    assert facts(chunks) == wanted()
    # The same when all of them have been made.
    assert chunks.texts == [chunk.text for chunk in chunks]
    assert [chunk.exact for chunk in chunks] == [True, False, True]
    assert chunks.dropped == []


def test_what_is_not_given_is_empty() -> None:
    chunks = Chunks.from_spans(Source(TEXT), [0, 5], [4, 10])
    assert chunks.texts == ["head", "row 1"]
    assert [(c.prefix, c.path, c.metadata, c.cut, c.overlap, c.spans) for c in chunks] == [
        ("", (), {}, None, 0, None)
    ] * 2
    assert chunks.dropped == [(10, 32, "separator")]
    joined = Chunks.from_spans(Source(TEXT), [0, 5], [4, 10], joined={1: ((0, 4), (5, 10))})
    assert joined.texts == ["head", "head\nrow 1"]
    assert [c.path for c in Chunks.from_spans(Source(TEXT), [0, 5], [4, 10], paths=lambda at: (str(at),))] == [
        ("0",),
        ("5",),
    ]


def test_rows() -> None:
    rows = columns(Source(TEXT, source="a.md")).to_dicts()
    assert [row["text"] for row in rows] == [entry[7] for entry in wanted()]
    assert [row["spans"] for row in rows] == [None, [[0, 4], [11, 21]], None]
    assert [row["lines"] for row in rows] == [[1, 1, 2, 5], [3, 1, 4, 4], [4, 1, 4, 15]]
    assert [row["prefix"] for row in rows] == ["# 0\n\n", "# 1\n\n", "# 2\n\n"]
    assert [row["overlap"] for row in rows] == [0, 0, 4]


@pytest.mark.parametrize("touched", [None, 0, 1, 2])
def test_they_pickle_also_where_some_have_been_made(touched: int | None) -> None:
    chunks = columns(Source(TEXT))
    if touched is not None:
        chunks[touched].metadata["more"] = 1
    again = pickle.loads(pickle.dumps(chunks))
    assert again == chunks
    assert facts(again) == facts(chunks)
    assert again.texts == chunks.texts
    assert pickle.loads(pickle.dumps(again)) == chunks


def test_they_move_behind_front_matter_as_columns() -> None:
    document = Source(FRONT + TEXT, body=len(FRONT))
    offsets = OffsetMap.from_edits(len(document.text), [(0, len(FRONT), 0)])
    assert shift(document, offsets) == len(FRONT)
    new = columns(Source(TEXT)).moved(document, offsets)
    assert new.spans == [(a + 13, b + 13) for a, b in ((0, 10), (11, 21), (17, 32))]
    assert not isinstance(new._columns, Moved)
    assert facts(new) == wanted(13)
    assert new.dropped == [(0, 13, "front-matter")]
    assert facts(pickle.loads(pickle.dumps(new))) == wanted(13)


def test_places_are_asked_for_in_the_text_that_the_columns_were_made_for() -> None:
    document = Source(FRONT + TEXT, body=len(FRONT))
    offsets = OffsetMap.from_edits(len(document.text), [(0, len(FRONT), 0)])
    chunks = Chunks.from_spans(Source(TEXT), [0, 5], [4, 10], paths=lambda at: (f"at {at}",)).moved(document, offsets)
    assert [(c.start, c.path) for c in chunks] == [(13, ("at 0",)), (18, ("at 5",))]


def test_they_move_to_a_text_that_was_rewritten_one_by_one() -> None:
    document = Source("head\nrow 1\nrow <!-- c -->2\nmore words here")
    offsets = OffsetMap.from_edits(len(document.text), [(15, 25, 0)])
    old = columns(Source(TEXT))
    new = old.moved(document, offsets, [(15, 25, "comment")])
    assert isinstance(new._columns, Moved)
    assert new.texts == old.texts
    assert new[0] == old[0]
    assert (new[1].start, new[1].end, new[1].spans) == (11, 31, ((0, 4), (11, 15), (25, 31)))
    assert (new[2].start, new[2].end, new[2].spans, new[2].overlap) == (27, 42, None, 4)
    assert [(c.prefix, c.path, c.metadata, c.cut) for c in new] == [(c.prefix, c.path, c.metadata, c.cut) for c in old]
    assert [chunk.index for chunk in new] == [0, 1, 2]
    assert new.dropped == [(15, 25, "comment")]
    assert new.spans == [(0, 10), (11, 31), (27, 42)]
    again = pickle.loads(pickle.dumps(new))
    assert facts(again) == facts(new)
    assert again._columns is None  # its own text did not go along
    assert columns(Source(TEXT)).moved(document, offsets).dropped == [(15, 25, "rewritten")]


def test_moved_twice_through_a_rewriting_and_front_matter() -> None:
    text = "# Plan\n\nThe pier <!-- see 4 --> is closed."
    plain = MDocument(text, "markdown").chunk("structural-context")
    front = MDocument(FRONT + text, "markdown", body=len(FRONT)).chunk("structural-context")
    n = len(FRONT)
    assert [(c.start, c.end, c.content) for c in front] == [(c.start + n, c.end + n, c.content) for c in plain]
    assert [c.spans for c in front] == [tuple((a + n, b + n) for a, b in c.spans or ()) for c in plain]
    assert front.dropped == [(0, n, "front-matter"), *((a + n, b + n, reason) for a, b, reason in plain.dropped)]


def test_a_chunk_between_copies_has_a_place() -> None:
    document = Source("ab  cd")
    offsets = OffsetMap(((0, 0, 2), (4, 4, 2)), 6, 6)
    (chunk,) = Chunks(Source("abXYcd"), [columns_chunk(2, 4)])
    there = moved(chunk, document, offsets)
    assert (there.content, there.start, there.end, there.spans) == ("XY", 2, 2, ())
    assert list(rewritten(Source("ab--cd"), offsets)) == [(2, 4, "rewritten")]
    assert list(rewritten(document, offsets)) == []


def columns_chunk(start: int, end: int) -> Any:
    return Chunks.from_spans(Source("abXYcd"), [start], [end])[0]


def test_shift_is_only_of_what_was_copied_whole() -> None:
    document = Source(FRONT + TEXT, body=len(FRONT))
    whole = OffsetMap.from_edits(len(document.text), [(0, len(FRONT), 0)])
    assert shift(document, whole) == 13
    assert shift(replace(document, body=0), whole) is None
    assert shift(document, OffsetMap.from_edits(len(document.text), [(0, 13, 0), (20, 21, 1)])) is None
    assert shift(Source("abc"), OffsetMap.identity(3)) == 0
    assert shift(Source(FRONT, body=13), OffsetMap((), 13, 0)) == 13
    assert shift(Source(FRONT, body=0), OffsetMap((), 13, 0)) is None
