"""`ContextRetrievalChunker`: its surface, its options, and what is better than in the original."""

from __future__ import annotations

import copy
import pickle
import re
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest
from facade_contract import broken
from hypothesis import given
from hypothesis import strategies as st

from cantle import ContextRetrievalChunker
from cantle.cleaning import clean_markdown, clean_pdf, clean_text
from cantle.context.engine.engine import chunk_cleaned
from cantle.context.engine.grammar import is_markdown, markdown_blocks
from cantle.context.settings import Settings, resolved
from cantle.context.settings import given as given_options
from cantle.errors import CantleWarning, OptionError, UnusedOptionWarning
from cantle.lengths import resolve

Chunks = list[dict[str, Any]]


def cut(kind: str, text: str, **options: Any) -> Chunks:
    """The chunks, checked against the contract."""
    settings = resolved(Settings(), given_options(options, {}))
    if kind == "chunk":
        kind = "markdown" if is_markdown(text) else "text"
    if kind == "pdf":
        cleaned = clean_pdf(text)
    else:
        clean = clean_markdown if kind == "markdown" else clean_text
        cleaned = clean(text, comments=settings.strip_html_comments, data_uris=settings.strip_data_uri)
    chunks = chunk_cleaned(cleaned.text, kind, cleaned.pages, settings)
    counted = settings.encoding if settings.unit == "tokens" else "utf16"
    assert broken(cleaned.text, chunks, settings.size, settings.repeat, counted) == []
    return chunks


def contents(kind: str, text: str, size: int, overlap: int = 0, least: int = 0, **options: Any) -> list[str]:
    chunks = cut(kind, text, chunk_size=size, overlap=overlap, min_chunk_size=least, **options)
    return [chunk["content"] for chunk in chunks]


# The surface

SETTERS = {
    "unit": ("TOKENS", "get_unit", "tokens"),
    "chunk_size": (7, "get_chunk_size", 7),
    "overlap": (9.9, "get_overlap", 9),
    "min_chunk_size": ("11", "get_min_chunk_size", 11),
    "encoding": (" gpt-4o ", "get_encoding", "gpt-4o"),
    "embed": ("Context", "get_embed", "context"),
    "source": ("  manual ", "get_source", "manual"),
    "metadata": ({"a": 1}, "get_metadata", {"a": 1}),
    "heading_path": (False, "is_heading_path", False),
    "prepend_heading": (0, "is_prepend_heading", False),
    "split_on_headings": ("No", "is_split_on_headings", False),
    "strip_data_uri": ("1", "is_strip_data_uri", True),
    "strip_html_comments": ("TRUE", "is_strip_html_comments", True),
}


@pytest.mark.parametrize("name", SETTERS)
def test_setters_chain_and_getters_give_what_was_set(name: str) -> None:
    value, getter, expected = SETTERS[name]
    chunker = ContextRetrievalChunker()
    assert getattr(chunker, name)(value) is chunker
    assert getattr(chunker, getter)() == expected
    assert f"{name}={expected!r}" in repr(chunker)


def test_defaults() -> None:
    chunker = ContextRetrievalChunker()
    values = [getattr(chunker, getter)() for _, getter, _ in SETTERS.values()]
    assert values == ["chars", 1024, 128, -1, "cl100k_base", "full", "", {}, True, True, True, True, True]
    assert chunker.encoding(None).encoding("  ").get_encoding() == "cl100k_base"
    assert chunker.source(None).get_source() == ""
    assert chunker.metadata(None).get_metadata() == {}


@pytest.mark.parametrize("value", ["words", "token", "", " tokens"])
def test_a_unit_that_is_not_known_acts_as_the_default_and_warns(value: str) -> None:
    message = f"unit must be 'chars' or 'tokens', got {value!r}, which acts as 'chars'."
    with pytest.warns(UnusedOptionWarning, match=re.escape(message)) as caught:
        chunker = ContextRetrievalChunker().unit("tokens").unit(value)
    assert (chunker.get_unit(), caught[0].filename) == ("chars", __file__)
    if value:
        with pytest.warns(UnusedOptionWarning, match=re.escape(message)) as caught:
            assert chunker.text("a b", {"unit": value}) == ContextRetrievalChunker().text("a b")
        assert len(caught) == 1


