"""Sub-texts, windows, and how blocks of windows that overlap become blocks of the document."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import Source
from cantle_llm.lines import Line, lines_of
from cantle_llm.partitioning.merging import Group, grouped, nearest
from cantle_llm.partitioning.reading import Reading
from cantle_llm.partitioning.sessions import Window, short_lines, sub_texts, windows


def lines(count: int) -> list[Line]:
    return [Line(10 * i, 10 * i + 9) for i in range(count)]


def reading(*sizes: int, labels: str = "") -> Reading:
    """Blocks of so many lines; a negative number of lines is in none."""
    owner: list[int] = []
    for size in sizes:
        owner += [-1] * -size if size < 0 else [max(owner, default=-1) + 1] * size
    return Reading(owner, list(labels or "abcdefgh"[: max(owner) + 1]))


def merged(
    *readings: Reading | None, most: int = 10, overlap: int = 4, total: int = 16
) -> list[tuple[str, str | None]]:
    shown = windows([(0, total)], most, overlap)
    groups, missing = grouped(lines(total), shown, readings, 40)
    picture = ["."] * total
    for number, group in enumerate(groups):
        for line in group.lines:
            picture[line] = "0123456789"[number]
    assert [i for i, mark in enumerate(picture) if mark == "."] == missing
    return [("".join(picture), None), *(("", group.label) for group in groups)]


def picture(*readings: Reading | None, **how: int) -> str:
    return merged(*readings, **how)[0][0]


def test_windows() -> None:
    assert windows([(0, 10)], 10, 3) == [Window(0, 0, 0, 10)]
    assert [w[2:] for w in windows([(0, 11)], 10, 3)] == [(0, 10), (7, 11)]
    assert [w[1:] for w in windows([(0, 5), (5, 21)], 10, 2)] == [(0, 0, 5), (1, 5, 15), (1, 13, 21)]
    assert windows([], 10, 3) == []


# Windows of 10 lines with 4 in common: 0-9 and 6-15.


def test_the_switch_is_where_both_have_a_border() -> None:
    assert picture(reading(7, 3), reading(1, 9)) == "0000000111111111"
    assert picture(reading(9, 1), reading(3, 7)) == "0000000001111111"


def test_of_two_such_places_the_one_nearest_to_the_middle() -> None:
    assert picture(reading(7, 2, 1), reading(1, 2, 7)) == "0000000112222222"


def test_the_nearest_to_the_middle_need_not_be_the_first() -> None:
    # Windows of 12 lines with 8 in common, 0-11 and 4-15: both have a border at 5 and at 9, the middle is 8.
    first, second = reading(5, 2, 2, 3), reading(1, 4, 7)
    assert picture(first, second, most=12, overlap=8) == "0000011223333333"


def test_two_blocks_are_one_where_no_window_has_a_border() -> None:
    assert picture(reading(10), reading(10)) == "0" * 16
    assert picture(reading(5, 5), reading(7, 3)) == "0000011111111222"


def test_a_border_of_one_window_parts_them() -> None:
    assert picture(reading(8, 2), reading(10)) == "0000000011111111"
    assert picture(reading(10), reading(2, 8)) == "0000000011111111"


def test_the_label_is_that_of_the_larger_part() -> None:
    first, second = reading(5, 5, labels="ab"), reading(10, labels="c")
    assert merged(first, second)[1:] == [("", "a"), ("", "c")]
    assert merged(reading(10, labels="a"), reading(4, 6, labels="bc"))[1:] == [("", "a"), ("", "c")]


def test_without_overlap_blocks_end_with_the_window() -> None:
    assert picture(reading(8), reading(8), most=8, overlap=0) == "0000000011111111"


def test_one_line_in_common() -> None:
    assert picture(reading(9), reading(8), most=9, overlap=1) == "0" * 16
    assert picture(reading(8, 1), reading(8), most=9, overlap=1) == "0000000011111111"


def test_what_one_window_leaves_out_the_other_may_cover() -> None:
    assert picture(reading(6, -4), reading(10)) == "0000001111111111"
    assert picture(reading(10), reading(-4, 6)) == "0000000000111111"
    assert picture(reading(6, -4), reading(-4, 6)) == "000000....111111"


@pytest.mark.parametrize("failed", [(0,), (1,), (0, 1)])
def test_a_window_without_an_answer_gets_what_no_other_covers(failed: tuple[int, ...]) -> None:
    both = [None if k in failed else reading(10) for k in (0, 1)]
    expected = {(0,): "0000112222222222", (1,): "0000000000111122", (0, 1): "0000111122223333"}
    assert picture(*both) == expected[failed]


def test_a_topic_that_comes_back() -> None:
    again = Reading([0] * 3 + [1] * 3 + [0] * 4, ["a", "b"])
    groups, missing = grouped(lines(10), windows([(0, 10)], 10, 0), [again], 40)
    assert (groups[0], missing) == (Group([0, 1, 2, 6, 7, 8, 9], "a"), [])


@pytest.mark.parametrize("overlap", [5, 8, 9])
def test_windows_that_overlap_by_more_than_half(overlap: int) -> None:
    shown = windows([(0, 30)], 10, overlap)
    topics = [line // 7 for line in range(30)]
    readings = []
    for window in shown:
        mine = topics[window.first : window.end]
        readings.append(Reading([topic - mine[0] for topic in mine], [str(t) for t in range(mine[0], mine[-1] + 1)]))
    groups, missing = grouped(lines(30), shown, readings, 40)
    assert not missing
    assert [(group.lines[0], group.lines[-1], group.label) for group in groups] == [
        (0, 6, "0"),
        (7, 13, "1"),
        (14, 20, "2"),
        (21, 27, "3"),
        (28, 29, "4"),
    ]


def test_windows_that_fail_next_to_each_other_lose_nothing_that_another_one_shows() -> None:
    # Windows of 10 lines with 7 in common, from 0, 3, 6, 9, 12: the second and third have no answer.
    shown = windows([(0, 20)], 10, 7)
    assert [window.first for window in shown] == [0, 3, 6, 9, 12][: len(shown)]
    answers = [reading(10), None, None, *[reading(10)] * (len(shown) - 4), reading(shown[-1].end - shown[-1].first)]
    groups, missing = grouped(lines(20), shown, answers, 40)
    assert not missing
    assert not [group for group in groups if group.fallback]


@given(st.integers(1, 60), st.integers(1, 16), st.data())
@settings(deadline=None, max_examples=80)
def test_lines_are_mechanical_only_where_no_window_with_an_answer_shows_them(
    total: int, most: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, most - 1))
    border = data.draw(st.integers(1, total))
    shown = windows([(0, border), (border, total)] if border < total else [(0, total)], most, overlap)
    readings: list[Reading | None] = []
    for window in shown:
        owner = data.draw(st.none() | st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=3))
        count = window.end - window.first
        readings.append(None if owner is None else Reading((owner * count)[:count], ["a", "b"]))
    groups, missing = grouped(lines(total), shown, readings, 40)
    mechanical = {line for group in groups if group.fallback for line in group.lines}
    answered, covered = set(), set()
    for window, found in zip(shown, readings, strict=True):
        if found is not None:
            answered |= set(range(window.first, window.end))
            covered |= {window.first + i for i, block in enumerate(found.owner) if block >= 0}
    assert mechanical == set(range(total)) - answered
    assert set(missing) == answered - covered
    assert sorted([*missing, *(line for group in groups for line in group.lines)]) == list(range(total))


def test_nearest_block_and_the_earlier_of_two() -> None:
    groups = [Group([2], "a"), Group([6], "b")]
    nearest(groups, [0, 1, 3, 4, 5, 7], 8)
    assert [group.lines for group in groups] == [[0, 1, 2, 3, 4], [5, 6, 7]]


def test_sub_texts_end_at_paragraphs_then_line_breaks_then_sentences() -> None:
    paragraphs = "One is here. Two is here.\n\nThree is here. Four is here.\n\nFive is here. Six is here."
    found = lines_of(Source(paragraphs))
    for most, ends in ((1000, [6]), (60, [4, 6]), (45, [2, 4, 6])):
        assert [end for _, end in sub_texts(paragraphs, found, most)] == ends
    broken = "One is here. Two is here.\nThree is here. Four is here."
    assert [end for _, end in sub_texts(broken, lines_of(Source(broken)), 42)] == [2, 4]
    plain = "One is here. Two is here. Three is here. Four is here."
    assert [end for _, end in sub_texts(plain, lines_of(Source(plain)), 42)] == [3, 4]


def test_a_sub_text_ends_at_a_paragraph_of_its_second_half_only() -> None:
    early = "One is here.\n\nTwo is here. Three is here. Four is here. Five is here."
    found = lines_of(Source(early))
    # Of 40 characters, the paragraph after 14 is in the first half: a sentence ends it.
    assert [end for _, end in sub_texts(early, found, 40)] == [2, 4, 5]
    assert [end for _, end in sub_texts(early, found, 27)] == [1, 3, 5]


@pytest.mark.parametrize("most", [1, 2, 7, 30, 200])
def test_sub_texts_keep_the_limit(most: int) -> None:
    text = "A sentence of some length, with words. " * 40 + "x" * 300 + "\n\n" + "漢字" * 200
    found = short_lines(text, lines_of(Source(text)), most)
    assert "".join(text[line.start : line.end] for line in found).replace(" ", "") == "".join(text.split())
    parts = sub_texts(text, found, most)
    assert all(found[end - 1].end - found[first].start <= most for first, end in parts)
    assert all(a[1] == b[0] for a, b in pairwise(parts))
    assert parts[-1][1] == len(found)
