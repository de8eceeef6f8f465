"""What a model may answer for a window: everything is read as ranges of its lines, and each repair is told."""

from __future__ import annotations

import contextlib
import json
import time
import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle_llm import AnswerError
from cantle_llm.lines import Line
from cantle_llm.partitioning.cleaning import clean
from cantle_llm.partitioning.merging import grouped, nearest
from cantle_llm.partitioning.reading import read_answer
from cantle_llm.partitioning.sessions import sub_texts, windows

REPAIRS: list[tuple[Any, list[int], list[str]]] = [
    ([[0, 4]], [0, 0, 0, 0, 0, -1, -1, -1, -1, -1], []),
    ([[0, 1], [4, 4]], [0, 0, -1, -1, 0, -1, -1, -1, -1, -1], []),
    ([[4, 0]], [0, 0, 0, 0, 0, -1, -1, -1, -1, -1], ["reversed"]),
    ([[8, 99]], [-1] * 8 + [0, 0], ["out of range"]),
    ([[-3, 1]], [0, 0] + [-1] * 8, ["out of range"]),
    ([[0, 0], [10, 12]], [0] + [-1] * 9, ["out of range"]),
    ([[0, 2], [2, 3]], [0, 0, 0, 0] + [-1] * 6, ["repeated"]),
    ([[0, 1], [0, 1]], [0, 0] + [-1] * 8, ["repeated"]),
    ([0, 3, 5], [0, -1, -1, 0, -1, 0] + [-1] * 4, ["one number"] * 3),
    ([2, 4], [-1, -1, 0, 0, 0] + [-1] * 5, ["one range"]),
    (3, [-1, -1, -1, 0] + [-1] * 6, ["ranges", "one number"]),
    ([[5]], [-1] * 5 + [0] + [-1] * 4, ["one number"]),
    ([[0, 1, 2, 3]], [0, 0, 0, 0] + [-1] * 6, ["lines one by one"]),
    ([[0.0, 2.0]], [0, 0, 0] + [-1] * 7, ["not whole numbers"]),
    ([["1", "2"]], [-1, 0, 0] + [-1] * 7, ["not whole numbers"]),
    (["1-2"], [-1, 0, 0] + [-1] * 7, ["not a list"]),
    ([{"start": 1, "end": 2}], [-1, 0, 0] + [-1] * 7, ["not a list"]),
    ([[0, 1], [0.5, 3], [None, 1], [True, 4], "x", {}], [0, 0] + [-1] * 8, ["not a range"] * 5),
]


def answer(*blocks: Any, reasoning: Any = "so") -> str:
    return json.dumps({"blocks": list(blocks), "reasoning": reasoning})


@pytest.mark.parametrize(("ranges", "owner", "what"), REPAIRS, ids=[json.dumps(case[0]) for case in REPAIRS])
def test_ranges_are_repaired(ranges: Any, owner: list[int], what: list[str]) -> None:
    found = read_answer(answer({"ranges": ranges, "label": "a"}), 3, 10)
    assert found.owner == owner
    assert [repair.what for repair in found.repairs] == what
    assert all(repair.window == 3 and repair.block == 0 and repair.before for repair in found.repairs)
    assert (found.labels, found.reasoning) == (["a"], "so")


def test_a_line_belongs_to_the_first_block_that_names_it() -> None:
    found = read_answer(answer({"ranges": [[0, 5]], "label": "a"}, {"ranges": [[4, 9]], "label": "b"}), 0, 10)
    assert found.owner == [0] * 6 + [1] * 4
    assert [(r.block, r.what, r.before, r.after) for r in found.repairs] == [(1, "overlapping", "[4, 9]", "[[6, 9]]")]


