"""The packing engine: against the classic split-and-merge, and its fast path against itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cantle import MDocument
from cantle.chunk import Cut
from cantle.errors import OptionError
from cantle.lengths import resolve
from cantle.packing import Packer, Spans, level
from cantle.testing import check_document

quickly = settings(max_examples=80, deadline=None, derandomize=True, database=None)


def spans_of(
    text: str, separators: Sequence[str], length: Any = "characters", plain: bool | None = None, **options: Any
) -> list[tuple[int, int]]:
    """What the packer makes of a text; `plain` asks for one of its two ways."""
    position = options.pop("position", None)
    levels = [level(separator, position=position) for separator in separators]
    packer = Packer(text, resolve(length).measure(text), levels, **options)
    if plain is not None:
        assert packer._plain is not None
        if not plain:
            packer._plain = None
    spans = packer.pack()
    return list(zip(spans.starts, spans.ends, strict=True))


# --- the classic splitter ------------------------------------------------------------------------


def classic(
    text: str, separators: Sequence[str], *, limit: int, overlap: int, position: str | None, strip: bool = True
) -> list[str]:
    """Recursive split-and-merge by characters as it is usually written: pieces are listed and joined again.

    One change: what joins the pieces of an overlap counts as part of it.
    """

    def pieces_at(separator: str, text: str) -> list[str]:
        if separator == "":
            return list(text)
        parts = text.split(separator)
        if position == "end":
            parts = [part + separator for part in parts[:-1]] + parts[-1:]
        elif position == "start":
            parts = parts[:1] + [separator + part for part in parts[1:]]
        return [part for part in parts if part]

    def merge(pieces: list[str], joiner: str) -> None:
        current: list[str] = []
        for piece in pieces:
            if current and len(joiner.join([*current, piece])) > limit:
                emit(joiner.join(current))
                keep: list[str] = []
                for one in reversed(current):
                    if len(joiner.join([one, *keep])) > overlap:
                        break
                    keep.insert(0, one)
                while keep and len(joiner.join([*keep, piece])) > limit:
                    keep.pop(0)
                current = keep
            current.append(piece)
        if current:
            emit(joiner.join(current))

    def emit(chunk: str) -> None:
        chunk = chunk.strip() if strip else chunk
        if chunk.strip():
            found.append(chunk)

    def split(text: str, separators: Sequence[str]) -> None:
        chosen = next((i for i, s in enumerate(separators) if s in text), len(separators) - 1)
        separator, rest = separators[chosen], separators[chosen + 1 :]
        joiner = "" if position else separator
        small: list[str] = []
        for piece in pieces_at(separator, text):
            if len(piece) < limit:
                small.append(piece)
                continue
            merge(small, joiner)
            small = []
            if rest:
                split(piece, rest)
            else:
                found.append(piece)
        merge(small, joiner)

    found: list[str] = []
    split(text, separators)
    return found


words = st.text("abcde", min_size=1, max_size=7)
gaps = st.sampled_from([" ", " ", " ", " ", "\n", "\n\n"])


@st.composite
def single_separators(draw: Callable[..., Any]) -> str:
    """Words with one separator between any two: joining them again loses nothing."""
    parts = draw(st.lists(words, min_size=1, max_size=30))
    return "".join(part + (draw(gaps) if i + 1 < len(parts) else "") for i, part in enumerate(parts))


@pytest.mark.parametrize("position", [None, "start", "end"])
@pytest.mark.parametrize("share", [0, 0.3, 0.9])
def test_equal_to_split_and_merge(position: str | None, share: float) -> None:
    @quickly
    @given(single_separators(), st.integers(2, 30))
    @example("aaa\n\nbbb ccc ddd\neee", 7)
    def same(text: str, limit: int) -> None:
        overlap, separators = int(limit * share), ["\n\n", "\n", " ", ""]
        found = spans_of(text, separators, limit=limit, overlap=overlap, position=position)
        wanted = classic(text, separators, limit=limit, overlap=overlap, position=position)
        if any(b.startswith(a) for a, b in pairwise(wanted)):
            return  # the second may begin where the first does: here the starts ascend
        assert [text[a:b] for a, b in found] == wanted

    same()


@pytest.mark.parametrize("separators", [["."], [", ", " "], ["b", "c", ""], ["ab", " ", ""]], ids=str)
def test_equal_with_other_separators(separators: list[str]) -> None:
    @quickly
    @given(single_separators(), st.integers(3, 20))
    def same(text: str, limit: int) -> None:
        if any(2 * separator in text for separator in separators if separator):
            return  # joining makes one of two
        found = spans_of(text, separators, limit=limit)
        if any(b - a == limit for a, b in found):
            return  # a piece that fills the limit loses the weaker separators at its ends there
        pieces = classic(text, separators, limit=limit, overlap=0, position=None)
        # Where the last separator leaves a piece too long, the classic splitter gives up.
        if all(len(piece) <= limit for piece in pieces):
            assert [text[a:b] for a, b in found] == [piece.strip() for piece in pieces]
        assert all(b - a <= limit for a, b in found)

    same()


# --- the fast path -------------------------------------------------------------------------------

ROUGH = [
    *" \n\r\tab.é漢👩\u0301\u200d\u0600\u3000\ufeff\x1c\u0085\ud83d\ude00",
    "word ",
    "the",
    " and",
    "\n\n",
    "\n\n\n",
    "\r\n",
    "漢字、",
    "👩\u200d👩\u200d👧",
    "don't ",
    "x" * 9,
    "🇧🇷",
]
rough = st.lists(st.sampled_from(ROUGH), max_size=50).map("".join)
LADDERS = [
    ["\n\n", "\n", " ", ""],
    ["\n\n", " "],
    ["\n", " ", ""],
    ["  ", "\n", ""],
    ["\n\n\n", " ", ""],
    [" \n", "\n "],
]


@pytest.mark.parametrize("length", ["characters", "utf16", "bytes", "words", "cl100k_base", "r50k_base", len], ids=str)
def test_the_fast_path_gives_what_the_engine_gives(length: Any) -> None:
    @quickly
    @given(rough, st.integers(1, 14), st.sampled_from(LADDERS))
    def same(text: str, limit: int, separators: list[str]) -> None:
        if any(len(set(s)) > 1 for s in separators):
            return  # only runs of one character have a fast path of their own
        plain = spans_of(text, separators, length, plain=True, limit=limit)
        assert plain == spans_of(text, separators, length, plain=False, limit=limit)

    same()


def test_which_ladders_have_the_fast_path() -> None:
    def plain(separators: list[str], **options: Any) -> bool:
        levels = [level(s, position=options.pop("position", None)) for s in separators]
        return Packer("", resolve("words").measure(""), levels, limit=5, **options)._plain is not None

    assert plain(["\n\n", "\n", " ", ""])
    assert not plain(["\n\n", "."])
    assert not plain(["\n"], position="start")
    assert not plain(["\n"], overlap=1)
    assert not plain(["\n"], strip=False)
    assert not plain(["\n"], explain=True)


@pytest.mark.parametrize("overlap", [0, 3])
@pytest.mark.parametrize("strip", [True, False])
def test_nothing_is_lost_between_spans_but_separators(overlap: int, strip: bool) -> None:
    @quickly
    @given(rough, st.integers(4, 14), st.sampled_from([None, "start", "end"]))
    def kept(text: str, limit: int, position: str | None) -> None:
        found = spans_of(text, ["\n\n", "\n", " ", ""], limit=limit, overlap=overlap, strip=strip, position=position)
        at = 0
        for start, end in found:
            assert not text[at:start].strip(" \n\r\t\u3000\ufeff\x1c\u0085") if start > at else True
            if not strip and position:
                assert start <= at
            at = max(at, end)
        assert starts_ascend(found)

    kept()


def starts_ascend(spans: list[tuple[int, int]]) -> bool:
    return all(a[0] < b[0] and a[1] <= b[1] for a, b in pairwise(spans))


@pytest.mark.parametrize(
    "length",
    ["cl100k_base", len, lambda t: len(t) % 7, lambda t: len(t.split())],
    ids=["tokens", "characters", "not monotone", "words"],
)
def test_a_chunk_ends_after_the_one_before(length: Any) -> None:
    """With overlap too, and with functions that find a longer text shorter."""

    @quickly
    @given(rough, st.integers(2, 9))
    def further(text: str, limit: int) -> None:
        assert starts_ascend(spans_of(text, ["\n\n", "\n", " ", ""], length, limit=limit, overlap=limit - 1))

    further()


# --- separators ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("separator", "alphabet"),
    [
        ("\n\n", ["\n", "a", "\n\n\n"]),
        ("\n\n\n", ["\n", "a"]),
        ("aba", ["a", "b", "ab", " "]),
        ("\r\n\r\n", ["\r\n", "\r", "\n", "a"]),
        ("--", ["-", "a", "---"]),
        ("; ", [";", " ", "a"]),
        ("a", ["a", "b"]),
        ("abab", ["ab", "a", "b"]),
    ],
    ids=repr,
)
def test_separators_that_overlap_themselves_count_from_the_left(separator: str, alphabet: list[str]) -> None:
    """Occurrences are those of `str.split`, wherever the search for them begins."""
    texts = st.lists(st.sampled_from(alphabet), max_size=14).map("".join)

    @quickly
    @given(texts)
    def same(text: str) -> None:
        def cut(position: str | None) -> list[str]:
            options = {"separator": separator, "max_size": 99, "strip_whitespace": False}
            return MDocument(text).chunk("character", separator_position=position, **options).texts

        parts = text.split(separator)
        assert cut(None) == [part for part in parts if part]
        assert cut("end") == [part for part in [p + separator for p in parts[:-1]] + parts[-1:] if part]
        assert cut("start") == [part for part in parts[:1] + [separator + p for p in parts[1:]] if part]

    same()


@pytest.mark.parametrize("separator", ["\n\n", "aba", "\r\n\r\n", "  "])
@pytest.mark.parametrize("run", range(1, 8))
def test_odd_runs_keep_the_contract(separator: str, run: int) -> None:
    text = f"one{separator[0] * run}two{separator * run}{separator[:1]}three{separator * (run // 2)}"
    for position in (None, "start", "end"):
        for strip in (True, False):
            options: dict[str, Any] = {"separator_position": position, "strip_whitespace": strip}
            for overlap in (0, 3):
                for separators in ([separator], [separator, ""], [separator, "e", ""]):
                    check_document("recursive", text, separators=separators, max_size=6, overlap=overlap, **options)
            check_document("character", text, separator=separator, max_size=6, overlap=0, **options)


def test_no_cut_inside_cr_lf_at_a_line_feed() -> None:
    for position in (None, "start", "end"):
        for start, end in spans_of("aa\r\nbb\r\ncc", ["\n"], limit=3, strip=False, position=position):
            assert "aa\r\nbb\r\ncc"[start - 1 : start + 1] != "\r\n"
            assert "aa\r\nbb\r\ncc"[end - 1 : end + 1] != "\r\n"


def test_a_separator_that_carries_a_mark_is_none() -> None:
    assert MDocument("a b \u0301c").chunk("character", separator=" ").texts == ["a", "b \u0301c"]


def test_regular_expressions() -> None:
    def cut(pattern: str, text: str, **options: Any) -> list[str]:
        options = {"separator": pattern, "is_separator_regex": True, **options}
        return MDocument(text).chunk("character", **options).texts

    assert cut(r"\d", "a1b22c") == ["a", "b", "c"]
    assert cut(r"(\d)(x)?", "a1b") == ["a", "b"]  # groups have no meaning
    assert cut(r"(?=\d)", "a1b2c", separator_position="start") == ["a", "1b", "2c"]
    assert cut(r"(?<=[.!]) ", "One. Two! 3", separator_position="end") == ["One.", "Two!", "3"]
    assert cut(r"(?<=\d{1,3})b", "11b22b") == ["11", "22"]  # look-behind of any length
    assert cut(r"(?<name>;)", "a;b") == ["a", "b"]  # named as in JavaScript
    assert cut(r"\p{Lu}", "aBcDe") == ["a", "c", "e"]
    assert cut(r"x*", "axxb") == ["a", "b"]
    assert cut(r"\.", "a.b") == ["a", "b"]


@pytest.mark.parametrize("pattern", ["(", "[a", "a{9999999999999999999}", "(" * 5000 + ")" * 5000, r"(?P<n>a)(?P<n"])
def test_wrong_regular_expressions(pattern: str) -> None:
    with pytest.raises(OptionError, match=r"is not a regular expression: .*is_separator_regex=False"):
        level(pattern, regex=True)


# --- joining small chunks ------------------------------------------------------------------------


def test_a_range_joins_small_neighbours() -> None:
    text = "aaaaaaaaaaaa\n\nb\n\ncccccccccccc\n\nd"
    assert MDocument(text).chunk("character", max_size=14, overlap=0).texts == ["a" * 12, "b", "c" * 12, "d"]
    joined = MDocument(text).chunk("character", max_size=(3, 15), overlap=0)
    assert joined.texts == ["aaaaaaaaaaaa\n\nb", "cccccccccccc\n\nd"]
    assert MDocument(text).chunk("character", max_size=(3, 14), overlap=0).texts == ["a" * 12, "b", "c" * 12, "d"]


@quickly
@given(single_separators(), st.integers(1, 10), st.integers(10, 30), st.sampled_from(["recursive", "token"]))
def test_of_two_neighbours_one_is_long_enough_or_they_do_not_fit(
    text: str, least: int, most: int, strategy: str
) -> None:
    chunks = MDocument(text).chunk(strategy, max_size=(least, most), overlap=0)
    length = resolve("cl100k_base" if strategy == "token" else "characters")
    for a, b in pairwise(chunks):
        small = length(a.text) < least or length(b.text) < least
        assert not small or length(text[a.start : b.end]) > most
    assert all(length(chunk.text) <= most for chunk in chunks)


def test_joining_keeps_the_reason_of_the_later_cut() -> None:
    chunks = MDocument("aa b\n\ncc").chunk(
        "recursive", separators=["\n\n", " "], max_size=(3, 5), overlap=0, explain=True
    )
    assert [(c.text, c.cut) for c in chunks] == [("aa b", Cut("separator", 0, "\n\n")), ("cc", Cut("end", 0))]


# --- why a chunk ends ----------------------------------------------------------------------------


def test_explained_cuts() -> None:
    text = "one two\nthree\n\nabcdefghijkl mn"
    chunks = MDocument(text).chunk("recursive", max_size=8, overlap=0, explain=True)
    assert [(c.text, c.cut) for c in chunks] == [
        ("one two", Cut("separator", 1, "\n")),
        ("three", Cut("separator", 0, "\n\n")),
        ("abcdefgh", Cut("characters", 3)),
        ("ijkl", Cut("separator", 2, " ")),
        ("mn", Cut("end", 0)),
    ]


@pytest.mark.parametrize("strategy", ["recursive", "character", "token"])
@pytest.mark.parametrize("options", [{}, {"overlap": 3}, {"max_size": (4, 9)}, {"strip_whitespace": False}], ids=str)
def test_explaining_changes_nothing_else(strategy: str, options: dict[str, Any]) -> None:
    @settings(quickly, max_examples=60)
    @given(rough)
    def same(text: str) -> None:
        given = {"max_size": 9, "overlap": 0, **options}
        plain = MDocument(text).chunk(strategy, **given)
        explained = MDocument(text).chunk(strategy, explain=True, **given)
        assert explained.spans == plain.spans
        assert all(chunk.cut is None for chunk in plain)
        kinds = [chunk.cut.kind if chunk.cut else "" for chunk in explained]
        assert set(kinds) <= {"separator", "characters", "window", "tokens", "end"}

    same()


def test_spans_leave_out_what_is_blank_or_inside_the_last() -> None:
    spans = Spans(" a  b \x1c ", strip=True)
    for start, end in ((0, 2), (2, 4), (4, 6), (5, 6), (6, 8), (3, 5)):
        spans.add(start, end)
    assert list(zip(spans.starts, spans.ends, strict=True)) == [(1, 2), (4, 5)]
