"""`recursive` and `token` on a stream give what they give for the whole text, whatever the windows are."""

from __future__ import annotations

import re
import tracemalloc
from itertools import repeat
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cantle.chunk import Chunk
from cantle.errors import DocumentError
from cantle.lengths import SpecialTokens, TokenLength
from cantle.packing import reading
from cantle.packing.reach import reach_of
from cantle.packing.reading import small_windows
from cantle.separators import LANGUAGES
from cantle.source import Source
from cantle.strategies.recursive import Recursive
from cantle.strategies.token import Token
from cantle.testing import generators
from cantle.testing.hostile import PROSE, TEXTS


class Reader:
    """Gives a text in steps, and knows how far it was read."""

    def __init__(self, text: str, step: int = 1000) -> None:
        self.text, self.step, self.at = text, step, 0

    def read(self, size: int, /) -> str:
        found = self.text[self.at : self.at + min(size, self.step)]
        self.at += len(found)
        return found


def state(chunk: Chunk) -> tuple[Any, ...]:
    return (*(chunk.content, chunk.start, chunk.end, chunk.spans, chunk.overlap, chunk.cut), chunk.oversize)


def check(strategy: Recursive | Token, text: str, step: int = 1000, window: int = 64) -> None:
    with small_windows(window):
        assert [*map(state, strategy.stream(Reader(text, step)))] == [*map(state, strategy.split(Source(text)))]


def odd(text: str) -> float:
    """A length that is not monotone."""
    return sum(map(ord, text)) % 7 + len(text) / 3


