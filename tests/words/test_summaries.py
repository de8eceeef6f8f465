"""Summaries made of sentences of the text."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts_of_words import SAID, TIDES, one_line

from cantle import MDocument
from cantle.errors import OptionError
from cantle.testing.generators import texts
from cantle.words import LANGUAGES, keywords, summary


def test_summary_takes_sentences_in_their_order() -> None:
    first = "The tide tables of a harbour list every high tide and low tide."
    other = "A harbour office prints the tide tables of the harbour each year."
    assert summary(TIDES, sentences=1) == first
    assert summary(TIDES) in (f"{first} {other}", f"{first} My uncle once painted his old boat blue.")
    assert summary(TIDES, sentences=9) == f"{first} My uncle once painted his old boat blue. {other}"


def test_summary_does_not_say_the_same_twice() -> None:
    text = (
        "High water comes twice a day in this harbour. High water comes twice a day in the harbour. "
        "Sailors study printed tables before leaving."
    )
    assert summary(text) == (
        "High water comes twice a day in this harbour. Sailors study printed tables before leaving."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \n\n", ""),
        ("# Only a heading", "Only a heading"),
        ("The tide rises.\n\nTitle", "The tide rises."),
        ("\\section{Tides of the world}Water rises in the harbour.\\end{document}", "Water rises in the harbour."),
        ("今日は天気がとても良いです。明日は雨が降ります。", "今日は天気がとても良いです。明日は雨が降ります。"),
        ("A line that\nis   wrapped has many blanks.", "A line that is wrapped has many blanks."),
        ("!!!", "!!!"),
    ],
)
def test_summary(text: str, expected: str) -> None:
    assert summary(text) == expected


@pytest.mark.parametrize("sentences", [0, -1, 1.5, "2", None, True])
def test_a_wrong_number_of_sentences(sentences: Any) -> None:
    with pytest.raises(OptionError, match=r"sentences must be a whole number from 1 on, got"):
        summary("a", sentences=sentences)


@given(st.one_of(texts(), SAID), st.integers(1, 4), st.sampled_from([None, "any", *LANGUAGES]))
def test_summaries_are_made_of_the_text(text: str, sentences: int, language: str | None) -> None:
    found = summary(text, sentences=sentences, language=language)
    assert found == summary(text, sentences=sentences, language=language)
    assert found == one_line(found)
    if any(map(str.isalnum, text)):
        assert found
    if sentences == 1:
        assert found.removesuffix("…") in one_line(text)
    rest = iter("".join(text.split()))
    own = "".join(found.replace("…", "").split())
    assert all(character in rest for character in own)  # a subsequence: nothing new, same order
    assert len(found) <= 301 * sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("high water " * 60, "high water " * 26 + "high water…"),
        ("x" * 1000, "x" * 299 + "…"),
        ("漢" * 1000, "漢" * 299 + "…"),
        ("x" + "\u0301" * 1000, "x" + "\u0301" * 298 + "…"),
        ("x" * 300, "x" * 300),
    ],
)
def test_a_sentence_without_end_is_cut_between_words(text: str, expected: str) -> None:
    assert summary(text) == expected


@pytest.mark.parametrize("sentences", [99, 100, 101, 150, 299, 300, 301])
def test_a_summary_of_many_sentences_has_so_many_in_order(sentences: int) -> None:
    text = " ".join(f"The harbour of town{i} has tide tables{i % 7}." for i in range(300))
    found = summary(text, sentences=sentences).rstrip(".").split(". ")
    assert len(found) == min(sentences, 300)
    assert found == [one for one in text.rstrip(".").split(". ") if one in found]


def test_the_sentences_of_more_are_those_of_fewer_and_others() -> None:
    text = " ".join(f"The harbour of town{i} has tide tables{i % 7}." for i in range(300))
    some = [set(summary(text, sentences=n).rstrip(".").split(". ")) for n in (100, 101, 140)]
    assert some[0] < some[1] < some[2]


def test_a_long_summary_takes_no_longer() -> None:
    text = " ".join(f"The harbour of town{i} has tide tables{i % 97}." for i in range(4000))

    def took(sentences: int) -> float:
        before = time.process_time()
        summary(text, sentences=sentences)
        return time.process_time() - before

    took(1)
    assert took(2000) < 4 * took(100) + 1  # 20 times as long where all are chosen one after another


@pytest.mark.parametrize("call", [lambda: summary("a", sentences=-(10**5000)), lambda: keywords("a", -(10**5000))])
def test_a_number_that_is_too_long_to_write(call: Callable[[], object]) -> None:
    with pytest.raises(OptionError, match=r"on, got int that is too long to write\."):
        call()
    with pytest.raises(OptionError, match=r"max_size must be .*, got int that is too long to write\."):
        MDocument("a").chunk("recursive", max_size=-(10**5000))
