"""Keywords: YAKE! as its authors have it, and what is left out."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts_of_words import SAID, TIDES, one_line

from cantle.errors import OptionError
from cantle.testing.generators import texts
from cantle.words import LANGUAGES, fold, keywords
from cantle.words.phrases import scores

KAGGLE = (
    "Google is acquiring Kaggle, a platform that hosts data science and machine learning competitions. Details about "
    "the transaction remain somewhat vague. Kaggle has half a million data scientists on its platform. The platform "
    "hosts competitions about machine learning. Google did not comment on Kaggle, and neither did the platform."
)


def test_scores_are_those_of_the_authors_program() -> None:
    """yake 0.7.3 with the same stop words, a window of 1 and without removing what is alike."""
    expected = {
        "acquiring Kaggle": 0.11765,
        "hosts data science": 0.12867,
        "Kaggle": 0.13751,
        "data science": 0.15096,
        "platform": 0.15504,
        "machine learning": 0.16932,
        "Google": 0.23216,
        "science": 0.25518,
        "data": 0.25701,
        "Google is acquiring": 0.26058,
        "remain somewhat vague": 0.27814,
        "science and machine": 0.28041,
        "machine learning competitions": 0.31145,
        "platform hosts competitions": 0.5406,
        "million data scientists": 0.57532,
        "half a million": 0.67274,
        "comment": 0.70804,
    }
    found = scores(KAGGLE, "en")
    assert {phrase: round(found[phrase], 5) for phrase in expected} == expected
    assert list(found)[:7] == list(expected)[:7]


def test_acronyms_and_capitals_are_better_than_small_letters() -> None:
    small, capital, acronym = (
        scores(f"Yesterday people of {word} spoke.", "en")[word] for word in ("nato", "Nato", "NATO")
    )
    assert capital == acronym < small


def test_keywords_tell_something_new_each() -> None:
    assert keywords(KAGGLE, 6) == [
        "acquiring Kaggle",
        "hosts data science",
        "platform",
        "machine learning",
        "Google",
        "remain somewhat vague",
    ]


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (
            "A Câmara Municipal aprovou o orçamento. O orçamento da Câmara Municipal prevê obras nas escolas.",
            "pt",
            ["Câmara Municipal", "obras nas escolas"],
        ),
        ("Les droits de l'homme. La déclaration des droits de l’homme date de 1789.", "fr", ["droits de l'homme"]),
        ("機械学習のモデル。機械学習は楽しい。", None, ["機械学習"]),
        ("The EU, the UN and it. The EU.", "en", ["EU", "UN"]),
        ("COVID-19 and 2020-2021, 8ab63e29, https://a.example/some/path and bob@host.example.", "en", ["COVID-19"]),
        ("\\section{Tides}\\label{sec:low} The \\emph{tides} rise.", "en", ["Tides"]),
        ("<p class='x'>Tides</p> &amp; tides.", "en", ["Tides"]),
        ("```py\nimport numpy\n```\nOnly prose counts.", "en", ["prose counts"]),
        ("fn main\n```\nOnly prose counts.", "en", ["prose counts"]),
        ("```\nlet value = parser\n```", "en", ["parser"]),
        ("Ebb\ntide, Ebb   tide, ebb\u00a0tide, ebb tide, x", "en", ["ebb tide"]),
    ],
)
def test_keywords(text: str, language: str | None, expected: list[str]) -> None:
    found = keywords(text, 10, language=language)
    assert [word for word in found if word in expected] == expected, found
    told = " ".join(found)
    assert not any(
        hidden in told for hidden in ("http", "path", "host.", "8ab6", "2020", "sec", "class", "amp", "numpy")
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "東京は大きい都市です。東京の人口は多い。人口は多いが面積は小さい。東京タワーは高い。",
            ["東京", "都市", "人口", "タワー", "面積"],
        ),
        (
            "人工智能是计算机科学的一个分支。人工智能的目标是让计算机能够思考。计算机科学研究人工智能。",
            ["人工智能", "计算机科学", "分支", "目标", "思考"],
        ),
        ("使用 Rust 语言。Rust 语言 的 Rust 代码。", ["语言", "使用", "Rust", "代码"]),
        ("目的は成功です。", ["目的", "成功"]),  # the same character is a particle where it is Chinese
        ("平和が続く。", ["平和"]),
        ("食べ物", []),
        ("一二三四五六七", []),
        ("น้ำขึ้นน้ำลง", []),
    ],
)
def test_keywords_of_scripts_without_blanks_are_no_pieces_of_words(text: str, expected: list[str]) -> None:
    assert keywords(text, 10) == expected


def test_what_always_has_the_same_character_beside_it_is_no_phrase() -> None:
    assert set(scores("潮汐。潮汐表。潮汐表列。潮汐港。", "any")) == {"潮汐", "潮汐表", "潮汐表列", "潮汐港"}
    assert set(scores("甲乙丙丁。戊乙丙己。", "any")) == {"甲乙丙丁", "乙丙", "戊乙丙己"}


def test_nothing_depends_on_the_order_of_hashes() -> None:
    code = f"from cantle.words import *; t = {KAGGLE + TIDES!r}; print(language_of(t), keywords(t, 20), summary(t))"
    runs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(runs) == 1
    assert b"Kaggle" in next(iter(runs))


def test_near_duplicates_are_left_out() -> None:
    found = keywords("The search index, two search indexes, an index. The search index. Parsers.", 10)
    assert sum("index" in word.lower() for word in found) == 1


@pytest.mark.parametrize("text", ["", " \n", "the of and", "1 2 3", "!!!", "\ud800"])
def test_a_text_that_says_nothing_has_no_keywords(text: str) -> None:
    assert keywords(text, 5) == []


def test_no_keywords_are_asked_for() -> None:
    assert keywords(KAGGLE, 0) == []


@pytest.mark.parametrize("count", [-1, 1.5, "5", None, True])
def test_a_wrong_count(count: Any) -> None:
    with pytest.raises(OptionError, match=r"count must be a whole number from 0 on, got"):
        keywords("a", count)


@given(st.one_of(texts(), SAID), st.integers(0, 12), st.sampled_from([None, "any", *LANGUAGES]))
def test_keywords_stand_in_the_text(text: str, count: int, language: str | None) -> None:
    found = keywords(text, count, language=language)
    assert len(found) <= count
    assert len(set(map(fold, found))) == len(found)
    assert found == keywords(text, count, language=language)
    assert keywords(text, count + 1, language=language)[:count] == found
    for word in found:
        assert word in one_line(text)
        assert "," not in word
        assert any(map(str.isalpha, word))
