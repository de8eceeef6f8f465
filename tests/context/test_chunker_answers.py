"""`ContextRetrievalChunker`: what is better than in the original, and what holds for any document."""

from __future__ import annotations

import time
import warnings
from typing import Any

import pytest
from checked_chunks import contents, cut
from hypothesis import given
from hypothesis import strategies as st

from cantle import ContextRetrievalChunker
from cantle.context.engine.grammar import is_markdown, markdown_blocks

# What is better than in the original

FENCE = "```"


def test_an_indented_long_heading_loses_nothing() -> None:
    found = contents("markdown", "   # one two three four five six seven eight\n\nbody", 32)
    assert "eight" in " ".join(found)


def test_long_lines_of_code_are_cut_between_words_in_fences() -> None:
    found = contents("markdown", f"{FENCE}py\n{'x = call(argument) ' * 12}\ny\n{FENCE}", 64)
    assert len(found) > 3
    assert all(text.startswith(f"{FENCE}py\n") and text.endswith(f"\n{FENCE}") for text in found)
    assert all("argument" in text or text.count("\n") > 2 or "y" in text for text in found)
    found = contents("markdown", f"{FENCE}\n{'x' * 200}\ny\n{FENCE}", 64)
    assert max(map(len, found)) <= 64


def test_an_opening_that_leaves_no_room_goes_first() -> None:
    found = contents("markdown", f"{FENCE}{'info ' * 12}\n{'a b ' * 30}\n{FENCE}", 40)
    assert found[0].startswith(f"{FENCE}info")
    assert found[-1].startswith(f"{FENCE}\n")


def test_marks_that_leave_no_room_are_text() -> None:
    marks = "`" * 60
    assert "".join(contents("markdown", f"{marks}\nabc def\n{marks}", 40)).count("`") == 120


def test_blank_code_above_the_limit_is_kept() -> None:
    assert contents("markdown", f"# {'t' * 21}\n\n{FENCE}py\n\n\n{FENCE}", 32) != []


def test_rows_are_cut_between_cells() -> None:
    found = contents("markdown", f"|a|b|\n|-|-|\n|1|{'x' * 60}|\n|2|y|", 32)
    assert all(text.startswith("|a|b|\n|-|-|\n") for text in found)
    assert found[0] == "|a|b|\n|-|-|\n|1"


def test_absorption_keeps_the_limit() -> None:
    assert contents("text", "A" * 32 + "\n\nb.", 32, least=8) == ["A" * 32, "b."]


def test_a_giant_word_is_not_repeated_nor_glued() -> None:
    assert contents("text", "a" * 33, 32, 16) == ["a" * 16, "a" * 16, "a"]


def test_overlap_is_the_text_as_it_stands() -> None:
    text = "Abc def ghi jkl. Mno pqr stu vwx."
    chunks = cut("text", text, chunk_size=32, overlap=16, min_chunk_size=0)
    repeated = [chunk["content"][: chunk["overlap"]] for chunk in chunks if chunk["overlap"]]
    assert repeated
    assert all(each in text for each in repeated)


def test_hard_cuts_are_no_paragraphs() -> None:
    assert contents("text", "1 Introdução", 32, 16, -1) == ["1 Introdução"]
    assert contents("text", "1 Introdução", 32, 16) == ["1", "1 \n\nIntrodução"]
    found = contents("text", f"See https://example.com/{'a' * 40} for more words here now.", 48)
    assert not any("\n" in text for text in found)


def test_clusters_are_not_cut() -> None:
    found = contents("text", "cafe\u0301" * 20, 34)
    assert not any(text.startswith("\u0301") for text in found)
    assert max(len(text) for text in found) <= 34
    assert contents("text", "\U0001f642" * 40, 33)[0] == "\U0001f642" * 16


def test_backticks_behind_a_fence_make_it_text() -> None:
    chunks = cut("markdown", f"{FENCE}a{FENCE} text\n\n# Head\n\npara")
    assert chunks[0]["sections"] == ["Head"]
    assert not is_markdown(f"{FENCE}a{FENCE} text")


@pytest.mark.parametrize("inner", ["# c", "first\n\n\n  # second", "x\n\n\n\n# y"])
def test_fences_in_list_items_reach_to_their_closing_line(inner: str) -> None:
    (chunk,) = cut("markdown", f"- a\n  {FENCE}\n{inner}\n  {FENCE}\n\n# B")
    assert chunk["sections"] == ["B"]
    assert chunk["blocks"] == ["list", "heading"]


