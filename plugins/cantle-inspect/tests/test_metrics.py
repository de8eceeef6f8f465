"""Metrics of spans, on cases small enough to count by hand, and properties."""

from __future__ import annotations

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunk, MDocument
from cantle_inspect import Interval, bootstrap
from cantle_inspect.golden.metrics import (
    Layout,
    Piece,
    Span,
    TokenPositions,
    merged,
    overlap_scores,
    piece_of,
    precision_omega,
    within_budget,
)

GOLD = {"a": ((10, 20), (40, 50)), "b": ((0, 5),)}


def pieces(*spans: tuple[str, int, int]) -> list[Piece]:
    return [Piece(source, ((start, end),)) for source, start, end in spans]


def test_recall_precision_and_iou() -> None:
    recall, precision, iou = overlap_scores(GOLD, pieces(("a", 0, 15), ("a", 45, 60), ("b", 0, 5)))
    assert recall == 15 / 25
    assert precision == 15 / 35
    assert iou == 15 / (35 + 25 - 15)


def test_what_chunks_repeat_is_found_once_and_costs_each_time() -> None:
    recall, precision, iou = overlap_scores(GOLD, pieces(("a", 10, 20), ("a", 10, 20), ("c", 0, 5)))
    assert (recall, precision, iou) == (10 / 25, 10 / 25, 10 / (25 + 25 - 10))


def test_nothing_retrieved() -> None:
    assert overlap_scores(GOLD, []) == (0, 0, 0)


def test_omega_is_the_iou_of_the_chunks_that_touch() -> None:
    layout = Layout(pieces(("a", 0, 15), ("a", 10, 22), ("a", 22, 40), ("a", 40, 55), ("b", 5, 9), ("b", 0, 5)))
    # of a: 0..22 and 40..55, of b: 0..5; 22..40 only borders on a stretch, and 5..9 too
    assert precision_omega(GOLD, layout) == 25 / (22 + 15 + 5)


def test_omega_without_chunks() -> None:
    assert precision_omega(GOLD, Layout([])) == 0


def test_a_chunk_of_several_stretches() -> None:
    layout = Layout([Piece("a", ((0, 4), (12, 16))), Piece("a", ((0, 4), (16, 20)))])
    gold = {"a": ((12, 16),)}
    assert layout.touching("a", gold["a"]) == [Piece("a", ((0, 4), (12, 16)))]
    assert precision_omega(gold, layout) == 4 / 8
    assert overlap_scores(gold, [Piece("a", ((0, 4), (12, 16)))]) == (1, 4 / 8, 4 / 8)


def test_stretches_lose_white_space_at_their_ends() -> None:
    text = "  one two \n three "
    assert piece_of(Chunk(text, 0, len(text)), text).spans == ((2, 17),)
    table = Chunk("x", 0, len(text), spans=((0, 6), (5, 6), (9, 18)))
    assert piece_of(table, text).spans == ((2, 5), (12, 17))


