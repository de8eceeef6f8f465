"""The sizes of chunks are counted as the strategy counts them; what is in no chunk is counted by reason."""

from __future__ import annotations

from cantle import Chunk, Chunks, MDocument, Source
from cantle_inspect import Sizes, losses, measured
from cantle_inspect.measures.sizes import number, repeated
from cantle_inspect.report.histogram import bins, histogram

TEXT = "One two three. Four five six.\n\nSeven eight nine. Ten eleven twelve."


def test_the_unit_is_that_of_the_strategy() -> None:
    document = MDocument.from_text(TEXT)
    words = measured(document.chunk("recursive", max_size=6, overlap=0, length_function="words"))
    assert words == Sizes((6, 6), "words", 6)
    assert words.used == 1.0
    tokens = measured(document.chunk("recursive", max_size=10, overlap=0, length_function="cl100k_base"))
    assert tokens.unit == "tokens (cl100k_base)"
    assert measured(document.chunk("token", max_size=5, overlap=0)).unit == "tokens (cl100k_base)"
    assert measured(document.chunk("token", max_size=5, overlap=0)).most == 5
    assert measured(document.chunk("recursive", length_function=len)).unit == "units of len"
    assert measured(document.chunk("recursive", length_function="utf16")).unit == "UTF-16 units"


def test_the_limit_is_the_upper_end_of_a_range_and_may_be_missing() -> None:
    document = MDocument.from_markdown("# A\n\nOne.\n")
    assert measured(document.chunk("recursive", max_size=(10, 40))).limit == 40
    assert measured(document.chunk("markdown")).limit == 4000
    assert measured(document.chunk("markdown", headers=[("#", "t")])).limit is None
    assert measured(document.chunk("semantic-markdown")).limit is None


def test_prefixes_count() -> None:
    chunks = Chunks(Source("one"), [Chunk("one", 0, 3, prefix="# A\n")])
    assert measured(chunks).values == (7,)


def test_statistics() -> None:
    sizes = Sizes((1, 2, 3, 10), "words", 8)
    assert (sizes.least, sizes.median, sizes.mean, sizes.most, sizes.used) == (1, 2.5, 4, 10, 0.5)
    empty = Sizes(())
    assert (empty.least, empty.median, empty.mean, empty.most, empty.used) == (None,) * 5


def test_what_repeats_and_what_is_lost() -> None:
    text = "one two three SEP four lost"
    chunks = Chunks(
        Source(text),
        [Chunk("one two", 0, 7), Chunk("two three", 4, 13, overlap=3), Chunk("four", 18, 22)],
        dropped=[(14, 17, "separator")],
    )
    assert repeated(chunks) == 3 / 20
    found = losses(chunks)
    assert (found.dropped, found.undeclared, found.characters) == ({"separator": (1, 3)}, 4, 3)


def test_bins_hold_all_values_in_steps_that_people_can_read() -> None:
    for values in ([1], [0, 1, 2], list(range(1000)), [480] * 5, [0.5, 7.25], [3, 1_000_000]):
        found = bins(values)
        assert sum(b.chunks for b in found) == len(values)
        assert len(found) <= 20
        assert all(b.high - b.low == found[0].high for b in found)
    assert [(b.low, b.high) for b in bins([96])][-1] == (95, 100)
    assert bins([100])[-1] == (95, 100, 1)  # a chunk at the limit is drawn below it
    assert bins([0]) == [(0, 1, 1)]
    assert bins([]) == []


def test_the_histogram_says_the_same_in_words() -> None:
    made = histogram(Sizes((100, 200, 400), "characters", 480))
    words = "3 chunks of 100 to 400 characters, half of them up to 200, 233.3 on average; the limit is 480."
    assert f"<desc>{words}</desc>" in made
    assert "<title>Sizes of chunks</title>" in made
    assert ">limit 480</text>" in made
    assert "limit" not in histogram(Sizes((1, 2), "characters", 4000)).partition("<path")[2]  # far off the scale
    assert histogram(Sizes(())) == ""


def test_numbers_for_people() -> None:
    assert [number(v) for v in (1234, 12.5, 3.0, 3.04, None)] == ["1,234", "12.5", "3", "3", "–"]
