"""`Source` and `OffsetMap`: positions go through rewritings and come back."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle import OffsetMap, Source
from cantle.errors import OptionError


@st.composite
def edited(draw: Any, text: str | None = None) -> tuple[str, str, OffsetMap]:
    """A text, the text after a few edits, and the map between them."""
    text = draw(st.text("abc \n\U0001f600", max_size=30)) if text is None else text
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    cuts = cuts[: len(cuts) // 2 * 2]
    edits, new, at = [], [], 0
    for start, end in zip(cuts[::2], cuts[1::2], strict=True):
        put = draw(st.text("XYZ", max_size=3))
        new += [text[at:start], put]
        edits.append((start, end, len(put)))
        at = end
    return text, "".join([*new, text[at:]]), OffsetMap.from_edits(len(text), edits)


@given(edited())
def test_copies_are_copies(case: tuple[str, str, OffsetMap]) -> None:
    old_text, new_text, offsets = case
    assert (offsets.old_length, offsets.new_length) == (len(old_text), len(new_text))
    for new, old, length in offsets.copies:
        assert length > 0
        assert new_text[new : new + length] == old_text[old : old + length]
    ends = [(new + n, old + n) for new, old, n in offsets.copies]
    for (new_end, old_end), (new, old, _) in zip(ends, offsets.copies[1:], strict=False):
        assert new_end <= new
        assert old_end <= old


@given(edited(), st.data())
def test_stretches_are_the_copied_characters(case: tuple[str, str, OffsetMap], data: st.DataObject) -> None:
    old_text, new_text, offsets = case
    start = data.draw(st.integers(0, len(new_text)))
    end = data.draw(st.integers(start, len(new_text)))
    found = "".join(old_text[a:b] for a, b in offsets.stretches(start, end))
    copied = {i for new, _, length in offsets.copies for i in range(new, new + length)}
    assert found == "".join(new_text[i] for i in range(start, end) if i in copied)


@given(edited())
def test_positions_ascend_and_stay_inside(case: tuple[str, str, OffsetMap]) -> None:
    old_text, new_text, offsets = case
    positions = [offsets.to_old(i) for i in range(len(new_text) + 1)]
    assert positions == sorted(positions)
    assert all(0 <= p <= len(old_text) for p in positions)
    for new, old, length in offsets.copies:
        assert [offsets.to_old(new + i) for i in range(length)] == list(range(old, old + length))


@given(st.data())
def test_two_rewritings_are_one(data: st.DataObject) -> None:
    first, second, one = data.draw(edited())
    _, third, two = data.draw(edited(second))
    both = one.then(two)
    assert (both.old_length, both.new_length) == (len(first), len(third))
    assert all(third[n : n + k] == first[o : o + k] for n, o, k in both.copies)
    for start in range(len(third)):
        through = tuple(s for a, b in two.stretches(start, start + 1) for s in one.stretches(a, b))
        assert both.stretches(start, start + 1) == through


@given(st.integers(0, 50))
def test_identity(length: int) -> None:
    offsets = OffsetMap.identity(length)
    assert offsets.is_identity
    assert offsets == OffsetMap.from_edits(length, [])
    assert [offsets.to_old(i) for i in range(length + 1)] == list(range(length + 1))
    assert offsets.then(offsets) == offsets
    assert offsets.stretches(0, length) == (((0, length),) if length else ())


def test_what_was_made_maps_to_the_copy_before_it() -> None:
    offsets = OffsetMap.from_edits(10, [(0, 0, 3), (4, 6, 2)])  # three made at the front, 4:6 replaced
    assert offsets.copies == ((3, 0, 4), (9, 6, 4))
    assert [offsets.to_old(i) for i in (0, 2, 3, 6, 7, 8, 9, 13)] == [0, 0, 0, 3, 4, 4, 6, 10]
    assert offsets.stretches(0, 3) == ()
    assert offsets.stretches(2, 11) == ((0, 4), (6, 8))
    assert not offsets.is_identity


@pytest.mark.parametrize("edits", [[(2, 1, 0)], [(0, 11, 0)], [(3, 5, 0), (4, 6, 0)], [(0, 1, -1)], [(-1, 2, 0)]])
def test_wrong_edits_are_refused(edits: list[tuple[int, int, int]]) -> None:
    with pytest.raises(OptionError, match=r"edits must ascend inside 0\.\.10 and not overlap, got \("):
        OffsetMap.from_edits(10, edits)


def test_a_source_is_frozen() -> None:
    source = Source("text", metadata={"a": 1})
    assert (source.kind, source.source, source.body) == ("text", "", 0)
    with pytest.raises(dataclasses.FrozenInstanceError):
        source.text = "other"  # type: ignore[misc]


@pytest.mark.parametrize("copies", [((0, 0, 2), (1, 3, 1)), ((0, 2, 1), (1, 1, 1)), ((0, 0, 9),), ((0, 0, -1),)])
def test_copies_that_cannot_be_are_refused(copies: tuple[tuple[int, int, int], ...]) -> None:
    with pytest.raises(OptionError, match="the copies of an OffsetMap must"):
        OffsetMap(copies, 4, 4)