def test_other_values_that_are_not_known_act_as_the_default_and_warn() -> None:
    chunker, plain = ContextRetrievalChunker(), ContextRetrievalChunker().markdown("# A\n\nb")
    with pytest.warns(UnusedOptionWarning, match=r"embed must be 'full' or 'context' or 'content', got 'all'"):
        assert chunker.embed("all").get_embed() == "full"
    with pytest.warns(UnusedOptionWarning, match="embed must be .* got 'all'"):
        assert chunker.markdown("# A\n\nb", embed="all") == plain
    for value in ("many", True):
        with pytest.warns(
            UnusedOptionWarning, match=f"chunk_size must be a whole number .* got {value!r}, which has no"
        ):
            assert chunker.markdown("# A\n\nb", {"chunkSize": value}) == plain
    odd: list[Any] = ["yes", 2, float("nan"), "on"]
    for value in odd:
        with pytest.warns(
            UnusedOptionWarning, match=f"heading_path must be True or False, got {value!r}, which acts as"
        ):
            assert not ContextRetrievalChunker().heading_path(value).is_heading_path()


def test_values_that_are_known_do_not_warn() -> None:
    ContextRetrievalChunker().unit("CHARS").unit("Tokens").embed("Full").embed("CONTENT").embed("context")
    for value in (True, False, 1, 0, 1.0, "true", "FALSE", "1", "0", "no"):
        ContextRetrievalChunker().text("a", {"headingPath": value})


@pytest.mark.parametrize("name", SETTERS)
def test_settings_as_arguments_of_the_class(name: str) -> None:
    value, getter, expected = SETTERS[name]
    head, *tail = name.split("_")
    for spelling in (name, head + "".join(part.title() for part in tail), name.upper()):
        assert getattr(ContextRetrievalChunker(**{spelling: value}), getter)() == expected


def test_wrong_settings_as_arguments_of_the_class() -> None:
    with pytest.raises(
        OptionError, match=r"^ContextRetrievalChunker has no setting 'max_size'\. It takes: chunk_size, "
    ):
        ContextRetrievalChunker(max_size=300)
    with pytest.raises(OptionError, match=r"chunk_size is given twice, as 'chunk_size' and as 'chunkSize'\. Keep one"):
        ContextRetrievalChunker(source="a", chunk_size=300, chunkSize=300)
    with pytest.raises(OptionError, match="chunk_size must be a whole number"):
        ContextRetrievalChunker(chunk_size="many")
    with pytest.raises(TypeError):
        ContextRetrievalChunker(300)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("chunkSize", "chunk_size"),
        ("minChunkSize", "min_chunk_size"),
        ("isHeadingPath", "is_heading_path"),
        ("stripHtmlComments", "strip_html_comments"),
        ("getChunkSize", "get_chunk_size"),
        ("countTokens", "count_tokens"),
    ],
)
def test_methods_in_camel_case_name_ours(name: str, ours: str) -> None:
    with pytest.raises(AttributeError, match=rf"^ContextRetrievalChunker has no '{name}'\. Its name is {ours}\(\)\.$"):
        getattr(ContextRetrievalChunker(), name)


def test_other_attributes_are_not_there() -> None:
    for name in ("maxSize", "size", "_x", "__wrapped__"):
        with pytest.raises(AttributeError, match=f"^ContextRetrievalChunker has no '{name}'.$"):
            getattr(ContextRetrievalChunker(), name)
    chunker = ContextRetrievalChunker(chunk_size=99)
    assert copy.deepcopy(chunker).get_chunk_size() == pickle.loads(pickle.dumps(chunker)).get_chunk_size() == 99


@pytest.mark.parametrize(
    ("options", "more", "how"),
    [
        ({"chunkSize": 40, "chunk_size": 50}, {}, "as 'chunkSize' and as 'chunk_size'"),
        ({"chunkSize": 40}, {"chunk_size": 50}, "as 'chunkSize' and as 'chunk_size'"),
        ({"CHUNKSIZE": 40}, {"chunkSize": 50}, "as 'CHUNKSIZE' and as 'chunkSize'"),
        ({"overlap": 4}, {"overlap": 5}, "both times as 'overlap'"),
    ],
)
def test_an_option_that_is_given_twice(options: dict[str, Any], more: dict[str, Any], how: str) -> None:
    with pytest.raises(OptionError, match=rf"^The option \w+ is given twice, {how}\. Keep one\.$"):
        ContextRetrievalChunker().markdown("a", options, **more)
    if more:
        with pytest.raises(OptionError, match=rf"is given twice, {how}"):
            ContextRetrievalChunker().markdown("a", options=options, **more)


