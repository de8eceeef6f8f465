"""Plain text as blocks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cantle.blocks.text import TextBlock, text_blocks
from cantle.whitespace import BLANKS


@pytest.mark.parametrize(
    ("line", "level", "title"),
    [
        ("1 Introdução", 1, "1 Introdução"),
        ("1. Introdução", 1, "1 Introdução"),
        ("3.1 Instalação", 2, "3.1 Instalação"),
        ("3.1. Instalação", 2, "3.1 Instalação"),
        ("   4.2.10  Windows 11 ", 3, "4.2.10 Windows 11"),
        ("1.2.3.4.5\tÉ", 5, "1.2.3.4.5 É"),
        ("1 " + "A" * 91, 1, "1 " + "A" * 91),
        ("1 A\u2028b", 1, "1 A\u2028b"),
        ("1 A\x85b", 1, "1 A\x85b"),
    ],
)
def test_headings(line: str, level: int, title: str) -> None:
    assert text_blocks(line) == [TextBlock(0, len(line), level, title)]


@pytest.mark.parametrize(
    "line",
    [
        "1 introdução",
        "1Introdução",
        "123 Introdução",
        "1.2.3.4.5.6 Introdução",
        "    1 Introdução",
        "1 " + "A" * 92,
        "1.. A",
        "1 Ⓐ",
        "1 ǅ",
        "١ Abc",
        "1",
        "1 ",
        "Chapter 1",
        "1 \u3000A",
    ],
)
def test_no_headings(line: str) -> None:
    assert [block.level for block in text_blocks(line)] == [0]


def test_a_heading_and_a_blank_line_end_a_paragraph() -> None:
    text = "one\ntwo\n1 Head\nthree\n \nfour\n\n\nfive"
    assert [(text[block.start : block.end], block.level) for block in text_blocks(text)] == [
        ("one\ntwo", 0),
        ("1 Head", 1),
        ("three", 0),
        ("four", 0),
        ("five", 0),
    ]


@given(st.text(st.sampled_from(["\n", " ", "\t", "1", ".", "A", "b", "\u3000", "\x85", "\u2028"])))
def test_every_line_that_is_not_blank_is_in_one_block(text: str) -> None:
    blocks = text_blocks(text)
    lines = [line for line in text.split("\n") if line.strip(BLANKS)]
    found = [line for block in blocks for line in text[block.start : block.end].split("\n")]
    assert found == lines
    assert all(a.end < b.start for a, b in pairwise(blocks))