@pytest.mark.parametrize("ranges", [[], None, [[90, 95]], "no", [[]], [[0, 3]]])
def test_empty_blocks_are_left_out(ranges: Any) -> None:
    found = read_answer(answer({"ranges": [[0, 9]], "label": "a"}, {"ranges": ranges, "label": "b"}), 0, 10)
    assert (found.owner, found.labels) == ([0] * 10, ["a"])
    assert [repair.what for repair in found.repairs][-1] == "empty block"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{}",
        "[]",
        "3",
        "null",
        '{"blocks": 3}',
        '{"blocks": []}',
        '{"blocks": [1, "a", null, []]}',
        '{"blocks": [{"ranges": [[50, 60]], "label": "a"}]}',
        '{"blocks": [{"ranges": [[1e999, 2]], "label": "a"}]}',
        "[" * 50_000,
        '{"blocks": ' + "[" * 50_000,
    ],
)
def test_answers_without_a_usable_block_are_errors(text: str) -> None:
    with pytest.raises(AnswerError) as caught:
        read_answer(text, 0, 10)
    assert caught.value.reason in ("empty", "malformed", "invalid", "truncated")


def test_blocks_alone_and_words_around_them() -> None:
    found = read_answer('Here it is:\n```json\n[{"ranges": [[0, 9]], "label": "a"}]\n```', 0, 10)
    assert found.owner == [0] * 10
    assert [repair.what for repair in found.repairs] == ["blocks alone"]


GOOD = answer({"ranges": [[0, 9]], "label": "a"})


@pytest.mark.parametrize(
    "text",
    [
        f"I looked at lines [0, 19] first.\n{GOOD}",
        f'Example: {{"note": 1}}\n{GOOD}',
        f'The form is {{"blocks": []}}, and here it is: {GOOD}',
        f'{{"blocks": [{{"ranges": [[50, 60]], "label": "none of these"}}]}}\n{GOOD}',
        f"```json\n[1]\n```\n```json\n{GOOD}\n```",
        " ".join(f"[{i}, {i + 1}]" for i in range(100)) + GOOD,
        f'{{"result": {GOOD}}}',
        f"[{GOOD}]",
        '{"note": [1, 2], "topics": [{"ranges": [[0, 9]], "label": "a"}]}',
        f"So: {GOOD} And [7].",
    ],
)
def test_the_first_value_with_usable_blocks_counts(text: str) -> None:
    found = read_answer(text, 0, 10)
    assert (found.owner, found.labels) == ([0] * 10, ["a"])


def test_blocks_below_a_wrapper_are_told() -> None:
    found = read_answer(f'{{"result": {GOOD}}}', 0, 10)
    assert [(repair.block, repair.what) for repair in found.repairs] == [(-1, "wrapped")]
    assert found.reasoning == "so"


def test_what_is_deeper_is_not_looked_for() -> None:
    with pytest.raises(AnswerError, match="no list of blocks"):
        read_answer(f'{{"a": {{"b": {GOOD}}}}}', 0, 10)


@pytest.mark.parametrize("fence", ["", "```json\n", "Here it is:\n"])
@pytest.mark.parametrize("alone", [False, True])
def test_of_an_answer_that_is_broken_off_the_whole_blocks_are_taken(alone: bool, fence: str) -> None:
    blocks = [
        {"ranges": [[0, 3]], "label": 'the ["first'},
        {"ranges": [[4, 5]], "label": "b\\"},
        {"ranges": [[6, 9]], "label": "c"},
    ]
    whole = json.dumps(blocks)
    whole = whole if alone else f'{{"blocks": {whole}, "reasoning": "so"}}'
    if alone and fence.startswith("Here"):
        fence = ""
    ends = [whole.index(json.dumps(block)) + len(json.dumps(block)) for block in blocks]
    for end in range(whole.index("{", 1) if not alone else 1, len(whole)):
        text = fence + whole[:end]
        count = sum(end >= at for at in ends)
        if not count:
            with pytest.raises(AnswerError) as caught:
                read_answer(text, 0, 10)
            assert caught.value.reason == "truncated"
            continue
        found = read_answer(text, 0, 10)
        assert len(found.labels) == count
        assert found.labels[0] == 'the ["first'
        what = "blocks alone" if "}]" in whole[:end] else "broken off"  # the list was whole by then
        assert [(repair.block, repair.what) for repair in found.repairs] == [(-1, what)]


def test_json_that_is_wrong_in_the_middle_is_not_broken_off() -> None:
    text = '{"blocks": [{"ranges": [[0, 3]], "label": "a"}, {"ranges": [[4, oops]], "label": "b"}]}'
    with pytest.raises(AnswerError) as caught:
        read_answer(text, 0, 10)
    assert caught.value.reason == "invalid"