def test_fences_in_list_items_that_are_not_closed_end_with_the_list() -> None:
    (chunk,) = cut("markdown", f"- a\n  {FENCE}\n\n\n# B\n\n~~~\nx\n~~~")
    assert chunk["sections"] == ["B"]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("---\ntitle: x\n---\n\ny", ["front_matter", "paragraph"]),
        ("---\n# note\ntitle: x\n\ntags:\n- a\n---\n\ny", ["front_matter", "paragraph"]),
        ("---\n\n# T\n\nx: y\n\n---\n\n# U", ["rule", "heading", "paragraph", "rule", "heading"]),
        ("---\nSome text.\n\n---\n\nx", ["rule", "paragraph", "rule", "paragraph"]),
        ("---\nNote: text\n\nMore text.\n\n---\n\nx", ["rule", "paragraph", "paragraph", "rule", "paragraph"]),
        ("---\ntitle: x", ["rule", "paragraph"]),
    ],
)
def test_front_matter_is_keys_and_values(text: str, labels: list[str]) -> None:
    assert [block.label for block in markdown_blocks(text)] == labels


def test_tables_in_paragraphs_get_their_header_again() -> None:
    table = "|a|b|\n|-|-|\n|1|2222222|\n|3|4444444|"
    found = contents("markdown", f"Intro\n{table}\nOutro", 32)
    assert found == ["Intro\n\n|a|b|\n|-|-|\n|1|2222222|", "|a|b|\n|-|-|\n|3|4444444|\n\nOutro"]
    (chunk,) = cut("markdown", f"Intro\n{table}")
    assert chunk["blocks"] == ["paragraph"]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("# C#", "C#"),
        ("# C# #", "C#"),
        ("# F# and C##", "F# and C##"),
        ("# A ##", "A"),
        ("# #", ""),
        ("# a\u2028b", "a\u2028b"),
        ("# a\x85b", "a\x85b"),
        ("#\tx", "x"),
    ],
)
def test_titles(line: str, title: str) -> None:
    (block,) = markdown_blocks(line)
    assert block.label == "heading"
    assert block.path == (f"# {title}" if title else "#",)


@pytest.mark.parametrize("line", ["#######", "########", "#x", "####### x", "    # x"])
def test_lines_that_are_no_headings(line: str) -> None:
    assert [block.label for block in markdown_blocks(line)] == ["paragraph"]


def test_words_without_punctuation_fill_the_budget_in_tokens() -> None:
    text = "word other something configuration server answer value the of " * 120
    for size in (32, 64, 256):
        chunks = cut("text", text, unit="tokens", chunk_size=size, overlap=0)
        assert min(chunk["tokens"] for chunk in chunks[:-1]) >= 0.85 * size
    chunks = cut("text", text, unit="tokens", chunk_size=64, overlap=16)
    assert all(chunk["overlap"] > 8 for chunk in chunks[1:])


def test_a_sentence_a_little_above_the_budget_is_counted_word_by_word() -> None:
    chunks = cut("text", "word " * 50, unit="tokens", chunk_size=32, overlap=0)
    assert [chunk["tokens"] for chunk in chunks] == [8] * 5 + [10]


def test_indentation_that_is_trimmed_makes_no_part_too_long() -> None:
    text = "   ```\n   print('utilizador')\n   # comment\n   ```"
    assert contents("markdown", text, 32) == ["```\n   print('utilizador')\n```", "```\n   # comment\n```"]
    text = "  |a|b|\n|-|-|\n|1|1234567890 12345|\n|2|y|"
    assert contents("markdown", text, 32)[0] == "|a|b|\n|-|-|\n|1|1234567890 12345|"


@pytest.mark.parametrize(
    "text",
    [
        "# Configuration\n\nword internationalisation word",
        "### Secção 19\n\n##### Internationalisations, now",
        "# Configuration\n\n```\nprint('international')\n```",
        "# Configuration\n\n```\nx\nprint( 'internationalisation' )\n```",
    ],
)
def test_a_header_gives_way_to_whole_words(text: str) -> None:
    chunks = cut("markdown", text, chunk_size=36, overlap=0, min_chunk_size=0)
    words = {word for chunk in chunks for word in chunk["content"].replace("|", " ").split()}
    assert set(text.replace("|", " ").split()) <= words
    assert any("nternational" in chunk["content"] and not chunk["header"] for chunk in chunks)


@pytest.mark.parametrize("separator", ["\x85", "\u2028", "\u2029"])
def test_cleaning_and_cutting_see_the_same_fences(separator: str) -> None:
    text = f"```py{separator}x\n\tkept  \n\n\n# no heading\n```\n\n# Heading"
    assert [chunk["content"] for chunk in cut("markdown", text)] == [text]


