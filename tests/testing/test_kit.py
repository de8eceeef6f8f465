"""The contract kit finds every planted breach, and nothing where there is none."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any

import pytest
from honest_strategies import (
    Honest,
    HonestAsync,
    HonestLines,
    HonestNoSurrogates,
    HonestOverlap,
    HonestTags,
    HonestWords,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from planted_breaches import PLANTED, BreaksOnlyWhenSmall, BreaksOnThreeLetters

from cantle import MDocument, Registry, Source, hookimpl
from cantle.errors import CantleError, ContractError, MissingDependencyError, OptionError, UnknownStrategyError
from cantle.testing import (
    check_document,
    check_strategy,
    hostile_documents,
    html_documents,
    json_documents,
    latex_documents,
    linear,
    markdown_documents,
    texts,
)
from cantle.testing.case import TITLES


def check_point(point: int, strategy: Any, text: str, words: str) -> None:
    """Ask for one point only: several strategies break a second one by breaking theirs."""
    if point == 8:
        linear.linear(strategy, {"words": lambda n: "word " * (n // 5)})
    elif "document 0" in words or "process" in words:
        check_strategy(strategy, [text], property=False, points=[point], seconds=0.5)
    else:
        check_document(strategy, text, points=[point])


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_breach_is_found(name: str) -> None:
    point, cls, text, words = PLANTED[name]
    with pytest.raises(ContractError) as caught:
        check_point(point, cls(), text, words)
    error = caught.value
    assert (error.point, error.title) == (point, TITLES[point])
    assert words in str(error)
    assert str(error).startswith(f"point {point}, {TITLES[point]}: ")
    assert isinstance(error, CantleError)
    assert isinstance(error, AssertionError)


def test_every_point_has_a_planted_breach() -> None:
    assert {point for point, *_ in PLANTED.values()} == set(TITLES) == set(range(1, 10))


def test_an_honest_strategy_passes_everything() -> None:
    check_strategy(HonestNoSurrogates, examples=20)


@pytest.mark.parametrize(
    ("strategy", "options"),
    [
        (Honest, {"max_size": 9, "length_function": "bytes"}),
        (Honest, {"max_size": 9, "length_function": "cl100k_base"}),
        (Honest, {"max_size": 9, "length_function": len}),
        (HonestOverlap, {"max_size": 30, "overlap": 12, "length_function": "utf16"}),
        (HonestAsync, {"max_size": 25}),
        (HonestLines, {}),
        (HonestLines, {"separator": "of"}),
        (HonestTags, {}),
        (HonestWords, {"max_size": 10}),
    ],
)
def test_honest_strategies_pass_with_options(strategy: Any, options: dict[str, Any]) -> None:
    check_strategy(strategy, hostile_documents(), examples=15, points=[1, 2, 3, 4, 5, 6, 9], **options)


def test_same_input_same_output_passes() -> None:
    check_strategy(HonestOverlap, ["some text " * 20, "\ud800"], points=[7], property=False, max_size=20)


def test_a_strategy_by_name_with_options() -> None:
    class Plugin:
        @hookimpl
        def register_strategies(self) -> list[Any]:
            return [Honest, BreaksOnlyWhenSmall]

    host = Registry({"mine": Plugin()})
    check_strategy("honest", ["abc"], plugins=host, property=False)
    check_strategy("breaks-only-when-small", ["abc"], plugins=host, property=False, max_size=20)
    with pytest.raises(UnknownStrategyError, match="honst"):
        check_strategy("honst", ["abc"], plugins=host)
    with pytest.raises(OptionError, match="wrong"):
        check_strategy("honest", ["abc"], plugins=host, wrong=1)


def test_small_sizes_are_tried_unless_a_size_is_given() -> None:
    check_strategy(BreaksOnlyWhenSmall(max_size=20), ["abc"], property=False)
    with pytest.raises(ContractError, match="point 1, exact"):
        check_strategy(BreaksOnlyWhenSmall, ["abc"], property=False)


def test_the_smallest_failing_input_is_reported() -> None:
    text = "Some words before it, qqq, and quite a few words after it.\n" * 20
    with pytest.raises(ContractError) as caught:
        check_strategy(BreaksOnThreeLetters, [MDocument(text, source="letters")], property=False)
    assert "document 'letters', smallest failing input: 'qqq'" in str(caught.value)
    assert caught.value.point == 2


def test_property_finds_and_shrinks() -> None:
    texts = st.text("qx ", max_size=30)
    check_strategy(BreaksOnThreeLetters, ["abc"], property=False)
    with pytest.raises(ContractError) as caught:
        check_strategy(BreaksOnThreeLetters(), ["abc"], texts=texts, examples=200)
    assert str(caught.value).endswith("smallest failing input: 'qqq'")


def test_points_can_be_chosen() -> None:
    check_strategy(PLANTED["ChangesTheText"][1](), ["abc"], points=[2, 3, 4, 5, 6, 7, 9], property=False)
    with pytest.raises(OptionError, match="points must be among 1, 2, 3, 4, 5, 6, 7, 8, 9, got 10"):
        check_strategy(Honest, ["abc"], points=[1, 10])


def test_a_refusal_of_some_documents_is_fine() -> None:
    check_strategy(HonestNoSurrogates, ["abc", "\ud800"], property=False)
    check_document(HonestNoSurrogates, "\ud800")


def test_check_document() -> None:
    check_document(Honest, Source("some text", source="s"), max_size=4)
    with pytest.raises(ContractError, match="point 6, order"):
        check_document(PLANTED["Backwards"][1](), "abc def", points=[6])


def test_a_cluster_longer_than_32_may_be_cut_but_no_pair() -> None:
    check_document(Honest, "e" + "\u0301" * 100, max_size=10)
    with pytest.raises(ContractError, match="point 4"):
        check_document(PLANTED["CutsAnAccent"][1](), "ae" + "\u0301" * 31, points=[4])
    check_document(PLANTED["CutsAnAccent"][1](), "ae" + "\u0301" * 32, points=[4])


def test_one_cluster_may_be_longer_than_the_limit() -> None:
    check_document(Honest, "\U0001f468\u200d\U0001f469\u200d\U0001f467 e\u0301 \r\n \ud83d\ude00", max_size=1)


def test_it_is_usable_in_a_stranger_s_tests(tmp_path: Any) -> None:
    (tmp_path / "test_mine.py").write_text(
        textwrap.dedent(
            """
            from cantle import Chunk
            from cantle.testing import check_strategy

            class Halves:
                name = "halves"
                def split(self, source):
                    half = len(source.text) // 2
                    yield Chunk(source.text[:half], 0, half)
                    yield Chunk(source.text[half:], half, len(source.text))

            def test_contract():
                check_strategy(Halves, property=False)
            """
        )
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 1
    assert "ContractError: point 6, order: an empty text gives 2 chunks" in result.stdout


def test_a_long_gap_is_judged_quickly() -> None:
    # An alternation of the separators would need exponential time for it.
    strategy = PLANTED["CallsItASeparator"][1]()
    with pytest.raises(ContractError, match="was dropped as a separator but is none of the strategy's"):
        check_document(strategy, "abc" + "\n" * 5000 + "x", points=[2])


def test_an_instance_is_checked_for_linear_work_with_a_smaller_limit() -> None:
    linear.linear(Honest(length_function="cl100k_base"), {"words": lambda n: "word " * (n // 5)})


def test_large_texts_are_cut_small_too() -> None:
    seen: list[tuple[int, int]] = []

    class Looks(Honest):
        def split(self, source: Source) -> Any:
            seen.append((len(source.text), int(self.limit)))
            return super().split(source)

    check_strategy(Looks, property=False, points=[6])
    assert max(length for length, limit in seen if limit == 4000) >= 1_000_000
    assert max(length for length, limit in seen if limit == 40) > 100_000


def test_hypothesis_is_named_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    with pytest.raises(MissingDependencyError) as caught:
        check_strategy(Honest, ["abc"])
    assert str(caught.value) == (
        "check_strategy(property=True) needs hypothesis. Install it with: pip install 'cantle[testing]'"
    )


def test_a_strategy_that_fails_now_and_then_is_found_by_its_texts() -> None:
    flips = iter(range(10**6))

    class Flips(Honest):
        def split(self, source: Source) -> Any:
            if next(flips) % 2 and source.text == "qq":
                raise KeyError("now and then")
            return super().split(source)

    with pytest.raises(ContractError) as caught:
        check_strategy(Flips(), ["abc"], texts=st.sampled_from(["qq", "x"]), points=[9])
    assert caught.value.point in (7, 9)


class TestGenerators:
    """The generators make what they say, and hard things among it."""

    @staticmethod
    def some(strategy: Any, count: int = 150) -> list[str]:
        found: list[str] = []

        @settings(max_examples=count, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
        @given(strategy)
        def collect(text: str) -> None:
            found.append(text)

        collect()
        return found

    def test_texts_are_hard(self) -> None:
        text = "".join(self.some(texts(), 400))
        for piece in ("\r\n", "\u200d", "\ud83d", "\x00", "\u202e", "\ufeff", "```", "<|endoftext|>", "\u0301"):
            assert piece in text

    def test_json_documents_are_json(self) -> None:
        found = self.some(json_documents())
        values = [json.loads(text) for text in found]
        assert any(isinstance(value, dict) and len(value) > 2 for value in values)
        assert any(isinstance(value, list) and len(value) > 2 for value in values)

    def test_the_formats_have_their_marks(self) -> None:
        for strategy, marks in (
            (markdown_documents(), ("# ", "```", "|---", "> ", "---\ntitle", "\r\n", "====")),
            (html_documents(), ("<h1", "<!--", "&amp;", "<script>", "<table", "<!DOCTYPE")),
            (latex_documents(), ("\\section", "\\begin{", "\\documentclass", "%", "\\verb|")),
        ):
            text = "".join(self.some(strategy, 70))
            assert [mark for mark in marks if mark not in text] == []
