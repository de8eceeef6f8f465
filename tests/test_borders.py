"""Levels of one who knows the format: cuts at given positions and gaps, stretches to keep, rows behind a lead."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.graphemes import is_boundary
from cantle.lengths import resolve
from cantle.packing import Borders, Clusters, Gaps, Level, Literal, Outside, Packer, encloses, held, rows_with_lead


def fenced(text: str) -> list[tuple[int, int]]:
    """Stretches between `<` and `>`."""
    return [match.span() for match in re.finditer("<[^<>]*>", text)]


@given(st.lists(st.sampled_from(["a", "bb", "<c  d>", "<e\n\nf g>", "h" * 12]), max_size=12), st.data())
def test_a_stretch_to_keep_is_whole_while_it_fits(words: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(st.sampled_from([" ", "\n", "\n\n", "  "])) for _ in words]
    text = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
    limit = data.draw(st.integers(1, 30))
    overlap = data.draw(st.integers(0, min(8, limit - 1)))
    keep = fenced(text)
    levels: list[Level] = [Outside(Literal(s), keep) for s in ("\n\n", "\n", " ")]
    levels += [Literal(s) for s in ("\n\n", "\n", " ")]
    spans = Packer(text, resolve("characters").measure(text), levels, limit=limit, overlap=overlap).pack()
    pieces = list(zip(spans.starts, spans.ends, strict=True))
    assert all(end - start <= limit for start, end in pieces)
    for start, end in keep:
        if end - start <= limit:
            assert any(a <= start and end <= b for a, b in pieces)


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 20), st.integers(0, 5))
def test_with_nothing_to_keep_it_is_the_literal_alone(text: str, limit: int, overlap: int) -> None:
    def cut(*levels: Level) -> list[tuple[int, int]]:
        packer = Packer(text, resolve("characters").measure(text), levels, limit=limit, overlap=min(overlap, limit - 1))
        spans = packer.pack()
        return list(zip(spans.starts, spans.ends, strict=True))

    plain = [Literal("\n\n"), Literal(" ")]
    assert cut(*(Outside(literal, []) for literal in plain)) == cut(*plain)


@given(st.text(alphabet="ab \n\r\u0301", max_size=60), st.sets(st.integers(0, 60), max_size=8))
def test_borders_are_the_only_cuts_where_the_pieces_fit(text: str, positions: set[int]) -> None:
    borders = sorted(at for at in positions if at < len(text) and is_boundary(text, at))
    limit = max([1, *(b - a for a, b in zip([0, *borders], [*borders, len(text)], strict=True))])
    measure = resolve("characters").measure(text)
    spans = Packer(text, measure, [Borders(borders, "block")], limit=limit, strip=False, explain=True).pack()
    assert "".join(text[a:b] for a, b in zip(spans.starts, spans.ends, strict=True)) == text
    assert set(spans.ends) <= {len(text), *borders}
    assert all(cut.kind in ("block", "end") for cut in spans.cuts or ())


def test_borders_inside_of_clusters_are_passed_over() -> None:
    text = "ab\u0301cd"
    spans = Packer(text, resolve("characters").measure(text), [Borders([2, 3], "block")], limit=3).pack()
    assert list(zip(spans.starts, spans.ends, strict=True)) == [(0, 3), (3, 5)]


# --- gaps -----------------------------------------------------------------------------------------


def gaps(text: str, limit: int, keep: list[tuple[int, int]], *, strip: bool = True) -> list[str]:
    """The pieces of a text that is cut at runs of dashes, then anywhere."""
    runs = [match.span() for match in re.finditer("-+", text)]
    levels: list[Level] = [Gaps(runs, "-", keep), Clusters()]
    spans = Packer(text, resolve("characters").measure(text), levels, limit=limit, strip=strip).pack()
    return [text[a:b] for a, b in zip(spans.starts, spans.ends, strict=True)]


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("aa--bb-cc", 9, ["aa--bb-cc"]),
        ("aa--bb-cc", 6, ["aa--bb", "cc"]),
        ("aa--bb-cc", 5, ["aa", "bb-cc"]),
        ("aaaa--bb", 3, ["aaa", "a", "bb"]),
        ("a<b-c>-d", 6, ["a<b-c>", "d"]),
        ("a-<b-c>", 5, ["a", "<b-c>"]),
        ("--a---b", 2, ["a", "b"]),
        ("a-\u0301b-c", 3, ["a-\u0301", "b", "c"]),
    ],
)
def test_gaps_are_left_out_where_is_cut(text: str, limit: int, expected: list[str]) -> None:
    assert gaps(text, limit, fenced(text)) == expected


@given(st.lists(st.sampled_from(["a", "bb", "<c-d>", "<e--f-g>", "h" * 12]), max_size=12), st.data())
def test_gaps_cut_nothing_that_is_to_be_kept_and_lose_nothing_else(words: list[str], data: st.DataObject) -> None:
    text = "".join(word + data.draw(st.sampled_from(["-", "--"])) for word in words)
    limit = data.draw(st.integers(1, 20))
    found = gaps(text, limit, fenced(text), strip=data.draw(st.booleans()))
    assert all(len(piece) <= limit for piece in found)
    at = 0
    for piece in found:
        start = text.index(piece, at)
        assert not text[at:start].strip("-")
        at = start + len(piece)
    assert not text[at:].strip("-")
    for word in words:
        if len(word) <= limit:
            assert sum(piece.count(word) for piece in found) >= words.count(word)


# --- rows behind a lead ---------------------------------------------------------------------------

TABLE = "head\n" + "".join(f"row {i}\n" for i in range(4))
ROWS = list(range(5, len(TABLE), 6))


def rows(text: str, starts: list[int], limit: int, overlap: int = 0) -> list[tuple[str, bool, int]]:
    """What is in each chunk of a table of which the first line is repeated, whether it is, and the overlap."""
    length = resolve("characters")
    levels = [Literal(" "), Clusters()]
    packer = Packer(text, length.measure(text), levels, limit=limit, overlap=overlap, explain=True)
    found = []
    for start, end, led, repeated, cut in rows_with_lead(packer, (0, starts[0]), starts, len(text), length):
        assert cut is not None
        assert len("head\n" * led + text[start:end]) <= limit
        found.append((text[start:end], led, repeated))
    return found


def test_as_many_rows_as_fit_stand_behind_the_lead() -> None:
    assert rows(TABLE, ROWS, 100) == [(TABLE.strip(), False, 0)]
    assert rows(TABLE, ROWS, 16) == [("head\nrow 0\nrow 1", False, 0), ("row 2\nrow 3", True, 0)]
    assert [row for row, _, _ in rows(TABLE, ROWS, 10)] == ["head\nrow 0", "row 1", "row 2", "row 3"]


def test_a_row_that_does_not_fit_behind_the_lead_stands_alone() -> None:
    text = "head\nrow\na longer row\nrow\n"
    starts = [5, 9, 22]
    assert rows(text, starts, 12) == [("head\nrow", False, 0), ("a longer row", False, 0), ("row", True, 0)]
    assert [row for row, _, _ in rows(text, starts, 8)] == ["head\nrow", "a longer", "row", "row"]
    assert rows(text, starts, 9, 4)[1:3] == [("a longer", False, 0), ("row", False, 0)]
    assert rows("head\naa bb cc\n", [5], 6, 3) == [("head", False, 0), ("aa bb", False, 0), ("bb cc", False, 2)]


@given(st.lists(st.text(alphabet="ab ", max_size=9).filter(str.strip), min_size=1, max_size=8), st.integers(5, 30))
def test_every_row_is_in_a_chunk_once(lines: list[str], limit: int) -> None:
    text = "head\n" + "".join(line + "\n" for line in lines)
    starts = [5]
    for line in lines[:-1]:
        starts.append(starts[-1] + len(line) + 1)
    written = "".join(row for row, _, _ in rows(text, starts, limit))
    assert "".join(written.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("keep", "ties", "limit", "expected"),
    [
        ([], [(0, 3), (2, 9)], 5, [(0, 9)]),  # a chain of ties is one stretch, whatever its length
        ([(4, 8)], [(0, 5)], 8, [(0, 8)]),  # a tie takes in the stretch it ends in
        ([(4, 8)], [(0, 5)], 7, [(4, 8)]),  # or there is none
        ([(4, 8)], [(7, 12)], 8, [(4, 12)]),  # a tie that begins in a stretch
        ([(4, 8)], [(7, 12)], 7, [(4, 8)]),
        ([(4, 8), (10, 14)], [(7, 11)], 10, [(4, 14)]),
        ([(4, 8), (10, 14)], [(7, 11)], 9, [(4, 8), (10, 14)]),
        ([(4, 8), (20, 30)], [(0, 5), (10, 12)], 99, [(0, 8), (10, 12), (20, 30)]),
    ],
)
def test_ties(
    keep: list[tuple[int, int]], ties: list[tuple[int, int]], limit: int, expected: list[tuple[int, int]]
) -> None:
    found = held(keep, ties, resolve("characters").measure("x" * 40), limit)
    assert found == expected
    for at in range(40):
        assert encloses(found, at) == any(start < at < end for start, end in found)
