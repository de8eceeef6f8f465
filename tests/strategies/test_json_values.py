"""The strategy `json` loses nothing: each value is in the chunks once, at its place, in order.

Reads the chunks with Python's own `json`, and knows nothing of how they are made.
"""

from __future__ import annotations

import json
import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cantle import Chunks, MDocument
from cantle.errors import DuplicateKeyWarning
from cantle.lengths import resolve
from cantle.strategies.json import Json
from cantle.testing import check_document, json_documents


class Pairs(list[tuple[str, Any]]):
    """An object as its members, repeated keys and all."""


class Number(str):
    """A number as it is written."""


Step = str | int
Leaf = tuple[tuple[Step, ...], Any]


def paired(text: str) -> str:
    """Two code points that make a surrogate pair are one character to JSON."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def load(text: str) -> Any:
    return json.loads(paired(text), object_pairs_hook=Pairs, parse_int=Number, parse_float=Number)


def leaves(value: Any, path: tuple[Step, ...] = ()) -> Iterator[Leaf]:
    """What has nothing inside, in order; a step is a key or the index of an item."""
    if isinstance(value, Pairs) and value:
        for key, item in value:
            yield from leaves(item, (*path, key))
    elif isinstance(value, list) and not isinstance(value, Pairs) and value:
        for i, item in enumerate(value):
            yield from leaves(item, (*path, i))
    else:
        yield path, ("{}" if isinstance(value, Pairs) else value)


def assert_holds_values(chunks: Chunks, *, convert_lists: bool = False) -> None:
    """Every leaf of the source is in the chunks, in order, under its keys; strings may come in parts."""
    text = chunks.source.text.removeprefix("\ufeff").strip(" \t\r\n")
    try:
        wanted = list(leaves(load(text)))
    except json.JSONDecodeError:  # JSON Lines
        wanted = list(leaves([load(line) for line in text.split("\n") if line.strip()]))
    if wanted in ([((), "{}")], [((), [])]):
        assert not chunks
        return
    if convert_lists:
        wanted = [(path, "{}" if value == [] else value) for path, value in wanted]
    at, begun = 0, ""
    for chunk in chunks:
        places: list[tuple[Step, ...]] = []
        bases: dict[tuple[Step, ...], int] = {}
        for inner, value in leaves(load(chunk.text)):
            assert at < len(wanted), chunk
            place, whole = wanted[at]
            _assert_in_place(inner, place, bases, chunk.text)
            places.append(place if inner or not place else (*place, ""))
            if value == whole and type(value) is type(whole) and not begun:
                at += 1
                continue
            assert type(whole) is type(value) is str, (value, whole)
            begun += value
            assert whole.startswith(begun), (value, whole)
            if begun == whole:
                at, begun = at + 1, ""
        assert tuple(map(paired, chunk.path)) == tuple(map(str, _container(places))), (chunk.path, places)
    assert (at, begun) == (len(wanted), "")


def _assert_in_place(
    inner: tuple[Step, ...], place: tuple[Step, ...], bases: dict[tuple[Step, ...], int], text: str
) -> None:
    hidden = len(place) - len(inner)
    assert hidden >= 0, (inner, place, text)
    for i, (step, true) in enumerate(zip(inner, place[hidden:], strict=True)):
        if isinstance(step, str):
            assert step == str(true), (inner, place, text)
        else:  # lists begin where the chunk does
            assert isinstance(true, int)
            assert bases.setdefault(inner[:i], true - step) == true - step


def _container(places: list[tuple[Step, ...]]) -> tuple[Step, ...]:
    first, last = min(places, key=len), places
    common = first[:-1]
    while any(place[: len(common)] != common for place in last):
        common = common[:-1]
    return common


# --- documents that are harder than `json_documents()` ------------------------------------------------------------

PIECES = (
    "word ", "a", "b ", " ", '"', "\\", "\n", "\t", "\x01", "/", "é", "e\u0301", "\u0301", "\u200d", "\u0600", "\u2028",
    "\U0001f468\u200d\U0001f469\u200d\U0001f466", "\U0001f600", "\U0001f1e7\U0001f1f7", "潮汐", "\ud83d", "\ude00",
    "[1]", '{"a":1}', ",", ":", "<|endoftext|>",
)  # fmt: skip
SHORT = ("", "0", "1", "10", "-1", "a", "a/b~c", " ", "root", "é", "\\", "\ud83d")
NUMBERS = ("0", "-0", "12", "1.0", "2.50", "1e21", "1E400", "-3e-10", "123456789012345678901234567890", "9" * 30)


class Maker:
    """Makes a document from a seed: deep, wide, repeated keys, keys of digits, escapes, odd layouts."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.choice, self.chance = self.random.choice, self.random.random
        self.spread = self.chance() < 0.6

    def document(self) -> str:
        text = self.blank() + self.value(0) + self.blank()
        if self.chance() < 0.1:
            self.spread = False
            text = "\n".join(self.value(1) for _ in range(self.random.randint(2, 6)))
        return "\ufeff" + text if self.chance() < 0.05 else text

    def blank(self) -> str:
        return self.choice(("", " ", "\n", "  \n\t", "\r\n")) if self.spread else ""

    def value(self, depth: int) -> str:
        kind, blank, deepest = self.chance(), self.blank, self.choice((1, 2, 3, 5, 8, 12))
        if depth < deepest and kind < 0.75:
            count = self.choice((0, 1, 1, 2, 3, 6, 12))
            if kind < 0.5:
                members = [self.string() + blank() + ":" + blank() + self.value(depth + 1) for _ in range(count)]
                return "{" + ",".join(blank() + member + blank() for member in members) + "}"
            return "[" + ",".join(blank() + self.value(depth + 1) + blank() for _ in range(count)) + "]"
        if kind < 0.85:
            return self.choice(("true", "false", "null", *NUMBERS))
        return self.string()

    def string(self) -> str:
        kind = self.chance()
        if kind < 0.3:
            text = self.choice((*SHORT, *"abcdefgh"))
        elif kind < 0.6:
            text = "".join(self.choice(PIECES) for _ in range(self.random.randint(0, self.choice((3, 10, 60)))))
        else:
            words = self.random.randint(1, self.choice((2, 8, 40)))
            text = " ".join("w" * self.random.randint(1, 9) for _ in range(words))
        written = json.dumps(text, ensure_ascii=self.chance() < 0.4)
        return written.replace("/", "\\/") if self.chance() < 0.3 else written