@pytest.mark.parametrize(
    "text",
    [
        "[1]" * 60_000,
        '{"blocks": [{}]}' * 10_000,
        '{"a": [{"ranges": 0}]}' * 8_000,
        '{"blocks": [' + '{"ranges": [[0, 1]], "label": "a"}, ' * 5_000,
        '"blocks": [' * 15_000,
        '{"blocks": ["' + '\\"' * 80_000,
    ],
)
def test_long_answers_take_linear_time(text: str) -> None:
    begun = time.process_time()
    with contextlib.suppress(AnswerError):
        read_answer(text, 0, 400)
    assert time.process_time() - begun < 10


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("  A  \n title ", "A title"),
        ("", None),
        (" \u202e\u0000 ", None),
        ("a\x1b[31mred\u202e\u2066b\ud800", "a [31mred b"),
        (3, None),
        (None, None),
        (["x"], None),
        ("x" * 500, "x" * 119 + "…"),
    ],
)
def test_labels_are_one_clean_line(label: Any, expected: str | None) -> None:
    assert read_answer(answer({"ranges": [[0, 9]], "label": label}), 0, 10).labels == [expected]


def test_a_label_is_not_cut_inside_of_a_character() -> None:
    family = "\U0001f468\u200d\U0001f469\u200d\U0001f466"
    assert clean("x" * 117 + family) == "x" * 117 + "…"


bidi = unicodedata.bidirectional
CONTROLS = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
RANGE = st.lists(st.integers(-3, 30), min_size=2, max_size=2) | JSON
BLOCK = (
    st.fixed_dictionaries({"ranges": st.lists(RANGE, max_size=4) | JSON, "label": st.text(max_size=9) | JSON}) | JSON
)
ANSWER = st.fixed_dictionaries({"blocks": st.lists(BLOCK, max_size=6) | JSON, "reasoning": st.text() | JSON}) | JSON


@given(st.lists(ANSWER, min_size=1, max_size=12), st.integers(1, 70), st.data())
@settings(deadline=None, max_examples=150)
def test_whatever_is_answered_each_line_is_in_one_block_or_missing(
    answers: list[Any], total: int, data: st.DataObject
) -> None:
    most = data.draw(st.integers(1, 30))
    overlap = data.draw(st.integers(0, most - 1))
    lines = [Line(3 * i, 3 * i + 2, opens=data.draw(st.booleans()) if i < 20 else not i % 7) for i in range(total)]
    text = "ab\n" * total
    parts = sub_texts(text, lines, data.draw(st.integers(2, 3 * total)))
    assert [first for first, _ in parts] == [0, *(end for _, end in parts[:-1])]
    assert parts[-1][1] == total
    shown = windows(parts, most, overlap)
    readings = []
    for window in shown:
        count = window.end - window.first
        assert 0 < count <= most
        text_of = json.dumps(answers[window.number % len(answers)])
        try:
            found = read_answer(text_of, window.number, count)
        except AnswerError:
            readings.append(None)
            continue
        assert found == read_answer(text_of, window.number, count)
        assert len(found.owner) == count
        assert set(found.owner) - {-1} == set(range(len(found.labels)))
        for label in found.labels:
            assert label is None or (0 < len(label) <= 120 and label == " ".join(label.split()))
            assert not any(unicodedata.category(c) in ("Cc", "Cs") or bidi(c) in CONTROLS for c in label or "")
        readings.append(found)
    groups, missing = grouped(lines, shown, readings, 20)
    held = [line for group in groups for line in group.lines]
    assert sorted([*held, *missing]) == list(range(total))
    assert [group.lines[0] for group in groups] == sorted(group.lines[0] for group in groups)
    assert all(group.lines == sorted(group.lines) for group in groups)
    assert all(group.label is None for group in groups if group.fallback)
    if all(reading is None for reading in readings):
        assert not missing
        assert all(group.fallback for group in groups)
    nearest(groups, missing, total)
    assert sorted(line for group in groups for line in group.lines) == list(range(total))
