"""Grapheme cluster borders at single positions, against a full scan for clusters."""

from __future__ import annotations

import random
import time
from bisect import bisect_left, bisect_right

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from cantle import MDocument, graphemes
from cantle.graphemes import LONGEST, is_boundary, next_boundary, previous_boundary, trim
from cantle.testing import hostile_documents
from cantle.whitespace import STRIP

FAMILY = "👨\u200d👩\u200d👧"
ALPHABETS = {
    "joined emoji": [
        *"👨👩👧❤🔥\u200d\ufe0f\ufe0e",
        "👋🏽",
        "🏿",
        FAMILY,
        "🏴\U000e0067\U000e007f",
        "1\ufe0f\u20e3",
        "a",
    ],
    "flags": [*"🇦🇧🇷a\u200d\u0301", "🇧🇷", "🇵🇹" * 3, " "],
    "hangul": [*"ᄒ가ᅢᆫᆯ한하가 a", "각"],
    "indic": [*"कषमिी\u094d\u200d\u200c\u0902ஷ\u0bcd a", "क\u094dष", "ক\u09cdষ", "\u0d4e"],
    "thai": [*"กำานี้คืเ "],
    "prepended": [*"\u0600\u06dd\u110bd12a \n\u0301"],
    "marks": [*"aeé漢\u0301\u0316\u20dd\u0903\u034f\u1ab0\ufe0f \u00a0\u3000\n"],
    "line ends": [*"\r\n\r\n\r\n\u2028\u0085\v \u0301a"],
    "surrogates": [*"\ud83d\ude00\ud800\udfffa\u0301", "😀"],
    "controls": [*"\x00\x1b\u200b\u00ad\ufeff\u2060\u061c\u0301a\u200d"],
}
ALPHABETS["all"] = sorted({piece for pieces in ALPHABETS.values() for piece in pieces})


def any_of(kind: str, most: int = 25) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(ALPHABETS[kind]), max_size=most).map("".join)


texts = st.one_of(*(any_of(kind) for kind in ALPHABETS))
quickly = settings(max_examples=120, deadline=None, derandomize=True, database=None)


def whole(text: str, position: int) -> bool:
    """Whether the two around a position are code points that no cut may part, by our own rules."""
    pair = text[position - 1 : position + 1]
    return pair == "\r\n" or ("\ud800" <= pair[:1] <= "\udbff" and "\udc00" <= pair[1:] <= "\udfff")


def borders(text: str) -> list[bool]:
    """For every position whether it is a border, and None where a cluster is too long to tell."""
    found: list[bool | None] = [False] * (len(text) + 1)
    found[0] = True
    for match in regex.finditer(r"\X", text):
        if match.end() - match.start() > LONGEST:
            found[match.start() + 1 : match.end()] = [None] * (match.end() - match.start() - 1)
        found[match.end()] = True
    for i in range(1, len(text)):
        if whole(text, i):
            found[i] = False
    return found  # type: ignore[return-value]


@pytest.mark.parametrize("kind", ALPHABETS)
def test_borders_are_those_of_a_full_scan(kind: str) -> None:
    @quickly
    @given(any_of(kind))
    def same(text: str) -> None:
        for position, wanted in enumerate(borders(text)):
            assert wanted is None or is_boundary(text, position) == wanted, (text, position)

    same()


def test_borders_of_the_hostile_documents() -> None:
    for document in hostile_documents():
        for position, wanted in enumerate(borders(document.text)):
            assert wanted is None or is_boundary(document.text, position) == wanted, (document.source, position)


def test_the_ends_are_borders_and_so_is_what_lies_beyond() -> None:
    for text in ("", "\u0301", "\u0301\u0301", "\r\n", "\ude00"):
        assert is_boundary(text, 0)
        assert is_boundary(text, len(text))
        assert is_boundary(text, -1)
        assert is_boundary(text, len(text) + 1)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\r", "\n"),
        ("\ud83d", "\ude00"),
        ("e", "\u0301"),
        ("👨", "\u200d"),
        ("👨\u200d", "👩"),
        ("👋", "🏽"),
        ("🇧", "🇷"),
        ("ᄒ", "ᅡ"),
        ("하", "ᆫ"),
        ("क\u094d", "ष"),
        ("\u0600", "1"),
        ("❤", "\ufe0f"),
        ("1\ufe0f", "\u20e3"),
        (" ", "\u0301"),
    ],
)
def test_what_is_never_cut(before: str, after: str) -> None:
    for left, right in (("", ""), ("x", "y"), ("漢", "漢"), (" ", " ")):
        assert not is_boundary(left + before + after + right, len(left + before))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("\n", "\r"),
        ("\n", "\u0301"),
        ("\ude00", "\ud83d"),
        ("漢", "字"),
        ("🇧🇷", "🇵"),
        (FAMILY, FAMILY),
        ("각", "각"),
        ("a", "b"),
    ],
)
def test_what_may_be_cut(before: str, after: str) -> None:
    assert is_boundary(before + after, len(before))


