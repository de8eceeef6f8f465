"""The strategy `structural-context`: sections, the headings in front, blocks, overlap, options."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest

from cantle import Chunk, Chunks, MDocument
from cantle.errors import OptionError, UnusedOptionWarning
from cantle.lengths import resolve

NESTED = "# A\n\n## B\n\n### C\n\none two three four five six seven eight nine ten eleven twelve."


def cut(text: str, kind: str = "markdown", **options: Any) -> Chunks:
    return MDocument(text, kind=kind).chunk("structural-context", **options)


def bare(text: str, **options: Any) -> Chunks:
    """Without joining of small sections."""
    return cut(text, **{"min_chunk_size": 0, **options})


def contents(chunks: Chunks) -> list[str]:
    return [chunk.content for chunk in chunks]


# --- the headings in front -----------------------------------------------------------------------


def test_the_headings_around_a_chunk_stand_in_front_of_it_and_only_those_above_where_it_begins_with_its_own() -> None:
    chunks = bare(NESTED, max_size=60)
    assert [(c.prefix, c.content) for c in chunks] == [
        ("", "# A"),
        ("# A\n\n", "## B"),
        ("# A\n## B\n\n", "### C\n\none two three four five six seven"),
        ("# A\n## B\n### C\n\n", "eight nine ten eleven twelve."),
    ]
    assert [c.path for c in chunks] == [("A",), ("A", "B"), ("A", "B", "C"), ("A", "B", "C")]
    assert chunks[3].text == "# A\n## B\n### C\n\neight nine ten eleven twelve."


def test_only_the_nearest_heading() -> None:
    assert [c.prefix for c in bare(NESTED, max_size=60, heading_path=False)] == ["", "# A\n\n", "## B\n\n", "### C\n\n"]


def test_no_headings_in_front() -> None:
    chunks = bare(NESTED, max_size=60, prepend_heading=False)
    assert {c.prefix for c in chunks} == {""}
    assert chunks[-1].path == ("A", "B", "C")


def test_the_outermost_headings_go_first_where_they_take_more_than_four_tenths() -> None:
    text = "# " + "x" * 10 + "\n## " + "y" * 10 + "\n\n" + "word " * 60
    whole = "# xxxxxxxxxx\n## yyyyyyyyyy\n\n"
    for size in range(20, 120):
        last = bare(text, max_size=size)[-1]
        if len(whole) <= 0.4 * size:
            assert last.prefix == whole, size
        elif len("## yyyyyyyyyy\n\n") <= 0.4 * size:
            assert last.prefix == "## yyyyyyyyyy\n\n", size
        else:
            assert last.prefix == "", size
    assert bare(text, max_size=69)[-1].prefix == "## yyyyyyyyyy\n\n"
    assert bare(text, max_size=70)[-1].prefix == whole


def test_a_heading_that_is_left_out_in_front_is_in_the_path_all_the_same() -> None:
    chunks = bare("# A very long heading\n\n" + "word " * 20, max_size=30)
    assert {c.prefix for c in chunks} == {""}
    assert {c.path for c in chunks} == {("A very long heading",)}


def test_a_heading_without_a_title_is_in_no_prefix() -> None:
    chunks = bare("# A\n\n##\n\n" + "some words here " * 5, max_size=40)
    assert {c.prefix for c in chunks[2:]} == {"# A\n\n"}
    assert {c.path for c in chunks} == {("A",)}


def test_text_before_the_first_heading_has_neither_prefix_nor_path() -> None:
    first = bare("Before all.\n\n# A\n\nText.", max_size=40)[0]
    assert (first.content, first.prefix, first.path) == ("Before all.", "", ())


# --- joining of small sections -------------------------------------------------------------------


def test_small_sections_are_joined_with_subsections_and_later_siblings_never_under_another_parent() -> None:
    text = "# Tanks\n\n## Fuel\n\nDiesel.\n\n## Water\n\nFrom the quay.\n\n# Lights\n\n## Masthead\n\nWhite."
    assert contents(cut(text, max_size=80, min_chunk_size=50)) == [
        "# Tanks\n\n## Fuel\n\nDiesel.\n\n## Water\n\nFrom the quay.",
        "# Lights\n\n## Masthead\n\nWhite.",
    ]
    under = "# P\n\n" + "text of the first part. " * 3 + "\n\n## Q\n\nsmall\n\n# R\n\n" + "text of the last part. " * 3
    for chunk in cut(under, max_size=100, min_chunk_size=40):
        assert not ("small" in chunk.content and "last part" in chunk.content)


def test_a_section_is_joined_until_it_is_long_enough_and_no_further() -> None:
    text = "\n\n".join(f"# S{i}\n\ntext {i}" for i in range(6))
    assert contents(cut(text, max_size=80, min_chunk_size=13)) == [
        f"# S{i}\n\ntext {i}\n\n# S{i + 1}\n\ntext {i + 1}" for i in (0, 2, 4)
    ]
    assert len(cut(text, max_size=80, min_chunk_size=12)) == 6
    assert len(cut(text, max_size=80, min_chunk_size=27)) == 2


def test_where_nothing_is_left_behind_it_a_small_section_goes_to_the_chunk_before() -> None:
    text = "# Tanks\n\n" + "Words that go on for long. " * 2 + "\n\n## Small\n\nx"
    assert len(cut(text, max_size=90, min_chunk_size=40)) == 1
    assert len(cut(text, max_size=90, min_chunk_size=11)) == 2
    # Not to one that begins under another parent, nor where the two do not fit.
    long = "Words that go on for long. " * 2
    other = f"# A\n\n{long}\n\n## Long\n\n{long}" + "\n\n# Small\n\nx"
    assert contents(cut(other, max_size=90, min_chunk_size=40))[-1] == "# Small\n\nx"
    full = "# A\n\n" + "Words that go on for long. " * 3 + "\n\n# Small\n\nx"
    assert contents(cut(full, max_size=90, min_chunk_size=40))[-1] == "# Small\n\nx"


def test_a_section_that_fits_stays_whole_beside_a_small_one() -> None:
    fits = "# Two\n\n" + "Words that go on for long. " * 3
    assert fits.strip() in contents(cut("# One\n\nsmall\n\n" + fits, max_size=90, min_chunk_size=40))


def test_a_heading_alone_is_not_left_alone_where_the_next_section_does_not_fit_beside_it() -> None:
    chunks = cut("# A\n\n## B\n\n" + "Words that go on for long. " * 6, max_size=80, min_chunk_size=40)
    assert chunks[0].content.startswith("# A\n\n## B\n\nWords that go on for long.")
    assert {c.prefix for c in chunks[1:]} == {"# A\n## B\n\n"}


def test_a_heading_alone_goes_with_a_sibling_that_would_fit_without_it() -> None:
    chunks = cut("# A\n\n# B\n\n" + "word " * 16, max_size=86, min_chunk_size=40)
    assert chunks[0].content.startswith("# A\n\n# B\n\nword")


def test_text_before_the_first_heading_is_joined_too() -> None:
    assert contents(cut("intro\n\n# A\n\n## B\n\nxx\n\n# C\n\nccc", max_size=40, min_chunk_size=20)) == [
        "intro\n\n# A\n\n## B\n\nxx",
        "# C\n\nccc",
    ]


def test_a_quarter_of_the_limit_is_the_minimum_and_a_pair_gives_another() -> None:
    text = "\n\n".join(f"# S{i}\n\ntext text text tex" for i in range(6))
    assert len(cut(text, max_size=100)) == 3
    assert cut(text, max_size=100).spans == cut(text, max_size=100, min_chunk_size=25).spans
    assert len(cut(text, max_size=100, min_chunk_size=60)) == 2
    assert cut(text, max_size=(60, 100)).spans == cut(text, max_size=100, min_chunk_size=60).spans
    assert len(cut(text, max_size=100, min_chunk_size=0)) == 6


def test_headings_that_are_no_borders() -> None:
    chunks = cut("# A\n\naaa bbb.\n\n# B\n\nccc ddd.\n\n# C\n\neee fff.", max_size=34, split_on_headings=False)
    assert contents(chunks) == ["# A\n\naaa bbb.\n\n# B\n\nccc ddd.", "# C\n\neee fff."]
    assert chunks[0].metadata["sections"] == ["A", "B"]


# --- blocks --------------------------------------------------------------------------------------

BLOCKS = {
    "fence": "```py\nx = 1\n\ny = 2\n```",
    "tildes": "~~~\nx = 1\n\n# no heading\n~~~",
    "table": "| a | b |\n|---|---|\n| c | d. Ee |",
    "list": "- one. Two\n- three\n\n  more",
    "quote": "> quoted. Words\n>\n> more",
    "html": "<div>\nsome html. More\n</div>",
    "maths": "$$\na = b\nc = d\n$$",
    "front-matter": "---\ntitle: x. Y\nother: y\n---",
}


@pytest.mark.parametrize("kind", BLOCKS)
def test_a_block_is_not_cut_while_it_fits(kind: str) -> None:
    block = BLOCKS[kind]
    text = block + "\n\nwords behind. " * 4
    if kind != "front-matter":
        text = "Some words before it. And more.\n\n" + text
    for size in range(len(block), 3 * len(block)):
        assert any(block in chunk.content for chunk in cut(text, max_size=size)), size
    assert not any(block in chunk.content for chunk in cut(text, max_size=len(block) - 1))


def test_a_long_list_is_cut_at_its_outer_items_then_at_inner_ones() -> None:
    items = [f"- item {i}\n  - inner {i}.0 words\n  - inner {i}.1 words" for i in range(4)]
    text = "\n".join(items)
    size = len(items[0])
    assert contents(cut(text, max_size=size, min_chunk_size=0)) == items
    assert contents(cut(text, max_size=size * 3 // 2, min_chunk_size=0)) == items
    assert contents(cut(text, max_size=2 * size + 1)) == ["\n".join(items[:2]), "\n".join(items[2:])]
    small = cut(text, max_size=20, min_chunk_size=0, explain=True)
    assert all(re.match(r"- (item|inner)", chunk.content) for chunk in small)
    assert {chunk.cut.kind for chunk in small if chunk.cut} == {"item", "end"}


def test_a_fence_in_a_long_item_is_not_cut_while_it_fits_and_has_no_items() -> None:
    fence = "  ```\n  - no item\n\n  - none\n  ```"
    text = f"- one is here with words\n\n{fence}\n\n  words behind it, several of them\n- two is here"
    for size in range(len(fence), 70):
        assert any(fence.strip() in chunk.content for chunk in cut(text, max_size=size)), size
    chunks = bare(text.replace("- none", "- none and so on\n" * 8), max_size=30, explain=True)
    for chunk, following in pairwise(chunks):
        assert not (chunk.cut and chunk.cut.kind == "item" and following.content.startswith("- no")), following


LEAD = "| a | b |\n|---|---|\n"


def test_every_part_of_a_long_table_begins_with_its_header_and_is_within_the_limit() -> None:
    rows = [f"| row {i} | {'x' * (i % 5)} |" for i in range(30)]
    text = "# T\n\nBefore the table.\n\n" + LEAD + "\n".join(rows) + "\n\nAfter the table."
    for size in range(45, 150, 7):
        chunks = cut(text, max_size=size)
        parts = [chunk for chunk in chunks if "row " in chunk.content]
        assert all(LEAD in chunk.content and chunk.content.count("---|---") == 1 for chunk in parts), size
        assert all(len(chunk.text) <= size for chunk in chunks), size
        assert [line for c in parts for line in c.content.split("\n") if line.startswith("| row")] == rows
        # Full: the next row would not fit.
        for part, following in pairwise(parts):
            row = following.content.removeprefix(LEAD).split("\n")[0]
            assert len(part.text) + 1 + len(row) > size - len("# T\n\n"), size
    first, second = cut(LEAD + "\n".join(rows), max_size=90)[:2]
    assert (first.exact, first.spans) == (True, None)
    assert second.spans == ((0, len(LEAD) - 1), (second.start, second.end))


def test_the_text_before_a_table_goes_with_its_first_part_where_it_is_small() -> None:
    table = LEAD + "\n".join(f"| row {i} | x |" for i in range(8))
    assert contents(cut("The fees:\n\n" + table, max_size=80))[0].startswith("The fees:\n\n" + LEAD + "| row 0")


def test_a_row_that_is_too_long_is_cut_between_words_with_the_header_in_front() -> None:
    text = LEAD + "| a row that is much too long for the limit that there is | x |\n| s | t |"
    assert contents(cut(text, max_size=50, min_chunk_size=0)) == [
        LEAD + "| a row that is much too long",
        LEAD + "for the limit that there is |",
        LEAD + "x |",
        LEAD + "| s | t |",
    ]


def test_a_header_that_takes_more_than_half_of_the_room_is_not_repeated() -> None:
    lead = "| " + "h" * 20 + " |\n|---|\n"
    text = lead + "\n".join(f"| row {i} |" for i in range(12))
    assert sum("hhhh" in c.content for c in bare(text, max_size=2 * len(lead) - 1)) == 1
    assert all("hhhh" in c.content for c in bare(text, max_size=2 * len(lead)))


LINES = "\n".join(f"line {i}" for i in range(8))


@pytest.mark.parametrize(
    ("opens", "closes"),
    [("```", "```"), ("```py", "```"), ("~~~", "~~~"), ("~~~~ py x=1", "~~~~~"), ("  ```", " ```"), ("````py", "````")],
)
def test_every_part_of_long_code_has_its_fences(opens: str, closes: str) -> None:
    text = f"{opens}\n{LINES}\n{closes}"
    chunks = cut(text, max_size=46)
    assert len(chunks) > 1
    for chunk in chunks:
        lines = chunk.content.split("\n")
        assert (lines[0], lines[-1]) == (opens, closes)
        assert not any(line.strip().startswith(("`", "~")) for line in lines[1:-1])
    assert "\n".join(line for c in chunks for line in c.content.split("\n")[1:-1]) == LINES


def test_code_that_is_never_closed_is_closed_by_the_mark_that_opened_it() -> None:
    chunks = cut(f"  ~~~~py\n{LINES}", max_size=46)
    assert [c.content.split("\n")[-1] for c in chunks[:-1]] == ["~~~~"] * (len(chunks) - 1)
    assert chunks[-1].content == "  ~~~~py\nline 4\nline 5\nline 6\nline 7"


@pytest.mark.parametrize("last", ["~~~", "``", "``` x"])
def test_a_last_line_that_closes_nothing_is_code(last: str) -> None:
    chunks = cut(f"```\n{LINES}\n{last}", max_size=40)
    assert chunks[-1].content.endswith("\n" + last)
    assert {c.content.split("\n")[-1] for c in chunks[:-1]} == {"```"}


def test_code_with_blank_lines_and_shorter_fences_in_it_is_one() -> None:
    text = "````py\nline one is here\n```\n\nline two is here\n```\nmore is here\n````"
    chunks = cut(text, max_size=38)
    assert [c.content.split("\n")[0] for c in chunks] == ["````py"] * len(chunks)
    assert [c.content.split("\n")[-1] for c in chunks] == ["````"] * len(chunks)


def test_code_of_two_lines() -> None:
    assert contents(cut("```py\nline one is here\nline two is here\n```", max_size=30)) == [
        "```py\nline one is here\n```",
        "```py\nline two is here\n```",
    ]


def test_a_line_of_code_that_is_too_long_is_cut_inside_its_fences() -> None:
    text = "```py\nshort\nline two is very very very long and has to be cut\nend\n```"
    chunks = cut(text, max_size=30)
    assert all(c.content.startswith("```py\n") and c.content.endswith("\n```") for c in chunks)
    words = [word for c in chunks for word in c.content.split() if not word.startswith("```")]
    assert words == text.split()[1:-1]


# --- prose ---------------------------------------------------------------------------------------


def test_long_paragraphs_are_cut_between_sentences_before_lines_before_words() -> None:
    text = (
        "# S\n\nFirst sentence is here. Second sentence\nwraps over a line. Third one is a very long sentence "
        "that must be cut between its words somewhere. End."
    )
    chunks = bare(text, max_size=50, explain=True)
    assert [(c.content, c.cut.kind, c.cut.detail) for c in chunks if c.cut] == [
        ("# S\n\nFirst sentence is here.", "sentence", ""),
        ("Second sentence\nwraps over a line.", "sentence", ""),
        ("Third one is a very long sentence that must", "separator", " "),
        ("be cut between its words somewhere.", "sentence", ""),
        ("End.", "end", ""),
    ]
    lines = "a line of verse\nthat has no end of a sentence\nand another line"
    assert contents(bare(lines, max_size=46)) == ["a line of verse\nthat has no end of a sentence", "and another line"]


def test_paragraphs_stay_together_while_they_fit_and_are_cut_first() -> None:
    text = "One is short. It has two.\n\nTwo is short. It has two.\n\nThree is. It has two."
    assert contents(bare(text, max_size=60)) == [text[:52], text[54:]]
    assert contents(bare(text, max_size=30)) == text.split("\n\n")


@pytest.mark.parametrize("gap", ["\n\n", "\n"])
def test_a_heading_is_not_alone_where_what_follows_fits_beside_it(gap: str) -> None:
    text = f"words and words before it\n\n# Heading{gap}word1 word2\n\nword3"
    for options in ({"split_on_headings": False, "prepend_heading": False}, {"min_chunk_size": 30}, {}):
        for size in range(max(len("# Heading" + gap + "word1"), options.get("min_chunk_size", 0)), 60):
            chunks = contents(cut(text, max_size=size, **options))
            assert any(re.search(r"# Heading\n+word1", content) for content in chunks), (size, options)


# --- what the limit counts, sizes ----------------------------------------------------------------


@pytest.mark.parametrize("length", ["characters", "utf16", "bytes", "words", "cl100k_base", "o200k_base"])
def test_prefix_overlap_and_repeated_headers_count(length: str) -> None:
    text = "# Ä\n\n## Ö 😀\n\n" + "Ein Satz ist hier. 😀 Noch einer. " * 12 + "\n\n" + LEAD + "| ü | ß |\n" * 12
    measure = resolve(length)
    chunks = cut(text, max_size=40, overlap=8, length_function=length)
    assert len(chunks) > 3
    assert all(measure(chunk.text) <= 40 for chunk in chunks)
    assert any(measure(chunk.text) > 20 for chunk in chunks)


def test_room_is_left_for_a_note() -> None:
    text = NESTED + " word" * 60
    for room in (0, 13, 50):
        longest = max(len(chunk.text) for chunk in cut(text, max_size=90, context_size=room))
        assert 90 - room - 8 < longest <= 90 - room
    assert cut("x" * 60, max_size=60, context_size=20).spans == [(0, 40), (40, 60)]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"context_size": 2000}, "context_size must be smaller than max_size (1024), got 2000."),
        ({"max_size": 50, "context_size": 50}, "context_size must be smaller than max_size (50), got 50."),
        ({"context_size": -1}, "context_size must be a number of at least 0, got -1."),
        ({"max_size": (100, 200), "min_chunk_size": 50}, "min_chunk_size=50 and in max_size=(100, 200). Give the"),
        ({"max_size": 50, "min_chunk_size": 51}, "min_chunk_size must be at most max_size (50), got 51. Lower"),
        ({"min_chunk_size": -1}, "min_chunk_size must be a number of at least 0, got -1."),
        ({"max_size": 20, "overlap": 20}, "overlap must be smaller than max_size (20)"),
        *(
            ({name: "yes"}, f"{name} must be True or False")
            for name in (
                "prepend_heading", "heading_path", "split_on_headings",
                "strip_html_comments", "strip_data_uri", "normalize_whitespace",
            )
        ),
    ],
)  # fmt: skip
def test_a_wrong_option_is_named(options: dict[str, Any], words: str) -> None:
    with pytest.raises(OptionError, match=re.escape(words)):
        cut("text", **options)


@pytest.mark.parametrize("options", [{"separator_position": "end"}, {"strip_whitespace": False}])
def test_options_that_cannot_act_are_told(options: dict[str, Any]) -> None:
    with pytest.warns(UnusedOptionWarning, match=next(iter(options))):
        cut("text", **options)


# --- overlap -------------------------------------------------------------------------------------


def repeated(chunk: Chunk) -> str:
    return chunk.content[: chunk.overlap]


def test_overlap_repeats_as_many_whole_sentences_as_fit() -> None:
    sentences = [f"Sentence number {i} is here." for i in range(8)]
    text = "# S\n\n" + " ".join(sentences)
    for most, count in ((25, 0), (26, 1), (30, 1), (53, 2), (59, 2)):
        chunks = bare(text, max_size=140, overlap=most)
        assert len(chunks) > 2
        for before, chunk in pairwise(chunks):
            assert repeated(chunk).strip() == " ".join(
                sentences[i] for i in range(8) if sentences[i] in repeated(chunk)
            )
            assert sum(s in repeated(chunk) for s in sentences) == count, most
            assert before.content.endswith(repeated(chunk).strip())
            assert text[chunk.start : chunk.end] == chunk.content


def test_a_chunk_of_one_sentence_is_repeated_where_it_has_an_overlap_itself() -> None:
    sentences = [f"Sentence number {i} is here." for i in range(5)]
    chunks = bare("# S\n\n" + " ".join(sentences), max_size=70, overlap=27)
    assert [repeated(c).strip() for c in chunks] == ["", *sentences[:4]]


def test_a_sentence_is_repeated_where_all_of_the_chunk_before_is_within_the_overlap() -> None:
    chunks = bare("Aa bb. Cc dd.\n\nEe is a sentence of some length, ff.", max_size=50, overlap=13)
    assert contents(chunks) == ["Aa bb. Cc dd.", "Cc dd.\n\nEe is a sentence of some length, ff."]


def test_words_are_repeated_where_a_sentence_is_cut() -> None:
    chunks = bare("# S\n\n" + " ".join(f"word{i}" for i in range(40)), max_size=90, overlap=20)
    for before, chunk in pairwise(chunks):
        assert 0 < chunk.overlap <= 20
        assert re.fullmatch(r"(word\d+ )*word\d+", repeated(chunk).strip())
        assert before.content.endswith(" " + repeated(chunk).strip())


def test_behind_a_sentence_that_is_longer_than_the_overlap_nothing_is_repeated() -> None:
    text = "A sentence that is quite long. Another sentence of the same sort. And a third one that is long."
    assert [c.overlap for c in bare(text, max_size=60, overlap=12)] == [0, 0, 0]


def test_behind_a_paragraph_that_ends_without_a_mark_no_words_are_repeated() -> None:
    text = "a line of words that has no end mark\n\nAnother paragraph is here, of a few words."
    assert [c.overlap for c in bare(text, max_size=60, overlap=12)] == [0, 0]
    assert [c.overlap > 0 for c in bare(text.replace("\n\n", " "), max_size=60, overlap=12)] == [False, True]


def test_nothing_is_repeated_between_a_header_and_the_row_behind_it() -> None:
    text = f"Words here. More.\n\n{LEAD}| {'a long row of words ' * 5} | x |\n| s | t |"
    chunks = bare(text, max_size=60, overlap=20)
    parts = [chunk for chunk in chunks if LEAD in chunk.content]
    assert parts[0].content.startswith(LEAD + "| a long row")
    assert {chunk.overlap for chunk in parts} == {0}
    # And so the room for an overlap is theirs.
    assert len(parts[1].content) > 60 - 20


def test_a_table_between_the_two_limits_is_one_part() -> None:
    table = LEAD + "| r | x |\n" * 3
    assert table.strip() in "".join(contents(bare(f"Words are here.\n\n{table}\nMore words.", max_size=60, overlap=25)))


def test_nothing_is_repeated_across_headings_code_and_tables() -> None:
    assert [c.overlap for c in bare("# A\n\nOne. Two.\n\n# B\n\nThree.", max_size=60, overlap=20)] == [0, 0]
    for block in ("```\ncode\n```", "| a |\n|---|\n| b |", "<div>\n</div>", "$$\nx\n$$"):
        text = f"Para one is here.\n\n{block}\n\nPara two is here, with more words."
        for size in range(30, 64):
            for chunk in bare(text, max_size=size, overlap=size // 2 - 2):
                assert block not in repeated(chunk), (size, block)
    table = LEAD + "\n".join(f"| row {i} | x |" for i in range(8))
    for size in (50, 70):  # without the header in every part, and with it
        chunks = bare("Words. Here.\n\n" + table + "\n\nMore. Words.", max_size=size, overlap=20)
        assert not any("|" in repeated(chunk) for chunk in chunks), size
        assert any("row 7" in chunk.content for chunk in chunks)


def test_headings_are_no_place_to_repeat_from_where_they_are_no_borders() -> None:
    text = "\n\n".join(f"# H{i}\n\nSome sentence. Short." for i in range(6))
    for chunk in cut(text, max_size=60, overlap=25, split_on_headings=False):
        assert "#" not in repeated(chunk)


# --- why a chunk ends ----------------------------------------------------------------------------


def test_reasons() -> None:
    rows = "\n".join(f"| row {i} | x |" for i in range(4))
    text = f"# A\n\nText is here.\n\n# B\n\n{LEAD}{rows}\n\n# C\n\nFirst is here. Second is\n\n{'x' * 70}"
    chunks = bare(text, max_size=50, explain=True)
    assert [chunk.cut.kind for chunk in chunks if chunk.cut] == [
        "heading", "row", "row", "row", "heading", "separator", "characters", "end",
    ]  # fmt: skip
    assert [chunk.cut for chunk in bare(text, max_size=50)] == [None] * len(chunks)


def test_only_the_last_chunk_ends_because_the_text_does() -> None:
    text = "```py\nline two is very very very long and has to be cut\nend\n```\n\n" + LEAD + "| word " * 20 + "|\n| x |"
    chunks = bare(text, max_size=40, explain=True)
    kinds = [chunk.cut.kind for chunk in chunks if chunk.cut]
    assert len(kinds) == len(chunks) > 6
    assert kinds.index("end") == len(chunks) - 1


def test_the_paragraphs_of_an_item_stay_together() -> None:
    text = (
        "# Steps\n\n1. Open the valve.\n\n   Turn it left.\n\n2. Mount the pump:\n\n   Use two screws.\n\n"
        "3. Test it.\n\n   Run it once."
    )
    assert contents(cut(text, max_size=75)) == [
        "# Steps\n\n1. Open the valve.\n\n   Turn it left.",
        "2. Mount the pump:\n\n   Use two screws.",
        "3. Test it.\n\n   Run it once.",
    ]
    text = "# Steps\n\n- alpha one\n  - sub a\n  - sub b\n- beta two\n  - sub c\n  - sub d"
    assert contents(cut(text, max_size=60)) == [
        "# Steps\n\n- alpha one\n  - sub a\n  - sub b",
        "- beta two\n  - sub c\n  - sub d",
    ]


def test_a_heading_stands_in_front_of_the_beginning_of_a_long_line() -> None:
    for frame in ("```\n{}\n```", "|a|b|\n|-|-|\n|1|{}|"):
        chunks = cut("# A\n\n" + frame.format("x" * 60), max_size=40)
        assert chunks[0].content.startswith("# A\n\n" + frame.format("")[:3])
        assert "xxx" in chunks[0].content
        assert "".join(chunk.content for chunk in chunks).count("x") == 60
        assert all(len(chunk.text) <= 40 for chunk in chunks)