def test_a_size_that_is_given_twice() -> None:
    with pytest.raises(OptionError, match="chunk_size is given twice, both times as 'chunk_size'"):
        ContextRetrievalChunker().markdown("a", 40, chunk_size=50)
    with pytest.raises(OptionError, match="overlap is given twice, as 'overlap' and as 'OVERLAP'"):
        ContextRetrievalChunker().markdown("a", 40, 0, OVERLAP=5)


TIDY = "\ufeff# A\r\n\r\n\r\n<!-- c -->\tSome\u00a0words.  \n\n```\n\tx\n```\n![a](data:image/png;base64,AA)\n"


@pytest.mark.parametrize("method", ["chunk", "markdown", "text", "pdf"])
@pytest.mark.parametrize("options", [{}, {"stripHtmlComments": False}, {"strip_data_uri": "false"}])
def test_positions_lie_in_the_normalized_text(method: str, options: dict[str, Any]) -> None:
    chunker = ContextRetrievalChunker(chunk_size=32, overlap=0)
    chunks, clean = getattr(chunker, method)(TIDY, options), chunker.normalized(TIDY, method, options)
    assert len(chunks) > 1
    assert [clean[chunk["start"] : chunk["end"]].strip() for chunk in chunks] == [chunk["content"] for chunk in chunks]
    assert chunker.normalized(TIDY, method, **options) == clean


def test_the_normalized_text() -> None:
    chunker = ContextRetrievalChunker()
    assert chunker.normalized(TIDY) == clean_markdown(TIDY).text
    assert chunker.normalized("a-\nb\tc", "pdf") == "ab c"
    assert chunker.strip_html_comments(False).normalized("a <!-- b -->") == "a <!-- b -->"
    assert chunker.normalized(None) == chunker.normalized(" \n") == ""
    with pytest.raises(OptionError, match="method must be 'chunk', 'markdown', 'text', 'pdf', got 'html'"):
        chunker.normalized("a", "html")
    with pytest.raises(OptionError, match="the text to cut must be a str"):
        chunker.normalized(b"a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        lambda chunker: chunker.chunk_size([1]),
        lambda chunker: chunker.chunk_size("many"),
        lambda chunker: chunker.chunk_size(True),
        lambda chunker: chunker.overlap(None),
        lambda chunker: chunker.unit(None),
        lambda chunker: chunker.source(b"a"),
        lambda chunker: chunker.metadata("a"),
        lambda chunker: chunker.heading_path([]),
        lambda chunker: chunker.markdown(b"# a"),
        lambda chunker: chunker.markdown("a", {"chunkSize": [1]}),
        lambda chunker: chunker.markdown("a", {"metadata": ["a"]}),
        lambda chunker: chunker.markdown("a", {"chunkSize": 40, "chunk_size": 50}),
        lambda chunker: chunker.markdown("a", {"overlap": 4}, overlap=5),
        lambda chunker: chunker.markdown("a", {"overlap": 4}, options={}),
        lambda chunker: chunker.markdown("a", options=[("overlap", 4)]),
        lambda chunker: chunker.count_tokens(1),
    ],
)
def test_values_of_the_wrong_kind_are_errors(call: Callable[[ContextRetrievalChunker], object]) -> None:
    with pytest.raises(OptionError):
        call(ContextRetrievalChunker())


def test_an_unknown_option_is_a_warning_at_the_line_of_the_caller() -> None:
    with pytest.warns(UnusedOptionWarning, match=r"'chunksize_' is not|'maxSize'.*chunk_size, overlap") as caught:
        ContextRetrievalChunker().text("a", {"maxSize": 40})
    assert caught[0].filename == __file__