spans = st.tuples(st.integers(0, 40), st.integers(1, 10)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(st.lists(spans, min_size=1, max_size=5), st.lists(spans, max_size=6), st.lists(st.booleans(), max_size=6))
def test_the_definitions_over_sets_of_characters(gold: list[Span], found: list[Span], ours: list[bool]) -> None:
    wanted = {i for start, end in gold for i in range(start, end)}
    sources = ["a" if i >= len(ours) or ours[i] else "other" for i in range(len(found))]
    got = {i for (start, end), s in zip(found, sources, strict=True) if s == "a" for i in range(start, end)}
    repeated = sum(end - start for start, end in found)
    common = len(wanted & got)
    given_pieces = [Piece(s, (span,)) for s, span in zip(sources, found, strict=True)]
    recall, precision, iou = overlap_scores({"a": merged(gold)}, given_pieces)
    assert recall == pytest.approx(common / len(wanted))
    assert precision == pytest.approx(common / repeated if repeated else 0)
    assert iou == pytest.approx(common / (repeated + len(wanted) - common))
    touching = {
        i
        for (start, end), s in zip(found, sources, strict=True)
        if s == "a" and wanted & set(range(start, end))
        for i in range(start, end)
    }
    omega = len(wanted & touching) / len(wanted | touching)
    assert precision_omega({"a": merged(gold)}, Layout(given_pieces)) == pytest.approx(omega)


TEXT = "one two three four five six seven eight nine ten"  # a token a word, with the blank before it


def test_token_positions() -> None:
    positions = TokenPositions(TEXT)
    assert positions.count(0, len(TEXT)) == 10
    assert positions.count(0, 4) == 2  # the token " two" begins at 3
    assert positions.count(1, 3) == 0
    assert positions.after(0, 3) == TEXT.index(" four")
    assert positions.after(8, 100) == len(TEXT)
    assert TokenPositions("").count(0, 0) == 0


def test_tokens_that_share_a_character() -> None:
    positions = TokenPositions("\U0001f468\U0001f1e6")
    assert positions.count(0, 1) + positions.count(1, 2) == positions.count(0, 2) > 2


def test_a_budget_cuts_the_last_chunk() -> None:
    positions = TokenPositions(TEXT)
    first, second = Piece("a", ((0, 13),)), Piece("a", ((14, 27),))
    ranked = [(first, 0, positions), (second, 0, positions)]
    assert within_budget(10, ranked) == within_budget(5, ranked) == [first, second]
    assert within_budget(4, ranked) == [first, Piece("a", ((14, TEXT.index(" six")),))]
    assert within_budget(3, ranked) == [first]
    assert within_budget(2, ranked) == [Piece("a", ((0, 7),))]


def test_headers_are_charged_first() -> None:
    positions = TokenPositions(TEXT)
    piece = Piece("a", ((0, 13),))
    assert within_budget(5, [(piece, 3, positions)]) == [Piece("a", ((0, 7),))]
    assert within_budget(3, [(piece, 3, positions), (piece, 0, positions)]) == []


def test_a_budget_goes_through_the_stretches_of_a_chunk() -> None:
    positions = TokenPositions(TEXT)
    piece = Piece("a", ((0, 3), (8, 23)))  # one | three four five
    assert within_budget(3, [(piece, 0, positions)]) == [piece]
    assert within_budget(2, [(piece, 0, positions)]) == [Piece("a", ((0, 3), (8, 18)))]
    assert within_budget(1, [(piece, 0, positions)]) == [Piece("a", ((0, 3),))]


def test_the_header_of_a_chunk() -> None:
    positions = TokenPositions(TEXT)
    plain = Chunk(TEXT[0:13], 0, 13)
    assert positions.header(plain, piece_of(plain, TEXT)) == 0
    headed = Chunk(TEXT[0:13], 0, 13, prefix="Numbers\n\n")
    assert positions.header(headed, piece_of(headed, TEXT)) == 2
    blank = Chunk(TEXT[0:13], 0, 13, prefix="\n")
    assert positions.header(blank, piece_of(blank, TEXT)) == 0
    made = Chunk("one three!", 0, 13, spans=((0, 3), (8, 13)))
    assert (
        positions.header(made, piece_of(made, TEXT)) == 2
    )  # " three" and "!": the former begins at the blank before it


def test_the_bootstrap_is_the_percentile_bootstrap() -> None:
    values = [0.0, 1.0, 1.0, 0.5, 0.25, 1.0, 0.0]
    draws = numpy.random.default_rng(7).integers(0, 7, (1000, 7))
    means = numpy.array(values)[draws].mean(1)
    assert bootstrap(values) == (numpy.mean(values), *numpy.percentile(means, [2.5, 97.5]))


def test_the_bootstrap_draws_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    values = [i % 7 / 7 for i in range(333)]
    whole = bootstrap(values)
    monkeypatch.setattr("cantle_inspect.golden.metrics._AT_ONCE", 1000)
    assert bootstrap(values) == whole


def test_a_bootstrap_of_equal_values() -> None:
    assert bootstrap([0.5]) == bootstrap([0.5] * 9) == Interval(0.5, 0.5, 0.5)


def test_pieces_of_a_repeated_table_header() -> None:
    rows = "".join(f"| cell {i} | value {i} |\n" for i in range(30))
    text = "| name | value |\n| --- | --- |\n" + rows
    chunks = MDocument.from_markdown(text, source="t.md").chunk("structural-context", max_size=200)
    split = [chunk for chunk in chunks if chunk.spans is not None]
    assert split
    for chunk in split:
        piece = piece_of(chunk, text)
        assert piece.spans[0][0] == 0
        assert all(text[start:end].strip() == text[start:end] for start, end in piece.spans)
