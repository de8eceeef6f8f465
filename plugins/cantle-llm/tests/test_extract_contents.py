"""What prompts hold: values as JavaScript writes them, keys in its order, its white space; templates."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import Chunk
from cantle_llm.extracting.contents import content, fill, is_set, js_text, js_trim, mark_of


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-7, "-7"),
        (1.0, "1"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (123456789012345680000.0, "123456789012345680000"),
        (1.5e300, "1.5e+300"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (5e-324, "5e-324"),
        (-2.5e-9, "-2.5e-9"),
        (float("nan"), "NaN"),
        (float("inf"), "Infinity"),
        (float("-inf"), "-Infinity"),
        ([1, None, "a", [True, None, 2.0]], "1,,a,true,,2"),
        ((), ""),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ([{"a": 1}], '{"a": 1}'),
        (datetime.date(2024, 1, 2), "2024-01-02"),
        ("as it is", "as it is"),
    ],
)
def test_values(value: Any, text: str) -> None:
    assert js_text(value) == text


def test_a_list_that_holds_itself_ends() -> None:
    endless: list[Any] = [1]
    endless.append(endless)
    assert js_text(endless)


@pytest.mark.parametrize(
    ("value", "true"),
    [
        (0, False),
        ("", False),
        (None, False),
        (False, False),
        (float("nan"), False),
        ([], True),
        ({}, True),
        ("0", True),
    ],
)
def test_what_is_true(value: Any, true: bool) -> None:
    assert is_set(value) is true


def test_keys_are_sorted_by_utf16() -> None:
    # An emoji is a surrogate pair, which comes before U+FF5E.
    chunk = Chunk("x", 0, 1, metadata={"\uff5e": 1, "\U0001f642": 2, "a": 3, "Z": 4, "\ud800": 5})
    assert content(chunk) == "Z: 4\na: 3\n\ud800: 5\n\U0001f642: 2\n\uff5e: 1\n\nx"


def test_the_white_space_is_javascripts() -> None:
    assert js_trim("\ufeff\u00a0\u3000 x \u2028\v") == "x"
    assert js_trim("\x1cx\x85") == "\x1cx\x85"
    assert content(Chunk("\u2003x\n", 0, 3, metadata={"k": " v \n"})) == "k:  v\n\n\u2003x"
    assert content(Chunk(" \n", 0, 2)) == ""


def test_our_keys_have_mastras_names() -> None:
    found = content(Chunk("x", 0, 1, metadata={"section_summary": "s", "document_title": "t", "other_key": 1}))
    assert found == "documentTitle: t\nother_key: 1\nsectionSummary: s\n\nx"


def test_headings_before_the_text_are_in_it() -> None:
    assert content(Chunk("x", 0, 1, prefix="# Title\n\n")) == "# Title\n\nx"


@given(st.text(), st.text())
def test_values_are_not_filled_again(before: str, value: str) -> None:
    template = f"{before.replace('{', '')}{{context}}"
    assert fill(template, {"context": value}) == f"{before.replace('{', '')}{value}"


@given(st.text(st.characters(exclude_categories=[])))
def test_any_text_has_a_mark(text: str) -> None:
    assert len(mark_of(text)) == 16
