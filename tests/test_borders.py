"""Levels of one who knows the format: cuts at given positions, literals outside stretches to keep."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from cantle.graphemes import is_boundary
from cantle.lengths import resolve
from cantle.packing import Borders, Level, Literal, Outside, Packer


def fenced(text: str) -> list[tuple[int, int]]:
    """Stretches between `<` and `>`."""
    return [match.span() for match in re.finditer("<[^<>]*>", text)]


@given(st.lists(st.sampled_from(["a", "bb", "<c  d>", "<e\n\nf g>", "h" * 12]), max_size=12), st.data())
def test_a_stretch_to_keep_is_whole_while_it_fits(words: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(st.sampled_from([" ", "\n", "\n\n", "  "])) for _ in words]
    text = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
    limit = data.draw(st.integers(1, 30))
    overlap = data.draw(st.integers(0, min(8, limit - 1)))
    keep = fenced(text)
    levels: list[Level] = [Outside(Literal(s), keep) for s in ("\n\n", "\n", " ")]
    levels += [Literal(s) for s in ("\n\n", "\n", " ")]
    spans = Packer(text, resolve("characters").measure(text), levels, limit=limit, overlap=overlap).pack()
    pieces = list(zip(spans.starts, spans.ends, strict=True))
    assert all(end - start <= limit for start, end in pieces)
    for start, end in keep:
        if end - start <= limit:
            assert any(a <= start and end <= b for a, b in pieces)


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 20), st.integers(0, 5))
def test_with_nothing_to_keep_it_is_the_literal_alone(text: str, limit: int, overlap: int) -> None:
    def cut(*levels: Level) -> list[tuple[int, int]]:
        packer = Packer(text, resolve("characters").measure(text), levels, limit=limit, overlap=min(overlap, limit - 1))
        spans = packer.pack()
        return list(zip(spans.starts, spans.ends, strict=True))

    plain = [Literal("\n\n"), Literal(" ")]
    assert cut(*(Outside(literal, []) for literal in plain)) == cut(*plain)


@given(st.text(alphabet="ab \n\r\u0301", max_size=60), st.sets(st.integers(0, 60), max_size=8))
def test_borders_are_the_only_cuts_where_the_pieces_fit(text: str, positions: set[int]) -> None:
    borders = sorted(at for at in positions if at < len(text))
    measure = resolve("characters").measure(text)
    packer = Packer(text, measure, [Borders(borders, "block")], limit=60, strip=False, explain=True)
    packer.limit = max([1, *(b - a for a, b in zip([0, *borders], [*borders, len(text)], strict=True))])
    spans = packer.pack()
    assert "".join(text[a:b] for a, b in zip(spans.starts, spans.ends, strict=True)) == text
    allowed = {len(text), *borders}
    if not any(not is_boundary(text, at) for at in borders):
        assert set(spans.ends) <= allowed
        assert all(cut.kind in ("block", "end") for cut in spans.cuts or ())