def rough(text: str) -> int:
    """A length that is no sum and not even monotone."""
    return len(text) // 3 + text.count(" ")


LENGTHS: list[str | Callable[[str], int]] = ["characters", "utf16", "bytes", "words", "cl100k_base", rough]


@pytest.mark.parametrize("length", LENGTHS)
@settings(max_examples=40)
@given(
    seed=st.integers(0, 1 << 32),
    size=st.sampled_from([5, 12, 20, 40, 60, 100, 200, 1000]),
    least=st.sampled_from([None, 1, 10, 50, 500]),
    ensure_ascii=st.booleans(),
    convert_lists=st.booleans(),
)
def test_every_value_comes_out_once(
    length: Any, seed: int, size: int, least: int | None, ensure_ascii: bool, convert_lists: bool
) -> None:
    least = least and min(least, size)
    strategy = Json(
        max_size=size, min_size=least, ensure_ascii=ensure_ascii, convert_lists=convert_lists, length_function=length
    )
    document = MDocument(Maker(seed).document(), "json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateKeyWarning)
        chunks = document.chunk(strategy)
        check_document(strategy, document, points=(1, 2, 3, 4, 5, 6, 9))
    measure = resolve(length)
    if all(not chunk.exact for chunk in chunks) and measure('" "') <= size:
        assert_holds_values(chunks, convert_lists=convert_lists)
    elif length == "characters":
        assert size <= 60  # then there is room for every value of these documents


@settings(max_examples=100)
@given(json_documents(), st.sampled_from([20, 60, 300]), st.booleans())
@example('{"a":{"a":{"b":[[1,2,[3,4]],{"c":[5]},"six"]}},"":[]}', 20, False)
def test_every_value_of_usual_documents(text: str, size: int, pair: bool) -> None:
    document = MDocument(text, "json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateKeyWarning)
        chunks = document.chunk("json", max_size=(size // 2, size) if pair else size)
    assert all(len(chunk.text) <= size for chunk in chunks if not chunk.exact)
    if all(not chunk.exact for chunk in chunks):
        assert_holds_values(chunks)


@settings(max_examples=40)
@given(st.integers(0, 1 << 32), st.sampled_from([1, 2, 3, 7]))
def test_limits_below_a_value_with_its_quotes(seed: int, size: int) -> None:
    document = MDocument(Maker(seed).document(), "json")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DuplicateKeyWarning)
        check_document("json", document, max_size=size, points=(1, 2, 3, 4, 5, 6, 9))
