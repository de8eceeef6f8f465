"""Rows in frames: what is repeated, what is full, what is lost (nothing)."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.chunk import Cut
from cantle.lengths import resolve
from cantle.packing import Clusters, Frame, Literal, Packer, Part, framed


def parts_of(
    text: str, limit: float, *, tail: bool = False, begin: int = 0, before: str = "", length: str = "characters"
) -> list[Part]:
    """The parts of a frame: the first line of `text` is the lead, with `tail` the last line the tail."""
    text = before + text
    lines = [0]
    for i, character in enumerate(text):
        if character == "\n":
            lines.append(i + 1)
    lines = [at for at in lines if at >= len(before)]
    lead = (lines[0], lines[1] - 1)
    rows = [a for a, b in pairwise([*lines[1:], len(text) + 1]) if text[a : b - 1].strip()]
    end = (lines[-1], len(text)) if tail else None
    frame = Frame(lines[0], len(text), lead, [a for a in rows if not end or a < end[0]], end)
    measure = resolve(length)
    packer = Packer(text, measure.measure(text), [Literal(" "), Clusters()], limit=limit, explain=True)
    return list(framed(packer, text, begin, frame, measure))


def shown(text: str, parts: list[Part], tail: str = "") -> list[str]:
    lead = text.split("\n")[0] + "\n"
    return [
        (lead if part.led else "") + text[part.start : part.end] + ("\n" + tail if part.tailed else "")
        for part in parts
    ]


def test_parts_hold_as_many_rows_as_fit_and_the_first_has_the_lead_as_its_own() -> None:
    text = "L\naa\nbb\ncc\ndd\nee"
    assert shown(text, parts_of(text, 7)) == ["L\naa\nbb", "L\ncc\ndd", "L\nee"]
    assert shown(text, parts_of(text, 6)) == ["L\naa", "L\nbb", "L\ncc", "L\ndd", "L\nee"]
    assert [(part.led, part.tailed) for part in parts_of(text, 8)] == [(False, False), (True, False), (True, False)]
    assert shown(text, parts_of(text, 15)) == [text[:13], "L\nee"]
    assert shown(text, parts_of(text, 16)) == [text]


def test_the_last_part_has_the_tail_of_the_text_and_the_others_have_it_repeated() -> None:
    text = "```\naa\nbb\ncc\ndd\n```"
    parts = parts_of(text, 13, tail=True)
    assert shown(text, parts, "```") == ["```\naa\nbb\n```", "```\ncc\ndd\n```"]
    assert [(part.led, part.tailed) for part in parts] == [(False, True), (True, False)]
    assert shown(text, parts_of(text, 12, tail=True), "```") == [f"```\n{row}\n```" for row in ("aa", "bb", "cc", "dd")]


def test_what_goes_before_the_frame_is_in_the_first_part_where_it_fits() -> None:
    text = "L\naa\nbb"
    parts = parts_of(text, 11, before="words\n\n")
    assert [(part.start, part.end, part.led) for part in parts] == [(0, 11, False), (12, 14, True)]
    parts = parts_of(text, 10, before="words\n\n")
    assert [(part.start, part.end, part.led) for part in parts] == [(0, 5, False), (9, 11, True), (12, 14, True)]


def test_blank_lines_between_rows_stay_between_and_go_at_the_ends() -> None:
    text = "L\naa\n\n  \nbb\n\ncc\n"
    assert shown(text, parts_of(text, 100)) == [text.rstrip()]
    assert shown(text, parts_of(text, 12)) == ["L\naa\n\n  \nbb", "L\ncc"]
    assert shown(text, parts_of(text, 8)) == ["L\naa", "L\nbb\n\ncc"]


def test_the_fragments_of_a_row_that_is_too_long_are_framed() -> None:
    text = "L\na bb ccc dddd eeeee\nf"
    parts = parts_of(text, 8)
    assert shown(text, parts) == ["L\na bb", "L\nccc", "L\ndddd", "L\neeeee", "L\nf"]
    assert [part.cut for part in parts] == [Cut("separator", 0, " ")] * 3 + [Cut("row", 0), Cut("block", 0)]
    word = "L\nabcdefghijk\nx"
    assert shown(word, parts_of(word, 6)) == ["L\nabcd", "L\nefgh", "L\nijk", "L\nx"]


def test_the_fragments_of_the_last_row_end_before_the_tail() -> None:
    text = "```\naaaa bbbb\n```"
    assert shown(text, parts_of(text, 12, tail=True), "```") == ["```\naaaa\n```", "```\nbbbb\n```"]


def test_a_frame_that_leaves_no_room_is_not_repeated_and_nothing_is_lost() -> None:
    text = "|aaaa|\nbbb\ncc"
    parts = parts_of(text, 7)
    assert [text[part.start : part.end] for part in parts] == ["|aaaa|", "b", "b", "b", "c", "c"]
    code = "```\naa\nb\n```"
    parts = parts_of(code, 8, tail=True)
    assert [code[part.start : part.end] for part in parts] == ["```", "a", "a", "b", "```"]
    assert not any(part.led or part.tailed for part in parts)


def test_the_last_part_needs_no_room_for_a_tail_that_the_text_does_not_have() -> None:
    text = "```\na\nb\nc\nd"
    measure = resolve("characters")
    frame = Frame(0, len(text), (0, 3), [4, 6, 8, 10], (0, 3))
    for limit, count in ((11, 1), (10, 2)):
        packer = Packer(text, measure.measure(text), [Literal(" "), Clusters()], limit=limit)
        assert len(list(framed(packer, text, 0, frame, measure))) == count


ROWS = st.lists(
    st.text("ab é😀\t", min_size=1, max_size=12).filter(lambda row: bool(row.strip())), min_size=1, max_size=12
)


@pytest.mark.parametrize("length", ["characters", "bytes", "utf16", "cl100k_base"])
@given(rows=ROWS, gaps=st.data(), limit=st.integers(8, 40), tail=st.booleans())
def test_nothing_is_lost_or_too_long(length: str, rows: list[str], gaps: st.DataObject, limit: int, tail: bool) -> None:
    lead, end = ("```", "```") if tail else ("|a|", "")
    between = st.sampled_from(["\n", "\n\n", " \n"])
    text = lead + "\n" + "".join(row + gaps.draw(between) for row in rows) + end
    parts = parts_of(text, limit, tail=tail, length=length)
    measure = resolve(length)
    for piece in shown(text, parts, end):
        # One cluster may be longer than what the frame leaves.
        assert measure(piece) <= limit or len(piece.replace(lead, "").replace(end, "").strip()) <= 1
    for before, part in pairwise(parts):
        assert before.end <= part.start
        assert not text[before.end : part.start].strip()
    assert text[parts[-1].end :].strip() in ("", end)
    own = "".join(text[part.start : part.end] for part in parts)
    assert "".join(own.split()).replace("```", "").replace("|a|", "") == "".join("".join(rows).split())


@given(rows=ROWS, limit=st.integers(20, 60))
def test_no_part_has_room_for_the_next_row(rows: list[str], limit: int) -> None:
    text = "|a|\n" + "\n".join(rows)
    parts = parts_of(text, limit)
    for part, following in pairwise(parts):
        row = text.find("\n", following.start)
        row = following.start + len(text[following.start : row if row >= 0 else len(text)].rstrip())
        assert len("|a|\n" if part.led else "") + row - part.start > limit