def test_an_accent_stays_with_the_blank_before_it() -> None:
    found = contents("text", "word word word word \u0301 word word word", 32)
    assert not any(content.startswith("\u0301") for content in found)


def test_pages_are_those_of_the_document() -> None:
    chunks = cut("pdf", "one\n\f\n\ftwo two two two two two two two\f", chunk_size=32, overlap=0, min_chunk_size=0)
    assert [(chunk["page"], chunk["pages"]) for chunk in chunks][-1] == (3, [3])


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("# a", True),
        ("a\n   ###### b", True),
        ("a\r\n~~~", True),
        ("|-|", True),
        ("- a\n\nb\n2) c\n* d", True),
        ("\ufeff# a", True),
        ("- a\n- b", False),
        ("a\n===", False),
        ("####### a", False),
        ("#a", False),
        ("> a", False),
        ("---", False),
    ],
)
def test_what_is_taken_for_markdown(text: str, markdown: bool) -> None:
    assert is_markdown(text) == markdown
    assert cut("chunk", text)[0]["type"] == ("markdown" if markdown else "text")


HOSTILE = {
    "one word": "a",
    "blanks": " ",
    "lines": "\n",
    "digits": "1",
    "hashes": "#",
    "empty headings": "#\n",
    "dashes": "- ",
    "items": "- a\n",
    "bars": "|",
    "tables": "|a|\n|-|\n|1|\n",
    "tables in paragraphs": "a\n|a|\n|-|\n|1|\n",
    "backticks": "`",
    "open fences in items": "- ```\n\n\n",
    "fences": "```\n",
    "code": "    x = y(z)  \n",
    "words": "word ",
    "sentences": "A b. ",
    "initials": "A. ",
    "full stops": "。",
    "rules": "---\n",
    "comments": "<!-- ",
    "pages": "a\n\f",
}


@pytest.mark.parametrize("unit", ["chars", "tokens"])
@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_the_length_alone(name: str, unit: str) -> None:
    part = HOSTILE[name]
    text = part * (100_000 // len(part))
    started = time.process_time()
    for kind in ("markdown", "pdf") if part == "a\n\f" else ("markdown",):
        getattr(ContextRetrievalChunker(), kind)(text, 40, 8, unit=unit)
        getattr(ContextRetrievalChunker(), kind)("```\n" + text, 1024, unit=unit)
    assert time.process_time() - started < 4  # a tenth of a second each; with the square of the length, minutes


# Any document, any options

WORDS = "one Two three. Four! five, six; C# (Seven) Dr. é 文。 \U0001f642 e\u0301 http://a.example/b"
words = st.sampled_from(WORDS.split())
sentence = st.lists(words, min_size=1, max_size=25).map(" ".join)
blocks = st.one_of(
    sentence,
    st.builds("{} {}".format, st.sampled_from(["#", "##", "   ###", "1.", "2.3", "-", ">", "#######"]), sentence),
    st.builds("{0}\n{1}\n{2}\n{0}".format, st.sampled_from([FENCE, "~~~", "````"]), sentence, sentence),
    st.builds("|{}|x|\n|-|-|\n|{}|1|\n|{}|2|".format, words, sentence, sentence),
    st.builds("- {0}\n  {2}\n{1}\n  {2}".format, sentence, sentence, st.just(FENCE)),
    st.sampled_from(["---", "\n\n", "===", f"{FENCE}a{FENCE}", "\f", "      ***", "x" * 90, "---\nkey: value\n---"]),
)
documents = st.lists(st.tuples(blocks, st.sampled_from(["\n", "\n\n", "\n\n", " "])), max_size=9).map(
    lambda parts: "".join(block + end for block, end in parts)
)
options = st.fixed_dictionaries(
    {"chunk_size": st.sampled_from([32, 48, 64, 100, 300]), "overlap": st.sampled_from([0, 16, 50])},
    optional={
        "min_chunk_size": st.sampled_from([0, 10, 60]),
        "unit": st.just("tokens"),
        "embed": st.sampled_from(["content", "context"]),
        "prepend_heading": st.booleans(),
        "heading_path": st.booleans(),
        "split_on_headings": st.booleans(),
        "encoding": st.just("o200k_base"),
    },
)


@given(st.sampled_from(["markdown", "text", "pdf", "chunk"]), documents, options)
def test_the_contract_holds_for_any_document(kind: str, text: str, chosen: dict[str, Any]) -> None:
    chunks = cut(kind, text, **chosen)
    assert getattr(ContextRetrievalChunker(), kind)(text, chosen) == chunks


@given(st.text(max_size=300), options)
def test_the_contract_holds_for_any_characters(text: str, chosen: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cut("chunk", text, **chosen)