def test_clusters_above_32_code_points_may_be_cut() -> None:
    short, long = "z" + "\u0301" * (LONGEST - 1), "z" + "\u0301" * LONGEST
    assert not any(is_boundary(f"a{short}b", i) for i in range(2, 1 + len(short)))
    assert all(is_boundary(f"a{long}b", i) for i in range(LONGEST + 1, 1 + len(long)))


def test_line_ends_and_surrogate_pairs_are_whole_however_long_the_cluster() -> None:
    text = "z" + "\u0301" * 200 + "\r\n\ud83d\ude00"
    assert not is_boundary(text, 202)
    assert not is_boundary(text, 204)


@pytest.mark.parametrize("count", [1, 2, 3, 63, 64, 65, 127, 128, 129, 500, 501])
@pytest.mark.parametrize("front", ["", "a", "🇦\u200d", "\u0600", "👋🏽"])
def test_flags_pair_from_the_start_of_their_run(count: int, front: str) -> None:
    text = front + "🇦" * count + "b"
    found = [i for i, wanted in enumerate(borders(text)) if wanted]
    assert [i for i in range(len(text) + 1) if is_boundary(text, i)] == found


class _Counted(str):
    """A text that counts how many of its characters are looked at or copied."""

    __slots__ = ()
    looked = 0

    def __getitem__(self, key: object) -> str:
        piece = str.__getitem__(self, key)  # type: ignore[index]
        _Counted.looked += len(piece)
        return piece


@pytest.mark.parametrize(
    "text",
    [
        "🇧🇷" * 30_000,
        "a" + "\u0301" * 60_000,
        FAMILY * 12_000,
        "क\u094d" * 30_000,
        "\u0600" * 60_000,
        "\u200d🇦" * 30_000,
    ],
    ids=["flags", "marks", "families", "conjuncts", "prepended", "joined flags"],
)
def test_long_runs_are_not_walked_again_for_every_position(text: str) -> None:
    counted = _Counted(text)
    _Counted.looked = 0
    positions = range(1, len(text), 61)
    for position in positions:
        is_boundary(counted, position)
    # A bounded look around each position, and once over the run.
    assert _Counted.looked < len(positions) * 20 * LONGEST + 10 * len(text)


def test_the_remembered_run_belongs_to_its_text() -> None:
    first, second = "🇦" * 4000, "a" + "🇦" * 4000
    third = "🇦" * 2001 + "a" + "🇦" * 2001
    for _ in range(2):
        assert [is_boundary(first, 3000), is_boundary(first, 3001)] == [True, False]
        assert [is_boundary(second, 3000), is_boundary(second, 3001)] == [False, True]
        assert [is_boundary(third, at) for at in (1800, 2000, 2001, 2002, 3802, 3803)] == [True] * 4 + [True, False]


LINKS = {
    "marks": [*"\u0301\u0316\u20dd\u034f\u1ab0\ufe0f"],
    "marked": ["漢" + "\u0301" * 20, "漢" + "\u0316" * 19],
    "families": [FAMILY, "👨\u200d" * 3 + "👩"],
    "joined": ["👨\u200d", "👩\ufe0f\u200d"],
    "skin tones": ["👋🏽", "👍🏿", "🧑🏾\u200d"],
    "jamo": [*"ᄒ가ᅢᆫᆯ한하ᅡ"],
    "leading jamo": ["ᄒ", "ᄀ"],
    "conjuncts": ["क\u094d", "ष\u094d"],
    "syllables": ["क\u094dष", "कि", "ক\u09cdষ", "\u0902"],
    "prepended": ["\u0600", "\u06dd", "\u110bd"],
    "flags": ["🇦", "🇧"],
    "marked flags": ["🇦🇧\u0301", "🇧\u200d", "🇦" * 99],
    "surrogates": ["\ud83d\ude00", "\ude00\u0301"],
}


def chain(kind: str, length: int) -> str:
    choices = random.Random(kind).choices(LINKS[kind], k=length)
    return "".join(choices)[:length]


@pytest.mark.parametrize("kind", LINKS)
def test_borders_in_chains(kind: str) -> None:
    for front in ("", "x" * 100, "🇦" * 61, "क\u094d" * 7):
        text = front + chain(kind, 700)
        for position, wanted in enumerate(borders(text)):
            assert wanted is None or is_boundary(text, position) == wanted, (front, position)


@pytest.mark.parametrize("kind", LINKS)
def test_an_answer_does_not_depend_on_what_was_asked_before(kind: str) -> None:
    text = "a" + chain(kind, 900)
    forward = [is_boundary(text, i) for i in range(len(text))]
    shuffled = random.Random(kind).sample(range(len(text)), len(text))
    assert {i: is_boundary(text, i) for i in shuffled} == dict(enumerate(forward))


