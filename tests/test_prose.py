"""Pieces between sentences, against a plain listing of them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cantle.blocks.sentences import segmenter
from cantle.lengths import resolve
from cantle.packing import Clusters, Literal, Packer, Sentences

RULES = segmenter("rules", "any")
Keep = list[tuple[int, int]]


def listed(text: str, start: int, end: int, keep: Keep) -> list[tuple[int, int]]:
    """Begin and end of every piece: sentences, joined where the border is in a stretch to keep."""
    found: list[tuple[int, int]] = []
    for a, b in RULES.on(text[start:end]):
        if found and any(low < found[-1][1] < high for low, high in keep):
            found[-1] = (found[-1][0], start + b)
        else:
            found.append((start + a, start + b))
    return found


TEXTS = st.lists(
    st.sampled_from(["Aa b. ", "C d? ", "E\n", "F.\n\n", "g h", " ", "I! ", "Dr. K ", "。", "3.4 "]), max_size=14
).map("".join)


@st.composite
def regions(draw: st.DrawFn) -> tuple[str, int, int, Keep]:
    text = draw(TEXTS)
    start = draw(st.integers(0, min(len(text), 5)))
    end = draw(st.integers(start, len(text)))
    borders = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    return text, start, end, [(a, b) for a, b in zip(borders[::2], borders[1::2], strict=False)]


@given(regions())
@example(("One. Two. Three.", 0, 16, [(2, 7)]))
@example(("One. Two. Three.  ", 0, 18, [(0, 18)]))
@example(("One. Two.", 0, 9, [(4, 5), (5, 9)]))
def test_as_listed(region: tuple[str, int, int, Keep]) -> None:
    text, start, end, keep = region
    wanted = listed(text, start, end, keep)
    pieces = Sentences(RULES, keep).on(text, start, end, True)
    if len(wanted) < 2:
        assert pieces is None
        return
    assert pieces is not None
    begins, stops = [a for a, _ in wanted], [b for _, b in wanted]
    # The last piece takes what is left of the region.
    followed = [*zip(stops[:-1], begins[1:], strict=True), (end, end)]
    assert pieces.begin(start) == begins[0]
    assert [pieces.next(begin) for begin in begins] == followed
    for begin in begins:
        assert pieces.content_end(begin) == end
        for most in range(begin, end + 1):
            # Counted back from a position it ends with its sentence: a chunk that is too long has to get shorter.
            reached = [(stop, after) for stop, (_, after) in zip(stops, followed, strict=True) if begin < stop <= most]
            assert pieces.last(begin, most) == (reached[-1] if reached else None)
        for at in range(begin, end + 1):
            assert pieces.start_after(begin, at, end) == min([b for b in begins if b >= at], default=end)


def test_one_sentence_is_no_pieces() -> None:
    for text in ("One sentence only.", "words", "", "  "):
        assert Sentences(RULES).on(text, 0, len(text), True) is None
    text = "One is here. Two is here."
    assert Sentences(RULES).on(text, 0, 12, True) is None
    assert Sentences(RULES, [(0, 25)]).on(text, 0, 25, True) is None
    assert Sentences(RULES, [(0, 12)]).on(text, 0, 25, True) is not None


@pytest.mark.parametrize("keep", [[], [(14, 38)]])
@pytest.mark.parametrize("length", ["characters", "bytes", "words"])
def test_packed_as_one_by_one(length: str, keep: Keep) -> None:
    text = (
        "Aa is here. Bb is too. Cc comes third! Dd? Ee ends it. Ff is a longer sentence of the text. Gg. Hh. Ii it is."
    )
    measure = resolve(length)
    sentences = listed(text, 0, len(text), keep)
    for limit in range(1 + max(int(measure(text[a:b])) for a, b in sentences), int(measure(text)) + 1):
        packer = Packer(
            text, measure.measure(text), [Sentences(RULES, keep), Literal(" "), Clusters()], limit=limit, explain=True
        )
        spans = packer.pack()
        wanted: list[tuple[int, int]] = []
        for a, b in sentences:
            if wanted and measure(text[wanted[-1][0] : b]) <= limit:
                wanted[-1] = (wanted[-1][0], b)
            else:
                wanted.append((a, b))
        assert list(zip(spans.starts, spans.ends, strict=True)) == wanted, limit
        assert spans.cuts is not None
        assert {cut.kind for cut in spans.cuts[:-1] if cut} <= {"sentence"}
    assert all(a[1] < b[0] for a, b in pairwise(sentences))
