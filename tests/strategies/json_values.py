"""Whether the chunks of a JSON document hold its values: each once, at its place, in order.

Reads the chunks with Python's own `json`, and knows nothing of how they are made.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from cantle import Chunks


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
            assert isinstance(whole, str) and isinstance(value, str) and not isinstance(whole, Number), (value, whole)
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