@pytest.mark.parametrize("kind", LINKS)
def test_next_and_previous_in_chains(kind: str) -> None:
    text = "a" + chain(kind, 700)
    found = [i for i in range(len(text) + 1) if is_boundary(text, i)]
    for position in range(1, len(text)):
        index = bisect_right(found, position)
        assert previous_boundary(text, position, -1) == found[index - 1]
        assert previous_boundary(text, position, position - 1) == found[bisect_left(found, position)]
        assert next_boundary(text, position) == found[bisect_left(found, position)]


@pytest.mark.parametrize("kind", LINKS)
def test_a_cut_in_a_chain_does_not_look_around_every_position_before_it(kind: str) -> None:
    text = _Counted("a" + chain(kind, 30_000))
    _Counted.looked = 0
    start = cuts = 0
    while start < len(text):
        start = previous_boundary(text, start + 32, start)
        next_boundary(text, start + 16)
        cuts += 1
    assert _Counted.looked < cuts * 50 * LONGEST


def test_long_runs_of_flags_are_scanned_once() -> None:
    text = ("🇦" * 333_001 + "a") * 3
    began = time.perf_counter()
    for position in random.Random(1).sample(range(len(text)), 3000):
        is_boundary(text, position)
    assert time.perf_counter() - began < 2  # 0.02 s; some 5 s with a scan for each position


def test_what_is_no_mark_may_stand_inside_a_conjunct() -> None:
    for inside in ("\uff9e", "\U000e0067", "🏽", "\u200c"):
        text = f"क\u094d{inside}क"
        assert [is_boundary(text, i) for i in range(len(text) + 1)] == borders(text)


# --- the neighbours ------------------------------------------------------------------------------


@quickly
@given(texts, st.data())
def test_next_and_previous(text: str, data: st.DataObject) -> None:
    position = data.draw(st.integers(0, len(text)))
    least = data.draw(st.integers(0, position))
    found = [i for i in range(len(text) + 1) if is_boundary(text, i)]
    assert next_boundary(text, position) == next(i for i in found if i >= position)
    before = [i for i in found if least < i <= position]
    if before:
        assert previous_boundary(text, position, least) == before[-1]
    elif least < len(text):
        assert previous_boundary(text, position, least) == next(i for i in found if i > least)


# --- trimming ------------------------------------------------------------------------------------

BLANKS = [*STRIP, " " * 20, "\n" * 20, "\r\n", "\u3000" * 20]


@quickly
@given(
    st.lists(st.sampled_from([*BLANKS, *ALPHABETS["marks"], *ALPHABETS["line ends"]]), max_size=12).map("".join),
    st.data(),
)
def test_trim(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    low, high = trim(text, start, end)
    assert start <= low <= high <= end or (low == high == end)
    piece = text[start:end]
    assert text[low:high].strip(STRIP) == piece.strip(STRIP)
    if is_boundary(text, start) and is_boundary(text, end) and low < high:
        # Nothing more can go, and no cluster of what stays is parted.
        assert low == start or not text[low - 1 : low].strip(STRIP)
        if text[low] in STRIP:
            assert not is_boundary(text, low + 1) or low + 1 == high
        if text[low] >= "\u0300" and low > start:
            assert is_boundary(text, low)


def test_trim_takes_white_space_and_the_byte_order_mark() -> None:
    text = STRIP + "a b" + STRIP
    assert trim(text, 0, len(text)) == (len(STRIP), len(STRIP) + 3)
    assert trim(text, 0, len(STRIP)) == (len(STRIP), len(STRIP))
    assert trim("\x1ca\x85", 0, 3) == (0, 3)  # blank to Python, not to ECMAScript


def test_trim_leaves_a_space_that_carries_a_mark() -> None:
    text = "  \u0301a\u00a0\u0308 "
    assert text[slice(*trim(text, 0, len(text)))] == " \u0301a\u00a0\u0308"


def test_trim_of_long_runs_looks_at_them_once() -> None:
    text = " " * 100_000 + "x" + "\n" * 100_000
    assert trim(text, 0, len(text)) == (100_000, 100_001)
    assert graphemes.trim(" " * 100_000, 0, 100_000) == (100_000, 100_000)


# --- in use --------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["recursive", "character", "token"])
@pytest.mark.parametrize("kind", ALPHABETS)
def test_no_strategy_cuts_a_cluster(strategy: str, kind: str) -> None:
    @settings(max_examples=15, deadline=None, derandomize=True, database=None)
    @given(any_of(kind), st.integers(1, 4))
    def whole_clusters(text: str, size: int) -> None:
        wanted = borders(text)
        for start, end in MDocument(text).chunk(strategy, max_size=size, overlap=size - 1).spans:
            assert wanted[start] is not False
            assert wanted[end] is not False

    whole_clusters()