@pytest.mark.parametrize("method", ["chunk", "markdown", "text", "pdf"])
def test_the_three_forms(method: str) -> None:
    text = "One two three. Four five six. Seven eight nine. Ten eleven twelve."
    expected = getattr(ContextRetrievalChunker().chunk_size(40).overlap(16), method)(text)
    call = getattr(ContextRetrievalChunker(), method)
    assert len(expected) > 1
    assert call(text, 40, 16) == expected
    assert call(text, {"chunkSize": "40", "OVERLAP": 16.2}) == expected
    assert call(text, {"Chunk_Size": 40}, overlap=16) == expected
    assert call(text, chunk_size=40, overlap=16) == expected
    assert call(text, {"overlap": 16}, chunk_size=40) == expected
    assert call(text=text, overlap=16, chunkSize=40) == expected
    assert call(text, options={"CHUNKSIZE": 40, "overlap": 16}) == expected
    assert call(None) == call("") == call(" \n\t") == []
    assert call(text) != expected


def test_options_hold_for_one_call() -> None:
    chunker = ContextRetrievalChunker().source("s").metadata({"a": 1})
    (chunk,) = chunker.text("x", {"source": "t", "metadata": {"b": 2}})
    assert (chunk["id"][:3], chunk["metadata"]) == ("t#0", {"b": 2})
    (chunk,) = chunker.text("x", {"source": "", "metadata": None})
    assert (chunk["id"][:3], chunk["metadata"]) == ("s#0", {"a": 1})


@pytest.mark.parametrize(("given", "number"), [("1e9", 200_000), ("-5", 32), (float("inf"), 200_000), ("33.9", 33)])
def test_sizes_are_read_and_limited(given: Any, number: int) -> None:
    settings = resolved(Settings(), {"chunk_size": given, "overlap": 10**12})
    assert (settings.chunk_size, settings.overlap, settings.min_chunk_size) == (number, number // 2, number // 4)


def test_defaults_in_tokens() -> None:
    settings = resolved(Settings(overlap=100), {"unit": "Tokens"})
    assert (settings.chunk_size, settings.overlap) == (256, 100)
    assert resolved(Settings(chunk_size=500), {"unit": "tokens"}).overlap == 32


def test_counting_tokens() -> None:
    chunker = ContextRetrievalChunker()
    assert chunker.count_tokens("") == chunker.count_tokens(None) == 0
    assert chunker.count_tokens("hello world <|endoftext|>") == resolve("cl100k_base")("hello world <|endoftext|>")
    assert chunker.count_tokens("Olá mundo", "gpt-4o") == resolve("o200k_base")("Olá mundo")
    assert chunker.encoding("p50k_base").count_tokens("a  b") == resolve("p50k_base")("a  b")
    with pytest.warns(CantleWarning, match="No encoding or model is named 'nope'"):
        assert chunker.count_tokens("hello", "nope") == 1


def test_an_unknown_encoding_is_a_warning() -> None:
    with pytest.warns(CantleWarning, match="cl100k_base counts the tokens"):
        (chunk,) = ContextRetrievalChunker().encoding("nope").text("hello world")
    assert chunk["tokens"] == 2


def test_contextualize_writes_notes_into_the_same_list() -> None:
    class Client:
        def complete(self, messages: list[dict[str, str]], **options: Any) -> str:
            return "A note."

    chunker = ContextRetrievalChunker()
    chunks = chunker.markdown("# A\n\ntext")
    assert chunker.contextualize(Client(), "# A\n\ntext", chunks) is chunks
    assert (chunks[0]["context"], chunks[0]["text"]) == ("A note.", "A note.\n\n# A\n\ntext")


def test_metadata_and_lists_are_not_shared_between_chunks() -> None:
    chunks = ContextRetrievalChunker().metadata({"a": 1}).markdown("# A\n\n" + "One two three. " * 9, 40, 0)
    for name in ("metadata", "path", "sections", "pages", "blocks"):
        assert chunks[0][name] is not chunks[1][name]


def test_a_lone_surrogate_and_other_odd_characters() -> None:
    text = "a\ud800b \x00 \ufeff\u200d c"
    (chunk,) = ContextRetrievalChunker().text(text)
    assert "a\ud800b" in chunk["content"]
    assert len(chunk["hash"]) == 16


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