class Encoder:
    def encode(self, text: str) -> list[int]:
        return [1] * ((len(text) + 2) // 3)


SPECIAL = ("<|endoftext|>", "<|fim_prefix|>")
PIECES = st.sampled_from([
    *("a", "b", "ab", "foo", "bar.", "x1y", "word ", "another word ", "\u00e9", "e\u0301", "\u6f6e\u6c50"),
    *(" ", "\n", "\n\n", "\n\n\n", "\r\n", "\r", "\t", "\ufeff", "\x85", "\u3000", "\u0301", "\U0001f1e7", "x" * 40),
    *("\U0001f468\u200d\U0001f469", "\ud83d", "\ude00", "\x00", "\nclass ", "\ndef ", "\nif ", "\\part{", "\\em{"),
    *("<p", "<div", "\n===\n", "\n## ", "aba", "1", "2", "/", *SPECIAL),
])  # fmt: skip
RUNS = st.tuples(PIECES, st.integers(2, 120)).map(lambda found: found[0] * found[1])
PARTS = st.lists(st.one_of(PIECES, PIECES, PIECES, RUNS), max_size=60).map("".join)
TEXT = st.one_of(
    st.lists(PARTS, min_size=1, max_size=6).flatmap(
        lambda parts: st.integers(1, 12).map(lambda n: "".join(parts[i * i % len(parts)] for i in range(n)))
    ),
    generators.texts(),
    st.sampled_from(sorted(TEXTS)).map(lambda name: TEXTS[name] * 3),
)
SIZES = st.sampled_from([1, 2, 3, 5, 7, 10, 20, 40, 100, 300]).flatmap(
    lambda most: st.fixed_dictionaries(
        {
            "max_size": st.one_of(st.just(most), st.integers(1, most).map(lambda least: (least, most))),
            "overlap": st.one_of(st.just(0), st.integers(0, most - 1)),
            "strip_whitespace": st.booleans(),
            "explain": st.booleans(),
        }
    )
)
LENGTHS = st.sampled_from(
    ["characters", "characters", "utf16", "bytes", "words", "cl100k_base", "gpt2", len, odd, Encoder()]
    + [TokenLength("o200k_base", SpecialTokens(frozenset(special))) for special in (SPECIAL, ("foo", "bar.", "x1"))]
)
LITERALS = ("\n\n", "\n", " ", "", "a", "b", "ab", "aba", "aa", "\r\n", "\u0301", "\U0001f1e7", "\n\n\n", "x")
PATTERNS = (
    *(r"\n+", r"\s+", r"a+", r"\b", r"(?=\n)", r"(?<=a)b", r"x|xx", r"\n\n", " ", "^a", "a$", r"[ab]{2}", "aa", ""),
    *("(?i)A", r"\d", r"(?m)^", r"\n*", r"\w+ ", r"\\[a-z]+\{", r"(a)\1", r"\p{L}b", r"(?:ab)+", r"(?s)a.*b"),
    r"[^\n]*\n",
)
LEVELS = st.one_of(
    st.just({}),
    st.sampled_from(sorted(LANGUAGES)).map(lambda name: {"language": name}),
    st.lists(st.sampled_from(LITERALS), min_size=1, max_size=5, unique=True).map(lambda found: {"separators": found}),
    st.lists(st.sampled_from(PATTERNS), min_size=1, max_size=4, unique=True).map(
        lambda found: {"separators": found, "is_separator_regex": True}
    ),
)
POSITION = st.sampled_from([{}, {}, {"separator_position": "start"}, {"separator_position": "end"}])
READING = st.sampled_from([(1, 64), (7, 16), (100, 300), (10_000, 1000), (10_000, 2000)])
MANY = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


@MANY
@given(TEXT, SIZES, LENGTHS, LEVELS, POSITION, READING)
@pytest.mark.filterwarnings("ignore")
def test_recursive(
    text: str,
    sizes: dict[str, Any],
    length: Any,
    levels: dict[str, Any],
    position: dict[str, Any],
    how: tuple[int, int],
) -> None:
    check(Recursive(length_function=length, **sizes, **levels, **position), text, *how)


@MANY
@given(
    TEXT,
    st.sampled_from(["", " ", "\n" * 50, " \n/", "\u3000" * 700, "\n\n  \n"]),
    SIZES,
    st.sampled_from(["cl100k_base", "o200k_base", "gpt2"]),
    st.sampled_from([None, None, "all", {"<|endoftext|>"}]),
    READING,
)
@pytest.mark.filterwarnings("ignore")
def test_token(text: str, blank: str, sizes: dict[str, Any], encoding: str, allowed: Any, how: tuple[int, int]) -> None:
    specials = {} if allowed is None else {"allowed_special": allowed, "disallowed_special": []}
    check(Token(encoding_name=encoding, **sizes, **specials), blank + text + blank, *how)


LONG = "".join(f"Paragraph {i} of it.\n\n{PROSE}\nA line {i}\n" for i in range(60))


@pytest.mark.parametrize("length", ["characters", "words", "cl100k_base", "bytes"])
@pytest.mark.parametrize("overlap", [0, 20])
def test_prose(length: str, overlap: int) -> None:
    check(Recursive(max_size=60, overlap=overlap, length_function=length), LONG, window=2000)


def test_a_separator_that_reaches_over_the_place_where_a_window_goes_on() -> None:
    # The weaker level cuts inside of the stronger one's separator, which ends the region.
    for shift in range(40):
        text = "x" * shift + ("\nwhile a b\n\nif b b\nif foo aa aa x y z\n" * 80)
        check(Recursive(max_size=10, overlap=0, separator_position="end", language="lua"), text)


def test_a_match_that_reaches_over_the_place_where_a_window_goes_on() -> None:
    separators = ["a+", "b"]
    for position in (None, "start", "end"):
        strategy = Recursive(
            max_size=3, overlap=0, separators=separators, is_separator_regex=True, separator_position=position
        )
        check(strategy, ("aaaaaaaaab" + "xyz") * 300 + "a" * 3000 + "bxb" * 500)


def test_a_piece_that_is_not_there_yet_is_not_joined() -> None:
    # All of it is within the limit, so nothing is cut, though it takes many windows to know.
    text = "one two\n\n" + "x" * 20_000 + "\n\nthree"
    for length in ("words", "characters"):
        check(Recursive(max_size=30_000, overlap=0, length_function=length), text)


def test_a_block_of_tokens_without_a_safe_end() -> None:
    text = "abcdefghij" * 14_000 + " and words. " * 500 + "\u4e00" * 70_000 + " more words." * 50
    check(Recursive(max_size=300, overlap=20, length_function="cl100k_base"), text, 10_000, 5000)
    check(Token(max_size=300, overlap=20), text, 10_000, 5000)


def test_special_tokens_at_the_borders_of_windows() -> None:
    text = "<|endoftext|>" * 500 + "word <|endoftext|>" * 500
    for shift in range(13):
        check(Token(max_size=5, allowed_special="all", overlap=2), "x" * shift + text, 100, 300)


def test_a_special_token_that_is_not_allowed_is_found_when_it_is_read() -> None:
    text = "some words " * 2000 + "<|endoftext|>" + " more words" * 100
    strategy = Token(max_size=50, disallowed_special="all")
    with pytest.raises(DocumentError) as whole:
        strategy.split(Source(text))
    given: list[Chunk] = []
    with small_windows(1000), pytest.raises(DocumentError, match=re.escape(str(whole.value))):
        given += strategy.stream(Reader(text, 7))
    assert given[0].content.startswith("some words")


def test_the_longest_of_those_that_are_not_allowed_is_named() -> None:
    strategy = Token(max_size=50, disallowed_special=["x", "xy", "xyz"])
    for step in (1, 2, 100):
        with pytest.raises(DocumentError, match=r"not allowed: xyz \(at 3\)"):
            list(strategy.stream(Reader("abcxyz", step)))


class Endless:
    """A text that is nowhere as a whole."""

    def __init__(self, text: str, times: int) -> None:
        self._parts, self._left = repeat(text, times), ""

    def read(self, size: int, /) -> str:
        if not self._left:
            self._left = next(self._parts, "")
        text, self._left = self._left[:size], self._left[size:]
        return text


@pytest.mark.parametrize(
    "strategy",
    [
        Recursive(max_size=500),
        Recursive(max_size=500, overlap=0, separators=["\n==\n", "\n\n", " "]),
        Recursive(max_size=500, overlap=0, length_function="words"),
        Recursive(max_size=500, language="latex"),
        Recursive(max_size=100, overlap=10, length_function="cl100k_base"),
        Token(max_size=100, overlap=10),
    ],
    ids=["plain", "absent", "words", "latex", "tokens", "token"],
)
def test_memory_does_not_grow_with_the_text(strategy: Recursive | Token, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WINDOW", 20_000)
    peaks = []
    list(strategy.stream(Endless(PROSE, 100)))  # what is loaded once
    for times in (300, 1500):
        tracemalloc.start()
        count = sum(1 for _ in strategy.stream(Endless(PROSE, times)))
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert count > times / 10
    assert len(PROSE) * 1500 > 300_000
    assert peaks[1] < 1.3 * peaks[0] + 100_000


@pytest.mark.parametrize(
    ("pattern", "text", "settled"),
    [
        ("ab", "x" * 100, 95),
        ("\n=+\n", "x" * 50 + "=" * 50, 45),
        ("[a-z]+1", "- " * 20 + "x" * 60, 36),
        (".*", "a\nb\nc\nd\n", 3),
    ],
)
def test_how_far_a_pattern_looks(pattern: str, text: str, settled: int) -> None:
    reach = reach_of(re.compile(pattern))
    assert reach is not None
    assert reach.settled(text) == settled


@pytest.mark.parametrize("pattern", [r"(a)\1", r"(?P<x>a)(?(x)b|c)", r"(?i:a)+b", "(?<=" + "a" * 300 + ")b"])
def test_a_pattern_that_nothing_bounds(pattern: str) -> None:
    assert reach_of(re.compile(pattern)) is None
    check(Recursive(max_size=9, overlap=0, separators=[pattern], is_separator_regex=True), "aab aac bb " * 400)
